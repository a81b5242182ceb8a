// Operators of PyTorch by the native functions that run them, in names and in stacks.
#include <elf.h>

#include <fstream>

#include "report/fold/time/functions.hpp"
#include "report/fold/time/lines.hpp"
#include "report/model/load.hpp"
#include "report/symbols/elf_file.hpp"
#include "report/symbols/operator_names.hpp"
#include "report/symbols/symbol_table.hpp"
#include "report/symbols/symbols.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using symbols::Language;
using symbols::OperatorNames;

namespace {

constexpr const char* kOperatorSource = R"(volatile int sink;
#define WORK { sink += __LINE__; }
namespace at { namespace _ops {
struct add__Tensor { static void call(int&); };
struct mul_Tensor { static void call(int&); };
void add__Tensor::call(int&) WORK
void mul_Tensor::call(int&) WORK
} namespace native { void add_(int&) WORK } }
)";

model::Run counted(const std::vector<std::string>& names) {
  model::Run run;
  for (const std::string& name : names) {
    run.processes.emplace_back().names.push_back({log::NameKind::Operator, name, "forward"});
  }
  return run;
}

// A library with operators in it, and a log of a run in it: of the stack main > add_'s call > native::add_.
class LibraryRun {
 public:
  explicit LibraryRun(bool counts) {
    std::ofstream(temp_ / "source.cpp") << kOperatorSource;
    REQUIRE(temp_.compile("-shared -fPIC -O1 -g -Wl,--build-id=none -o libops.so"));
    test::LogBuilder log;
    log.thread(0).flags = log::kThreadMain;
    if (counts) log.name(log::NameKind::Operator, "aten::add_", "forward [[2]]");
    const std::uint32_t library = log.module((temp_ / "libops.so").string());
    const auto frame = [&](const char* symbol) { return log.native(library, address_of(symbol)); };
    const std::uint32_t call =
        log.node(log.node(0, log.native(log.module("/nowhere/main"), 0x10)), frame("_ZN2at4_ops11add__Tensor4callERi"));
    log.cpu(call, 1, 1000);
    log.cpu(log.node(call, frame("_ZN2at6native4add_ERi")), 2, 5000);
    std::filesystem::create_directory(temp_ / "run");
    log.write(temp_ / "run" / "100.1.proflog");
    run = model::load(temp_ / "run");
    symbols = symbols::symbolize(run);
  }

  const fold::FunctionRow* row(const std::string& name, Language language, fold::Frames frames) {
    fold::Selection selection;
    selection.fold.frames = frames;
    tree_.emplace(fold::build_call_tree(run, symbols, selection));
    rows_ = fold::functions(*tree_);
    for (const fold::FunctionRow& found : rows_) {
      const symbols::Function& function = symbols.function(found.function);
      if (function.short_name == name && function.language == language) return &found;
    }
    return nullptr;
  }

  model::Run run;
  symbols::Symbols symbols;

 private:
  std::uint64_t address_of(const std::string& symbol) {
    REQUIRE(temp_.run("nm libops.so | grep ' " + symbol + "$' > address"));
    std::uint64_t address = 0;
    std::ifstream(temp_ / "address") >> std::hex >> address;
    return address;
  }

  test::TempDir temp_;
  std::optional<fold::CallTree> tree_;
  std::vector<fold::FunctionRow> rows_;
};

}  // namespace

TEST_CASE("functions that run operators carry their names, and counted names tell the overload", "[symbols]") {
  const OperatorNames names(counted({"aten::add", "aten::add_", "aten::sum", "aten::__and__", "aten::max_pool2d",
                                     "aten::max_pool2d_with_indices", "torch::autograd::AccumulateGrad"}));
  CHECK(names.of("at::_ops::add__Tensor::call") == "aten::add_");
  CHECK(names.of("at::_ops::add_Tensor::call") == "aten::add");
  CHECK(names.of("at::_ops::add_::call") == "aten::add_");
  CHECK(names.of("at::_ops::sum_dim_IntList::call") == "aten::sum");
  CHECK(names.of("at::_ops::__and___Scalar::call") == "aten::__and__");
  CHECK(names.of("at::_ops::max_pool2d_with_indices_out::call") == "aten::max_pool2d_with_indices");
  CHECK(names.of("at::_ops::max_pool2d::call") == "aten::max_pool2d");
  CHECK(names.of("at::_ops::mul_Tensor::call") == "aten::mul_Tensor");  // not counted
  CHECK(names.of("torch::autograd::generated::AddmmBackward0::apply") == "AddmmBackward0");
  CHECK(names.of("torch::autograd::AccumulateGrad::apply") == "torch::autograd::AccumulateGrad");
  for (const char* other :
       {"at::_ops::add__Tensor::redispatch", "at::_ops::add__Tensor", "at::_ops::::call", "at::native::add::call",
        "torch::autograd::PyNode::apply", "torch::autograd::generated::X::Y::apply", "", "call", "at::_ops::::"}) {
    INFO(other);
    CHECK(names.of(other).empty());
  }
}

// Catches operators that take the time of what they call for their own, or are there where native names are wanted.
TEST_CASE("an operator stands in stacks where its function is, unless native frames are asked for", "[symbols]") {
  LibraryRun run(true);
  using enum fold::Frames;
  const fold::FunctionRow* op = run.row("aten::add_", Language::Operator, Mixed);
  REQUIRE(op != nullptr);
  CHECK(op->self.cpu.ns == 1000);
  CHECK(op->cumulative.cpu.ns == 6000);
  CHECK(run.symbols.function(op->function).module_name() == "libops.so");
  CHECK(run.row("at::_ops::add__Tensor::call", Language::Native, Mixed) == nullptr);
  CHECK(run.row("at::native::add_", Language::Native, Mixed) != nullptr);
  CHECK(run.row("aten::add_", Language::Operator, Native) == nullptr);
  const fold::FunctionRow* native = run.row("at::_ops::add__Tensor::call", Language::Native, Native);
  REQUIRE(native != nullptr);
  CHECK(native->cumulative.cpu.ns == 6000);
  CHECK(LibraryRun(false).row("aten::add__Tensor", Language::Operator, Mixed) != nullptr);
}

TEST_CASE("the library and the lines of an operator's function keep their time", "[symbols]") {
  const LibraryRun run(true);
  const fold::CallTree tree = fold::build_call_tree(run.run, run.symbols);
  const auto libraries = fold::modules(tree);
  const auto library = std::find_if(libraries.begin(), libraries.end(),
                                    [](const auto& row) { return row.module.ends_with("libops.so"); });
  REQUIRE(library != libraries.end());
  CHECK(library->self.cpu.ns == 6000);
  const fold::Lines lines = fold::lines(run.run, run.symbols, {});
  CHECK(lines.any(Language::Native));
  CHECK_FALSE(lines.any(Language::Operator));
}
