// Operators below the Python lines that called them, and their floating point operations: rows, table, CSV and JSON.
#include <algorithm>

#include "report/fold/training/operators.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/json_ops.hpp"
#include "report/model/load.hpp"
#include "report/show/table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/sheets.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/support/loaded_run.hpp"

using namespace prof;
using fold::OperatorGroup;
using fold::OperatorRow;

namespace {

//   train > step > forward > linear                aten::linear 60 us > aten::mm 20
//   ProfilerStep#* (called by train) 100
//     train > step > other                         aten::mm 30
//     train > step                                 evaluate 50
//       train > step > forward > linear                 MmBackward 40 (1 of 2 calls linked elsewhere)
//                                                    > aten::mm 15
class StackRun : public test::LoadedRun {
 public:
  StackRun() {
    test::LogBuilder log;
    log.header.log_id = 1;
    log.thread(0).flags = log::kThreadMain;
    const std::uint32_t train = log.code("train", "", "/x/train.py", 10),
                        step = log.code("step", "", "/x/train.py", 20),
                        forward = log.code("forward", "", "/x/net.py", 5),
                        linear = log.code("linear", "", "/x/functional.py", 7);
    const std::uint32_t other = log.code("other", "", "/x/net.py", 50);
    const auto below = [&](std::uint32_t parent, std::initializer_list<std::uint32_t> codes) {
      for (const std::uint32_t id : codes) parent = log.node(parent, log.python_line(id, id * 10));
      return parent;
    };
    const auto op = [&](std::uint32_t parent, const char* name, const char* group, std::uint64_t us,
                        std::uint64_t nested_us, std::uint64_t flops = 0, std::uint64_t unlinked = 0) {
      const std::uint32_t node = log.node(parent, log.named(log::NameKind::Operator, name, group));
      const std::uint64_t ns = us * 1000;
      log.record(log::RecordClass::Operator, node,
                 log::OperatorWords{unlinked + 1, ns, nested_us * 1000, ns, ns, 0, 0, flops, unlinked});
      return node;
    };
    const std::uint32_t root = log.node(0, log.special(log::SpecialFrame::Operators));
    op(op(below(root, {train, step, forward, linear}), "aten::linear", "forward", 60, 20), "aten::mm", "forward", 20, 0,
       1000);
    const std::uint32_t scope = op(below(root, {train}), "ProfilerStep#*", "scope", 100, 80);
    op(below(scope, {train, step, other}), "aten::mm", "forward", 30, 0, 3000);
    const std::uint32_t evaluate = op(below(scope, {train, step}), "evaluate", "forward", 50, 40);
    const std::uint32_t backward =
        op(below(evaluate, {train, step, forward, linear}), "MmBackward", "backward", 40, 15, 0, 1);
    op(backward, "aten::mm", "forward", 15, 0, 500);
    // Frames have no figures, whatever stands there.
    log.record(log::RecordClass::Operator, below(root, {train}), log::OperatorWords{5, 5, 5, 5, 5, 5, 5, 5, 5});
    load(log);
  }

