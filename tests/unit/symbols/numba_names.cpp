// Names that numba gives to what it compiles.
#include "report/symbols/numba_names.hpp"

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::symbols;
using NumbaParts = std::vector<std::string>;

TEST_CASE("names of functions that numba compiled say which Python function it was") {
  const auto fib = numba_name("_ZN8__main__3fibB2v1B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEx");
  REQUIRE(fib);
  CHECK(fib->parts == NumbaParts{"__main__", "fib"});
  CHECK(fib->entry == NumbaName::Entry::Itself);
  const auto inner = numba_name("_ZN4work5outer12_3clocals_3e9inner_sumB3v12B4c8tJE5ArrayIdLi1E1C7mutable7alignedE");
  REQUIRE(inner);
  CHECK(inner->parts == NumbaParts{"work", "outer", "<locals>", "inner_sum"});
  const auto wrapper = numba_name("_ZN7cpython8__main__3fibB2v1B4c8tJEx");
  REQUIRE(wrapper);
  CHECK(wrapper->parts == NumbaParts{"__main__", "fib"});
  CHECK(wrapper->entry == NumbaName::Entry::FromPython);
  const auto entry = numba_name("cfunc._ZN8__main__3fibB2v1B4c8tJEx");
  REQUIRE(entry);
  CHECK(entry->entry == NumbaName::Entry::FromC);
  const auto loop = numba_name("__ufunc__._ZN8__main__5weighB2v1B4c8tJEd");
  REQUIRE(loop);
  CHECK(loop->parts == NumbaParts{"__main__", "weigh"});
  CHECK(loop->entry == NumbaName::Entry::FromNumPy);
  // A package of that name has its functions deeper.
  CHECK(numba_name("_ZN7cpython3fibB2v1Ex")->parts == NumbaParts{"cpython", "fib"});
}

TEST_CASE("names that are no function's of numba are left alone") {
  for (const char* symbol :
       {"", "_ZN", "_ZN3foo3barEv", "_ZN3fooB5cxx113barEv", "_ZN8__main__3fibB", "_ZN8__main__3fibB99v1E", "fib",
        "_ZN99999999999999999999999fibB2v1E", "_ZNB2v1E", "cfunc.", "_ZN3fooB2vxE"}) {
    INFO(symbol);
    CHECK_FALSE(numba_name(symbol));
  }
}

// Catches lines of a source that changed, or that has several functions of the name.
TEST_CASE("functions that numba compiled stand where their source has them") {
  prof::test::TempDir folder;
  std::filesystem::create_directories(folder / "pkg");
  std::ofstream(folder / "pkg/kernels.py") << "import numba\n\n\n@numba.njit\ndef once(x):\n    return x\n\n\n"
                                              "def twice(x):\n    return x\n\n\ndef twice(x):\n    return x\n";
  std::ofstream(folder / "main.py") << "def outer():\n    @numba.njit(\n    )\n    def inner(x):\n        return x\n";
  prof::model::Run run;
  run.start_realtime_ns = UINT64_MAX / 2;
  run.processes.emplace_back();
  prof::model::Process& process = run.processes[0];
  process.argv = {"python3", "-u", "main.py", "main"};
  process.codes.resize(2);
  process.codes[0].file = folder / "pkg/kernels.py";
  process.codes[1].file = folder / "main.py";
  NumbaNames names(run);
  const auto function = [&](const std::string& symbol, const std::string& file = "", std::uint32_t line = 0) {
    const auto found = names.function(process, symbol, file, line);
    REQUIRE(found);
    return *found;
  };
  const NumbaFunction once = function("_ZN3pkg7kernels4onceB2v1B4c8tJEx");
  CHECK(once.name == "once");
  CHECK(once.file == process.codes[0].file);
  CHECK(once.line == 4);
  CHECK(function("_ZN3pkg7kernels5twiceB2v1B4c8tJEx").line == 0);
  CHECK(function("_ZN3pkg7kernels5twiceB2v1B4c8tJEx", "kernels.py", 9).line == 9);
  CHECK(function("_ZN3pkg7kernels5twiceB2v1B4c8tJEx", "kernels.py", 9).file == process.codes[0].file);
  const NumbaFunction inner = function("_ZN7cpython8__main__5outer12_3clocals_3e5innerB2v3B4c8tJEx");
  CHECK(inner.name == "outer.<locals>.inner (called from Python)");
  CHECK(inner.file == process.codes[1].file);
  CHECK(inner.line == 2);
  const NumbaFunction elsewhere = function("_ZN5other4workB2v1Ex");
  CHECK(elsewhere.name == "other.work");
  CHECK(elsewhere.file.empty());
  CHECK_FALSE(names.function(process, "_ZN5other4workEv", "", 0));
  run.start_realtime_ns = 1;
  CHECK(NumbaNames(run).function(process, "_ZN3pkg7kernels4onceB2v1B4c8tJEx", "", 0)->line == 0);
}

// Catches a loop that other threads run, above which its function never stands, without a name.
TEST_CASE("parallel loops that numba compiled belong to the function that starts them") {
  prof::model::Run run;
  prof::model::Process& process = run.processes.emplace_back();
  process.argv = {"python3", "main.py"};
  const char* const names[] = {"_ZN8__main__5normsB2v1B4c8tJEx", "_ZN7cpython8__main__5normsB2v1B4c8tJEx",
                               "__gufunc__._ZN13_3cdynamic_3e36__numba_parfor_gufunc_0x7f3b99dec810B2v2B4c8tJEx"};
  process.tree.frames.resize(1);
  for (std::uint32_t i = 0; i < 3; ++i) {
    process.names.push_back({prof::log::NameKind::MadeCode, names[i], i == 0 ? "/src/main.py" : ""});
    prof::model::Frame& frame = process.tree.frames.emplace_back();
    frame.kind = prof::model::Frame::Kind::Anonymous;
    frame.name = i;
    frame.number = i == 0 ? 12 : 0;
  }
  const auto node = [&](std::uint32_t parent, std::uint32_t frame) {
    process.tree.nodes.push_back({parent, frame});
    return static_cast<std::uint32_t>(process.tree.nodes.size() - 1);
  };
  node(0, 0);  // the root
  const std::uint32_t entry = node(0, 2);
  node(0, 3);  // on a thread that helps
  const bool starts = GENERATE(true, false);
  if (starts) node(node(entry, 1), 3);
  NumbaNames numba(run);
  numba.begin(process);
  const auto loop = numba.function(process, names[2], "", 0);
  REQUIRE(loop);
  CHECK(loop->name ==
        (starts ? "norms (parallel loop)" : "<dynamic>.__numba_parfor_gufunc_0x7f3b99dec810 (called from NumPy)"));
  CHECK(loop->file == (starts ? "/src/main.py" : ""));
  CHECK(loop->line == (starts ? 12U : 0U));
  numba.begin(run.processes.emplace_back());  // of another process nothing is known
  CHECK(numba.function(run.processes.back(), names[2], "", 0)->name != "norms (parallel loop)");
}
