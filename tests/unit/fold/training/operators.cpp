#include <algorithm>

#include "report/fold/training/operators.hpp"
#include "report/formats/json_ops.hpp"
#include "report/model/load.hpp"
#include "report/show/table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/sheets.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/support/operator_stack_run.hpp"
#include "tests/unit/support/operator_work_run.hpp"
#include "tests/unit/support/ops_run.hpp"

using namespace prof;
using fold::OperatorGroup;
using fold::OperatorRow;
using test::OpsRun;
using test::row_of;
using test::StackRun;
using test::WorkRun;
using Names = std::vector<std::string>;

namespace {

constexpr std::int64_t kUs = 1000;

fold::Operators ops_of(const OpsRun& ops, OperatorGroup group = OperatorGroup::Name) {
  return fold::operators(ops.run, ops.selection, group);
}

}  // namespace

TEST_CASE("operators by name: self adds up, and calls of itself are in the total once") {
  const OpsRun run;
  CHECK(run.run.warnings.empty());
  const fold::Operators ops = ops_of(run);
  CHECK(ops.rows.size() == 5);  // aten::open has not ended
  CHECK(ops.self_ns == 116 * kUs);
  const OperatorRow& linear = row_of(ops, "aten::linear");
  CHECK(linear.calls == 3);
  CHECK(linear.self_ns == 30 * kUs);
  CHECK(linear.total_ns == 60 * kUs);
  CHECK(linear.each_ns == 80 * kUs);
  CHECK(linear.each.min_ns == 10 * kUs);
  CHECK(linear.each.max_ns == 60 * kUs);
  CHECK(linear.kind == "forward");
  CHECK(linear.shapes.empty());
  CHECK(linear.self_host_bytes == 60);
  CHECK(linear.host_bytes == 70);  // 100 + 10 - 40
  const OperatorRow& addmm = row_of(ops, "aten::addmm");
  CHECK(addmm.calls == 4);
  CHECK(addmm.self_ns == 47 * kUs);
  CHECK(addmm.total_ns == 67 * kUs);
  CHECK(addmm.host_bytes == -30);
  CHECK(row_of(ops, "AddBackward").kind == "backward");
  CHECK(row_of(ops, "ProfilerStep#*").self_ns == 10 * kUs);
  CHECK(ops.rows.front().name == "aten::addmm");
  const OperatorRow& div = row_of(ops, "aten::div_");
  CHECK(div.calls == 3);
  CHECK(div.self_ns == 9 * kUs);
  CHECK(div.total_ns == 9 * kUs);
}

TEST_CASE("operators by shape and by thread") {
  const OpsRun run;
  const fold::Operators shapes = ops_of(run, OperatorGroup::Shape);
  CHECK(shapes.rows.size() == 6);
  CHECK(shapes.shapes);
  CHECK(row_of(shapes, "aten::addmm", "[[4]]").calls == 3);
  CHECK(row_of(shapes, "aten::addmm", "[[5]]").calls == 1);
  CHECK(row_of(shapes, "aten::linear").shapes == "[[8, 3], [4]]");
  const fold::Operators threads = ops_of(run, OperatorGroup::Thread);
  CHECK(threads.rows.size() == 6);
  const auto of_second = std::count_if(threads.rows.begin(), threads.rows.end(), [](const OperatorRow& row) {
    return row.thread == 1 && row.name == "aten::addmm" && row.calls == 1;
  });
  CHECK(of_second == 1);
}

TEST_CASE("operators: selected by thread, by what they are inside of, and without what is ignored") {
  OpsRun run;
  run.selection.threads = {"1001"};
  CHECK(ops_of(run).rows.size() == 2);
  CHECK(ops_of(run).self_ns == 16 * kUs);
  run.selection.threads.clear();
  run.selection.focus = fold::Pattern("Backward");
  CHECK(ops_of(run).rows.size() == 2);
  CHECK(row_of(ops_of(run), "aten::addmm").calls == 1);
  run.selection.ignore = fold::Pattern("addmm");
  CHECK(ops_of(run).rows.size() == 1);
  CHECK(ops_of(run).rows.front().total_ns == 30 * kUs);
  run.selection.focus.reset();
  CHECK(row_of(ops_of(run), "aten::linear").calls == 2);
}

