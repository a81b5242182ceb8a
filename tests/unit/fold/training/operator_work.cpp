// What devices and libraries did for operators: from a log to rows, tables and JSON. Times in us.
//
//   train (scope) > aten::conv2d (2 calls) > aten::cudnn_convolution (2)  kernel gemm 30 on GPU 0 and 5 on GPU 1, copy
//   4
//                                                                         cudnnConvolutionForward: 700 operations
//                                          > aten::conv2d (1)             kernel gemm 11
//                                            kernel add 8
//   aten::mm (1 call, thread 1)            kernel gemm 2; cublasGemmEx: 40 operations
//   aten::open, which has not ended        kernel gemm 6
#include <algorithm>

#include "report/fold/training/operators.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/json_ops.hpp"
#include "report/show/table.hpp"
#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/sheets.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/support/loaded_run.hpp"

using namespace prof;
using fold::OperatorGroup;
using fold::OperatorRow;

namespace {

constexpr std::uint64_t kUs = 1000;

struct WorkRun : test::LoadedRun {
  WorkRun() {
    using R = log::RecordClass;
    using N = log::NameKind;
    test::LogBuilder log;
    log.thread(0).flags = log::kThreadMain;
    log.thread(1);
    log.thread(2).flags = log::kThreadAgent;
    const auto op = [&](std::uint32_t parent, const char* name, const char* group, std::uint64_t calls,
                        std::uint32_t slot = 0) {
      const std::uint32_t node = log.node(parent, log.named(N::Operator, name, group));
      log::OperatorWords words{};
      words.calls = calls;
      words.total_ns = 100 * kUs;
      words.min_ns = words.max_ns = kUs;
      if (calls > 0) log.record(R::Operator, node, words, slot);
      return node;
    };
    const auto gemm = log.name(N::Kernel, "gemm");
    const auto work = [&](std::uint32_t node, std::uint32_t frame, std::uint64_t us) {
      log.record(R::Device, log.node(node, frame), log::DeviceWords{1, us * kUs, us * kUs, us * kUs, 0, 0}, 2);
    };
    const auto call = [&](std::uint32_t node, const char* name, const char* library, std::uint64_t flops,
                          std::uint32_t slot) {
      log.record(R::Api, log.node(node, log.named(N::Api, name, library)),
                 log::ApiWords{1, 0, kUs, kUs, kUs, 0, flops, 0}, slot);
    };
    const std::uint32_t root = log.node(0, log.special(log::SpecialFrame::Operators));
    const std::uint32_t train = op(root, "train", "scope", 1);
    const std::uint32_t conv = op(train, "aten::conv2d", "forward", 2);
    const std::uint32_t cudnn = op(conv, "aten::cudnn_convolution", "forward", 2);
    const std::uint32_t inner = op(conv, "aten::conv2d", "forward", 1);
    const std::uint32_t mm = op(root, "aten::mm", "forward", 1, 1);
    work(cudnn, log.named(gemm, 0), 30);
    work(cudnn, log.named(gemm, 1), 5);
    work(cudnn, log.named(N::Copy, "HtoD", "pinned"), 4);
    work(inner, log.named(gemm, 0), 11);
    work(conv, log.named(N::Kernel, "add"), 8);
    work(mm, log.named(gemm, 0), 2);
    work(op(root, "aten::open", "forward", 0), log.named(gemm, 0), 6);
    call(cudnn, "cudnnConvolutionForward", "cuDNN", 700, 0);
    call(mm, "cublasGemmEx", "cuBLAS", 40, 1);
    log.info(log::InfoKey::Cuda, "state=active");
    load(log);
  }
  fold::Operators ops(OperatorGroup group = OperatorGroup::Name) const {
    return fold::operators(run, selection, group);
  }

  test::TempDir temp;
};

const OperatorRow& row_of(const fold::Operators& ops, const std::string& name) {
  const auto found =
      std::find_if(ops.rows.begin(), ops.rows.end(), [&](const OperatorRow& row) { return row.name == name; });
  REQUIRE(found != ops.rows.end());
  return *found;
}

}  // namespace

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

TEST_CASE("ops view: CUDA columns stand where torch.profiler has them, and order by its keys") {
  const WorkRun run;
  const show::Sheet sheet = test::sheet_of("ops", run.subject(), {});
  std::vector<std::string> titles;
  for (const show::Column& column : sheet.columns) {
    if (column.where != show::Where::DataOnly) titles.push_back(column.title);
  }
  CHECK(titles == std::vector<std::string>{"Name", "Self CPU", "Self CPU", "CPU total", "CPU total", "CPU time avg",
                                           "Self CUDA", "Self CUDA", "CUDA total", "CUDA time avg", "# of Calls",
                                           "Library FLOPs"});
  const auto first = [&](show::SortKey key) {
    return std::get<std::string>(test::sheet_of("ops", run.subject(), {.sort = key}).rows.front().cells.front());
  };
  CHECK(first(show::SortKey::SelfGpu) == "aten::cudnn_convolution");
  CHECK(row_of(run.ops(), first(show::SortKey::Gpu)).gpu_ns == 58 * 1000);
  CHECK(first(show::SortKey::GpuAverage) == "train");
  CHECK(std::find(sheet.notes.begin(), sheet.notes.end(), "Self CUDA time total: 66.0 us") != sheet.notes.end());
  const auto ops = formats::ops_json(run.subject());
  const auto conv = std::find_if(ops.begin(), ops.end(), [](const auto& op) { return op["name"] == "aten::conv2d"; });
  REQUIRE(conv != ops.end());
  CHECK((*conv)["self_gpu_s"] == Approx(19e-6));
  CHECK((*conv)["gpu_s"] == Approx(58e-6));
  CHECK((*conv)["library_flops"] == 700);
  CHECK((*conv)["self_library_flops"] == 0);
}
