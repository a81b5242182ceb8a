#include <algorithm>

#include "report/fold/gpu/flops.hpp"
#include "report/fold/gpu/gpu.hpp"
#include "report/fold/line_tree.hpp"
#include "report/fold/memory/heap.hpp"
#include "report/fold/time/functions.hpp"
#include "report/fold/time/lines.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/folded.hpp"
#include "tests/unit/support/gpu_run.hpp"

using namespace prof;
using test::GpuRun;

namespace {

fold::CallTree tree_of(const GpuRun& gpu) { return fold::line_tree(gpu.run, gpu.symbols, gpu.selection); }

const std::string& name_of(const GpuRun& gpu, std::uint32_t function) { return gpu.symbols.function(function).name; }

template <typename Rows>
const typename Rows::value_type& row_named(const GpuRun& gpu, const Rows& rows, const std::string& name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return name_of(gpu, row.function) == name; });
  REQUIRE(found != rows.end());
  return *found;
}

std::uint32_t line_of(const GpuRun& gpu, std::uint32_t location) { return gpu.symbols.location(location).line; }

}  // namespace

TEST_CASE("ranges: one without a name is none", "[fold]") {
  test::Program p;
  const auto nameless = p.log.node(0, p.log.named(log::NameKind::Range, "", "tbb"));
  const auto step = p.log.node(nameless, p.log.named(log::NameKind::Range, "step"));
  p.log.record(log::RecordClass::Range, nameless, log::RangeWords{2, 30, 10, 20});
  p.log.record(log::RecordClass::Range, step, log::RangeWords{1, 10, 10, 10});
  p.log.cpu(p.log.node(step, p.log.native(1, 1)), 1, 10);
  const test::Folded folded({&p});
  CHECK(folded.stacks() == test::Stacks{{"step;f1", 10}});
  const auto rows = fold::ranges(folded.run, folded.tree, {});
  REQUIRE(rows.size() == 1);
  CHECK(folded.name(rows[0].function) == "step");
}