// A log may say anything: records of operators on nodes that are none, and operators below what is none.
TEST_CASE("operators of a damaged log are left out and counted") {
  test::TempDir temp;
  test::LogBuilder log;
  log.thread(0);
  const std::uint32_t stray = log.node(0, log.named(log::NameKind::Operator, "aten::stray", "forward"));
  const std::uint32_t root = log.node(0, log.special(log::SpecialFrame::Operators));
  const std::uint32_t good = log.node(root, log.named(77));  // a name that the log does not have
  const log::OperatorWords words{1, UINT64_MAX, 5, 1, 1, UINT64_MAX, 0, 0, 0};
  for (const std::uint32_t node : {stray, root, good, 999U}) log.record(log::RecordClass::Operator, node, words);
  log.write(temp / "100.1.proflog");
  const model::Run run = model::load(temp.path());
  const fold::Operators ops = fold::operators(run, {}, OperatorGroup::Name);
  REQUIRE(ops.rows.size() == 1);
  CHECK(ops.rows.front().name == "(unnamed)");
  CHECK(ops.rows.front().total_ns == INT64_MAX);
  CHECK(ops.rows.front().self_host_bytes == -1);
  CHECK(run.processes.front().damage.bad_references >= 3);
}

// Catches work that is counted as an operator, counted twice in an operator within itself, or counted in stacks too.
TEST_CASE("time on devices of operators: self and total, each piece of work once") {
  const WorkRun run;
  CHECK(run.run.warnings.empty());
  CHECK(run.run.processes.front().damage.bad_references == 0);
  CHECK(run.run.processes.front().tree.device.empty());
  CHECK(run.run.processes.front().tree.api.empty());
  const fold::Operators ops = run.ops();
  REQUIRE(ops.gpu_known);
  CHECK(ops.rows.size() == 5);
  CHECK(ops.self_gpu_ns == 66 * 1000);
  const OperatorRow& conv = row_of(ops, "aten::conv2d");
  CHECK(conv.self_gpu_ns == 19 * 1000);
  CHECK(conv.gpu_ns == 58 * 1000);
  CHECK(conv.self_library_flops == 0);
  CHECK(conv.library_flops == 700);
  CHECK(row_of(ops, "aten::cudnn_convolution").self_gpu_ns == 39 * 1000);
  CHECK(row_of(ops, "aten::cudnn_convolution").self_library_flops == 700);
  CHECK(row_of(ops, "train").self_gpu_ns == 0);
  CHECK(row_of(ops, "train").gpu_ns == 58 * 1000);
  CHECK(row_of(ops, "aten::open").gpu_ns == 6 * 1000);
}

TEST_CASE("time on devices of operators is not known by thread, operations of libraries are") {
  WorkRun run;
  CHECK_FALSE(run.ops(OperatorGroup::Thread).gpu_known);
  CHECK(row_of(run.ops(OperatorGroup::Thread), "aten::mm").library_flops == 40);
  CHECK(row_of(run.ops(OperatorGroup::Thread), "aten::mm").gpu_ns == 0);
  run.selection.threads = {"1001"};
  const fold::Operators ops = run.ops();
  CHECK_FALSE(ops.gpu_known);
  CHECK(ops.rows.size() == 1);
  CHECK(row_of(ops, "aten::mm").library_flops == 40);
  CHECK(formats::ops_json(run.subject())[0]["gpu_s"].is_null());
  run.selection.threads.clear();
  run.selection.focus = fold::Pattern("cudnn");
  CHECK(run.ops().self_gpu_ns == 39 * 1000);
}

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