  fold::Operators ops(fold::OperatorGrouping grouping) const {
    return fold::operators(run, selection, grouping, &symbols);
  }
  std::vector<std::string> functions(const OperatorRow& row) const {
    std::vector<std::string> names;
    for (const std::uint32_t id : row.stack) names.push_back(symbols.function(symbols.location(id).function).name);
    return names;
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("operators by name do not know of the frames between them") {
  const StackRun run;
  const fold::Operators ops = run.ops(OperatorGroup::Name);
  REQUIRE(ops.rows.size() == 5);
  CHECK(ops.stacks);
  CHECK(ops.flops);
  const auto& mm =
      *std::find_if(ops.rows.begin(), ops.rows.end(), [](const OperatorRow& row) { return row.name == "aten::mm"; });
  CHECK(mm.calls == 3);
  CHECK(mm.flops == 4500);
  CHECK(mm.self_ns == 65'000);
  CHECK(mm.stack.empty());
  CHECK(ops.backward == 2);
  CHECK(ops.unlinked == 1);
}

TEST_CASE("operators by stack: the frames of the call, of backward functions those of their makers") {
  const StackRun run;
  const fold::Operators ops = run.ops(OperatorGroup::Stack);
  REQUIRE(ops.rows.size() == 6);
  const auto has = [&](const char* name, const Names& stack, std::int64_t calls, std::int64_t ns, std::int64_t flops) {
    return std::count_if(ops.rows.begin(), ops.rows.end(), [&](const OperatorRow& row) {
             return row.name == name && run.functions(row) == stack && row.calls == calls && row.total_ns == ns &&
                    row.flops == flops;
           }) == 1;
  };
  const Names linear{"linear", "forward", "step", "train"};
  CHECK(has("aten::linear", linear, 1, 60'000, 0));
  CHECK(has("aten::mm", linear, 2, 35'000, 1500));  // forward and backward
  CHECK(has("aten::mm", {"other", "step", "train"}, 1, 30'000, 3000));
  CHECK(has("MmBackward", linear, 2, 40'000, 0));
  CHECK(has("evaluate", {"step", "train"}, 1, 50'000, 0));
  CHECK(has("ProfilerStep#*", {"train"}, 1, 100'000, 0));
  // The innermost two tell no more apart.
  const fold::Operators two = run.ops({OperatorGroup::Stack, 1});
  CHECK(two.rows.size() == 6);
  CHECK(run.functions(two.rows.front()).size() == 1);
}

TEST_CASE("ops view by stack: the source location, a line below the other, and what is not known of it") {
  const StackRun run;
  const show::Sheet sheet = test::sheet_of("ops", run.subject(), {.group_by = OperatorGroup::Stack});
  const std::string text = show::table(sheet, show::Terminal{});
  CHECK(text.find("Source Location") != std::string::npos);
  CHECK(text.find("linear (functional.py:40)") != std::string::npos);
  CHECK(text.find("forward (net.py:30)") != std::string::npos);
  CHECK(text.find("Total FLOPs") != std::string::npos);
  CHECK(text.find("Of 1 of 2 calls of backward functions") != std::string::npos);
  const std::string csv =
      formats::csv(test::sheet_of("ops", run.subject(), {.everything = true, .group_by = {OperatorGroup::Stack, 2}}));
  CHECK(csv.find("other (/x/net.py:50) <- step (/x/train.py:20),,3000") != std::string::npos);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 7);
  const show::Sheet most =
      test::sheet_of("ops", run.subject(), {.sort = show::SortKey::Flops, .group_by = OperatorGroup::Stack});
  CHECK(std::get<std::string>(most.rows.front().cells.front()) == "aten::mm");
}

TEST_CASE("json: operators by stack") {
  const StackRun run;
  const auto ops = formats::ops_json(run.subject());
  REQUIRE(ops.size() == 5);
  CHECK(std::count_if(ops.begin(), ops.end(), [](const auto& row) { return row["flops"] == 4500; }) == 1);
  const auto by_stack = formats::ops_by_stack_json(run.subject());
  CHECK(by_stack["backward_calls"] == 2);
  CHECK(by_stack["unlinked_calls"] == 1);
  REQUIRE(by_stack["rows"].size() == 6);
  const auto& row = *std::find_if(by_stack["rows"].begin(), by_stack["rows"].end(),
                                  [](const auto& r) { return r["name"] == "MmBackward"; });
  CHECK(row["kind"] == "backward");
  CHECK(row["calls"] == 2);
  CHECK(row["stack"][1]["function"] == "forward");
  CHECK(row["stack"][1]["file"] == "/x/net.py");
  CHECK(row["stack"][1]["line"] == 30);
}

// Module.__call__ calls forward(): what is between is no module.
TEST_CASE("operators by module: the modules whose forward() called them, backward functions with their makers") {
  test::TempDir temp;
  test::LogBuilder log;
  log.thread(0).flags = log::kThreadMain;
  const auto code = [&](const char* name, const char* file) { return log.code(name, name, file, 1); };
  const std::uint32_t train = code("train", "/x/train.py"),
                      call = code("Module._call_impl", "/t/torch/nn/modules/module.py"),
                      net = code("Net.forward", "/x/net.py"), helper = code("Net.helper", "/x/net.py"),
                      linear = code("Linear.forward", "/t/torch/nn/modules/linear.py");
  const auto below = [&](std::uint32_t parent, std::initializer_list<std::uint32_t> codes) {
    for (const std::uint32_t id : codes) parent = log.node(parent, log.python_line(id, id));
    return parent;
  };
  const auto op = [&](std::uint32_t parent, const char* name, const char* group) {
    const std::uint32_t node = log.node(parent, log.named(log::NameKind::Operator, name, group));
    log.record(log::RecordClass::Operator, node, log::OperatorWords{1, 10, 0, 10, 10, 0, 0, 0, 0});
    return node;
  };
  const std::uint32_t root = log.node(0, log.special(log::SpecialFrame::Operators));
  op(below(root, {train, call, net, helper, call, linear}), "aten::linear", "forward");
  op(below(root, {train, call, net}), "aten::relu", "forward");
  op(below(root, {train}), "aten::sum", "forward");
  const std::uint32_t evaluate = op(below(root, {train}), "evaluate", "forward");
  op(below(evaluate, {train, call, net, helper, call, linear}), "AddmmBackward0", "backward");
  log.write(temp / "100.1.proflog");
  const model::Run run = model::load(temp.path());
  const symbols::Symbols symbols = symbols::symbolize(run);
  const fold::Operators ops = fold::operators(run, {}, OperatorGroup::Module, &symbols);
  const auto module_of = [&](const char* name) {
    const auto row =
        std::find_if(ops.rows.begin(), ops.rows.end(), [&](const OperatorRow& r) { return r.name == name; });
    REQUIRE(row != ops.rows.end());
    return row->module;
  };
  CHECK(module_of("aten::linear") == "Net > Linear");
  CHECK(module_of("AddmmBackward0") == "Net > Linear");
  CHECK(module_of("aten::relu") == "Net");
  CHECK(module_of("aten::sum").empty());
  CHECK(module_of("evaluate").empty());
  const fold::Selection all;
  const std::string text =
      show::table(test::sheet_of("ops", {run, symbols, all}, {.group_by = OperatorGroup::Module}), show::Terminal{});
  CHECK(text.find("Net > Linear") != std::string::npos);
}