TEST_CASE("api: calls by function over contexts and processes", "[fold]") {
  const GpuRun gpu;
  const auto rows = fold::api_calls(gpu.run, tree_of(gpu), gpu.selection);
  CHECK(rows.size() == 5);
  CHECK(name_of(gpu, rows[0].function) == "cudaEventRecord");
  const fold::ApiRow& launch = row_named(gpu, rows, "cudaLaunchKernel");
  CHECK(launch.calls.calls == 5);
  CHECK(launch.calls.failed == 1);
  CHECK(launch.calls.last_error == 700);
  CHECK(launch.calls.ns == 49'000);
  CHECK(launch.calls.each.min_ns == 5'000);
  CHECK(launch.calls.each.max_ns == 20'000);
  REQUIRE(launch.median_ns);
  CHECK(*launch.median_ns == Approx(8'000).epsilon(0.15));
  CHECK(gpu.symbols.function(launch.function).module == "CUDA runtime");
  CHECK(gpu.symbols.function(launch.function).language == symbols::Language::Api);
}

TEST_CASE("kernels: by device, with the line that launched them", "[fold]") {
  const GpuRun gpu;
  const auto rows = fold::device_work(gpu.run, tree_of(gpu), gpu.selection, fold::WorkKind::Kernels);
  REQUIRE(rows.size() == 4);
  CHECK(name_of(gpu, rows[0].function) == "ampere_h16816gemm");
  const fold::WorkRow& add = rows[1];
  CHECK(name_of(gpu, add.function) == "add(float, float*)");
  CHECK(add.device == 0);
  CHECK(add.work.count == 4);
  CHECK(add.work.ns == 1'200'000);
  CHECK(add.work.each.max_ns == 900'000);
  CHECK(*add.median_ns == Approx(100'000).epsilon(0.15));
  REQUIRE(add.launched_by.size() == 1);
  CHECK(line_of(gpu, add.launched_by[0].location) == 10);
  CHECK(rows[2].device == 1);
  CHECK(rows[2].work.ns == 50'000);
  CHECK_FALSE(rows[2].median_ns);
  CHECK(name_of(gpu, rows[3].function) == "mystery");
  CHECK(rows[3].launched_by[0].location == fold::kNobody);

  const auto copies = fold::device_work(gpu.run, tree_of(gpu), gpu.selection, fold::WorkKind::Copies);
  REQUIRE(copies.size() == 1);
  CHECK(name_of(gpu, copies[0].function) == "memcpy HtoD (pinned)");
  CHECK(copies[0].work.untimed == 1);
  CHECK(copies[0].work.timed() == 4);
  CHECK(copies[0].work.bytes == 5000);
}

TEST_CASE("what devices did follows the selection of stacks and processes", "[fold]") {
  GpuRun gpu;
  gpu.selection.pids = {401};
  auto rows = fold::device_work(gpu.run, tree_of(gpu), gpu.selection, fold::WorkKind::Kernels);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].work.ns == 900'000);
  gpu.selection.pids.clear();
  gpu.selection.focus = fold::Pattern("cublas");
  rows = fold::device_work(gpu.run, tree_of(gpu), gpu.selection, fold::WorkKind::Kernels);
  REQUIRE(rows.size() == 1);
  CHECK(name_of(gpu, rows[0].function) == "ampere_h16816gemm");
  CHECK(fold::api_calls(gpu.run, tree_of(gpu), gpu.selection).size() == 1);
  gpu.selection.focus = fold::Pattern("step");  // a range is as good as a function
  CHECK(fold::device_work(gpu.run, tree_of(gpu), gpu.selection, fold::WorkKind::Kernels).size() == 3);
  gpu.selection.focus.reset();
  gpu.selection.threads = {"1000"};
  CHECK(fold::device_work(gpu.run, tree_of(gpu), gpu.selection, fold::WorkKind::Kernels).empty());
  CHECK_FALSE(tree_of(gpu).device_known());
  CHECK(fold::api_calls(gpu.run, tree_of(gpu), gpu.selection).size() == 5);
}

TEST_CASE("devices: one for each id, whatever process used it", "[fold]") {
  const GpuRun gpu;
  const auto rows = fold::devices(gpu.run, gpu.selection);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].processes == 2);
  CHECK(rows[0].span_ns == 20'000'000);  // from 100 to 120 ms
  CHECK(rows[0].busy_ns == 4'900'000);
  CHECK(rows[0].kernels.count == 7);
  CHECK(rows[0].copies.bytes == 5000);
  CHECK(rows[0].device.segments_peak == 3 << 20);
  CHECK(rows[0].used_peak_bytes == std::uint64_t{10} << 20);
  CHECK(rows[0].others_peak_bytes == std::int64_t{7} << 20);
  CHECK(rows[1].span_ns == 0);
  CHECK(rows[1].kernels.ns == 50'000);
  const auto streams = fold::streams(gpu.run, gpu.selection);
  REQUIRE(streams.size() == 1);
  CHECK(streams[0].name == "7");
  CHECK(streams[0].kernels.ns == 300'000);
  CHECK(streams[0].copies.bytes == 5000);
}

TEST_CASE("ranges: exact times, and what happened in them", "[fold]") {
  const GpuRun gpu;
  const auto rows = fold::ranges(gpu.run, tree_of(gpu), gpu.selection);
  REQUIRE(rows.size() == 2);
  CHECK(name_of(gpu, rows[0].function) == "epoch");
  CHECK(rows[0].open);
  CHECK(gpu.symbols.function(rows[0].function).module == "loop");
  const fold::RangeRow& step = rows[1];
  CHECK(step.range.count == 2);
  CHECK(step.range.each.max_ns == 20'000'000);
  CHECK(step.inside.cpu.ns == 20'000'000);
  CHECK(step.inside.gpu.get().work.ns == 300'000 + 50'000 + 2'000'000);
  CHECK(step.inside.gpu.get().api.flops == 4'000'000'000);
}

TEST_CASE("ranges disturb no functions and no lines", "[fold]") {
  const GpuRun gpu;
  const fold::CallTree tree = fold::build_call_tree(gpu.run, gpu.symbols);
  const auto rows = fold::functions(tree);
  for (const fold::FunctionRow& row : rows) CHECK(name_of(gpu, row.function) != "step");
  CHECK(row_named(gpu, rows, "train").self.cpu.ns == 20'000'000);
  CHECK(row_named(gpu, rows, "train").cumulative.gpu.get().work.ns == tree.total().gpu.get().work.ns - 7'000);
  CHECK(row_named(gpu, rows, "add(float, float*)").self.gpu.get().work.ns == 1'250'000);
  model::Metrics sum;
  for (const fold::FunctionRow& row : rows) sum += row.self;
  CHECK(sum == tree.total());
  for (const fold::ModuleRow& row : fold::modules(tree)) {
    CHECK(row.module != "range");
    CHECK(row.module != "CUDA runtime");
  }
}

TEST_CASE("lines: GPU time is that of the line that launched it", "[fold]") {
  const GpuRun gpu;
  const fold::Lines lines = fold::lines(gpu.run, gpu.symbols, gpu.selection);
  CHECK(lines.device_known);
  const auto at = [&](std::uint32_t number) {
    const auto found = std::find_if(lines.rows.begin(), lines.rows.end(),
                                    [&](const fold::SourceLine& row) { return row.line == number; });
    REQUIRE(found != lines.rows.end());
    return *found;
  };
  CHECK(at(10).gpu_ns == 300'000 + 50'000 + 900'000);
  CHECK(at(10).gpu_idle_ns == 500'000);
  CHECK(at(20).gpu_ns == 2'000'000);
  CHECK(at(30).cum_gpu_ns == 80'000);
}

TEST_CASE("with Python frames alone, GPU time is that of Python functions", "[fold]") {
  GpuRun gpu;
  gpu.selection.fold.frames = fold::Frames::Python;
  const fold::CallTree tree = fold::build_call_tree(gpu.run, gpu.symbols, gpu.selection);
  const auto rows = fold::functions(tree);
  CHECK(row_named(gpu, rows, "train").self.gpu.get().work.ns == tree.total().gpu.get().work.ns - 7'000);
}

TEST_CASE("flops: of the calls, by the time below them and what the device could do", "[fold]") {
  const GpuRun gpu;
  const auto rows = fold::flops(gpu.run, tree_of(gpu), gpu.selection);
  REQUIRE(rows.size() == 1);
  CHECK(line_of(gpu, rows[0].location) == 20);
  CHECK(rows[0].calls.flops == 4'000'000'000);
  CHECK(rows[0].work.ns == 2'000'000);
  CHECK(*rows[0].flops_per_s == Approx(2e12));
  CHECK(rows[0].precision == fold::Precision::Fp16);
  CHECK(*rows[0].peak_share == Approx(2e12 / (108 * 1.41e9 * 2048)));
}

TEST_CASE("peaks are those of the makers", "[fold]") {
  model::Device a100;
  a100.compute_major = 8;
  a100.multiprocessors = 108;
  a100.clock_khz = 1'410'000;
  CHECK(*fold::peak_flops(a100, fold::Precision::Fp16) == Approx(312e12).epsilon(0.01));
  CHECK(*fold::peak_flops(a100, fold::Precision::Tf32) == Approx(156e12).epsilon(0.01));
  CHECK(*fold::peak_flops(a100, fold::Precision::Fp32) == Approx(19.5e12).epsilon(0.01));
  CHECK(*fold::peak_flops(a100, fold::Precision::Fp64) == Approx(19.5e12).epsilon(0.01));
  CHECK_FALSE(fold::peak_flops(a100, fold::Precision::Fp8));
  model::Device h100 = a100;
  h100.compute_major = 9;
  h100.multiprocessors = 132;
  h100.clock_khz = 1'830'000;
  CHECK(*fold::peak_flops(h100, fold::Precision::Bf16) == Approx(989e12).epsilon(0.01));
  model::Device none;
  CHECK_FALSE(fold::peak_flops(none, fold::Precision::Fp32));

  CHECK(fold::precision_of_kernel("ampere_bf16_s16816gemm_bf16_128x128") == fold::Precision::Bf16);
  CHECK(fold::precision_of_kernel("cutlass_80_tensorop_s1688gemm_128x256") == fold::Precision::Tf32);
  CHECK(fold::precision_of_kernel("ampere_sgemm_128x64_nn") == fold::Precision::Fp32);
  CHECK(fold::precision_of_kernel("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n") == fold::Precision::Fp16);
  CHECK(fold::precision_of_kernel("cutlass_80_tensorop_d884gemm_64x64") == fold::Precision::Fp64);
  CHECK_FALSE(fold::precision_of_kernel("vectorized_elementwise_kernel"));
  CHECK(fold::precision_of_call("cublasDgemm_v2") == fold::Precision::Fp64);
  CHECK_FALSE(fold::precision_of_call("cublasLtMatmul"));
  CHECK(fold::precision_of_call("cufftExecC2R") == fold::Precision::Fp32);
  CHECK(fold::precision_of_call("cufftExecD2Z") == fold::Precision::Fp64);
  CHECK_FALSE(fold::precision_of_call("cufftXtExecDescriptor"));
  CHECK(fold::precision_of_call("cusolverDnZpotrf") == fold::Precision::Fp64);
  CHECK_FALSE(fold::precision_of_call("cusolverDnXgetrf"));
}

TEST_CASE("idle time is charged to the line that was waited for", "[fold]") {
  const GpuRun gpu;
  const auto rows = fold::idle_sites(tree_of(gpu));
  REQUIRE(rows.size() == 1);
  CHECK(line_of(gpu, rows[0].location) == 10);
  CHECK(rows[0].idle.gaps == 2);
  CHECK(rows[0].idle.waiting_ns == 300'000);
}

TEST_CASE("of a context's gaps those that fit into a step", "[fold]") {
  const model::IdleMetric all{.gaps = 11, .ns = 1'100, .max_ns = 1'000, .launching_ns = 550, .python_ns = 550};
  CHECK(fold::shorter_gaps(all, 1'000) == all);
  const model::IdleMetric shorter = fold::shorter_gaps(all, 999);
  CHECK(shorter.gaps == 10);
  CHECK(shorter.ns == 100);
  CHECK(shorter.max_ns == 100);
  CHECK(shorter.launching_ns == 50);
  CHECK(shorter.python_ns == 50);
  // The others are longer on average, too; there is one alone.
  CHECK(fold::shorter_gaps(all, 9).empty());
  CHECK(fold::shorter_gaps({.gaps = 1, .ns = 1'000, .max_ns = 1'000}, 999).empty());
}

// Catches "idled 5 s within steps" of one second: setting up has many short gaps, too.
TEST_CASE("idle time within steps is none of contexts that have few gaps", "[fold]") {
  const GpuRun gpu;
  const fold::CallTree tree = tree_of(gpu);
  const auto within = [&](std::int64_t all_ns, std::int64_t each) {
    return fold::sum_of(fold::idle_within(tree, {.longest_ns = 10'000'000, .all_ns = all_ns, .each = each})).gaps;
  };
  CHECK(within(INT64_MAX, 100) == 2);
  CHECK(within(0, 3) == 0);
  CHECK(within(0, 2) == 2);  // it is a part of each step
}

TEST_CASE("memory of devices: sites and levels", "[fold]") {
  const GpuRun gpu;
  const fold::CallTree tree = tree_of(gpu);
  const auto segments = fold::heap_sites(tree, fold::MemoryKind::Segments);
  REQUIRE(segments.size() == 1);
  CHECK(segments[0].memory->live_bytes() == 2 << 20);
  CHECK(segments[0].memory->peak_bytes == 3 << 20);
  CHECK(name_of(gpu, gpu.symbols.location(fold::stack_of(tree, segments[0].node).front()).function) == "cudaMalloc");
  const auto tensors = fold::heap_sites(tree, fold::MemoryKind::Tensors);
  REQUIRE(tensors.size() == 1);
  CHECK(line_of(gpu, fold::stack_of(tree, tensors[0].node).front()) == 50);
  CHECK(tensors[0].memory->live_bytes() == (3 << 20) / 2);
}
