// Each rule about devices, on a run that has the fault and on one that has not.
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::kUs;
using test::lines_of;
using Lines = std::vector<std::int64_t>;

namespace {

constexpr std::uint64_t kMi = 1 << 20, kGi = 1 << 30;

// Ten steps of 100 ms: times over the run are told of their second.
void ten_steps(FindingsRun& run) { run.steps(10, 100); }

std::uint32_t item(FindingsRun& run, std::uint32_t line) {
  return run.log.node(run.train(line), run.log.named(log::NameKind::Operator, "aten::_local_scalar_dense", "forward"));
}

}  // namespace

TEST_CASE("findings: half of the synchronisations", "[findings]") {
  FindingsRun run;
  ten_steps(run);
  run.device(1'000, 550);
  run.api(item(run, 20), "cudaStreamSynchronize", 50, 200 * kMs);
  const auto found = run.look("synchronisation");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.2));
}

TEST_CASE("findings: synchronisations in the step", "[findings]") {
  FindingsRun run;
  ten_steps(run);
  run.device(1'000, 550);
  run.api(item(run, 20), "cudaStreamSynchronize", 100, 300 * kMs);
  run.api(run.train(30), "cudaDeviceSynchronize", 10, 100 * kMs);
  run.api(run.train(40), "cudaLaunchKernel", 1'000, 5 * kMs);
  const auto found = run.look("synchronisation");
  REQUIRE(found.size() == 1);
  CHECK(lines_of(found.front()) == Lines{20, 30});
  CHECK(found.front().saves == Approx(0.4));
  CHECK(found.front().saves_ns == 400 * static_cast<std::int64_t>(kMs));
  CHECK(has(found.front().seen,
            "110 waits (11.0 in a step) took 400 ms: .item(), or a tensor used as a number (100 "
            "waits in 300 ms)"));
  CHECK(has(found.front().advice, "Keep such values on the device"));
  CHECK(run.look().findings.front().rule == "synchronisation");
}

// Catches a rule that warns of each loss.item(): while the device is busy, waiting for it costs nothing.
TEST_CASE("findings: waiting for a busy device is no fault", "[findings]") {
  FindingsRun run;
  ten_steps(run);
  run.device(1'000, 980);
  run.api(item(run, 20), "cudaStreamSynchronize", 10, 800 * kMs);
  CHECK(run.look("synchronisation").empty());
}

TEST_CASE("findings: copies that make the host wait", "[findings]") {
  FindingsRun run;
  ten_steps(run);
  run.device(1'000, 500);
  const auto fetch = run.api(run.train(21), "cudaMemcpyAsync", 10, 200 * kMs, 10 * 4 * kMi);
  run.copy(fetch, "DtoH", "pageable", 10, 1 * kMs, 10 * 4 * kMi);
  const auto put = run.api(run.train(22), "cudaMemcpyAsync", 10, 200 * kMs, 10 * 4 * kMi);
  run.copy(put, "HtoD", "pinned", 10, 1 * kMs, 10 * 4 * kMi);
  const auto found = run.look("synchronisation");
  REQUIRE(found.size() == 1);
  CHECK(lines_of(found.front()) == Lines{21});
  CHECK(found.front().saves == Approx(0.2));
}

// Catches a batch that is copied to the device taken for one that is fetched.
TEST_CASE("findings: which way a copy goes that waits", "[findings]") {
  const auto advice = [](const char* kind) {
    FindingsRun run;
    ten_steps(run);
    run.device(1'000, 500);
    const auto copy = run.log.node(run.train(23), run.log.named(log::NameKind::Operator, "aten::copy_", "forward"));
    run.copy(run.api(copy, "cudaMemcpyAsync", 10, 1 * kMs, 40 * kMi), kind, "pinned", 10, 1 * kMs, 40 * kMi);
    run.api(copy, "cudaStreamSynchronize", 10, 200 * kMs);
    const auto found = run.look("synchronisation");
    REQUIRE(found.size() == 1);
    CHECK(lines_of(found.front()) == Lines{23});
    return found.front().advice;
  };
  CHECK(has(advice("HtoD"), "pin_memory=True"));
  CHECK(has(advice("DtoH"), "Copy once for many steps"));
}

// Catches the waiting of the thread that pins memory taken for the step's.
TEST_CASE("findings: the thread that pins memory is not the step", "[findings]") {
  FindingsRun run;
  ten_steps(run);
  run.device(1'000, 500);
  const auto loop = run.line(0, run.code("_pin_memory_loop", "/usr/lib/python3/dist-packages/torch/pin_memory.py"), 5);
  run.api(loop, "cudaEventSynchronize", 10, 500 * kMs);
  CHECK(run.look("synchronisation").empty());
}

TEST_CASE("findings: kernels too small for their launch", "[findings]") {
  const auto found = [](std::uint64_t count, std::uint64_t ns, std::uint64_t launching) {
    FindingsRun run;
    ten_steps(run);
    run.device(1'000, 400);
    const auto launch = run.api(run.train(25), "cudaLaunchKernel", count, 10 * kMs);
    run.kernel(launch, "add", count, ns);
    run.log.record(log::RecordClass::Idle, launch,
                   log::IdleWords{count, 600 * kMs, kMs, 0, 600 * kMs - launching, launching, 0, 0});
    return run.look("launch-bound");
  };
  const auto tiny = found(50'000, 400 * kMs, 600 * kMs);
  REQUIRE(tiny.size() == 1);
  CHECK(lines_of(tiny.front()) == Lines{25});
  CHECK(tiny.front().saves == Approx(0.5));  // less 2 us of recording for each launch
  CHECK(has(tiny.front().seen, "50,000 kernels took 8.00 us each on average"));
  const auto half = found(50'000, 400 * kMs, 300 * kMs);
  REQUIRE(half.size() == 1);
  CHECK(half.front().saves == Approx(0.2));
  CHECK(found(2'000, 400 * kMs, 600 * kMs).empty());   // long ones
  CHECK(found(900, 4 * kMs, 600 * kMs).empty());       // few
  CHECK(found(50'000, 400 * kMs, 100 * kMs).empty());  // it idles for another reason
}

TEST_CASE("findings: copies from pageable memory", "[findings]") {
  const auto found = [](const char* memory, std::uint64_t bytes, std::uint64_t ns) {
    FindingsRun run;
    ten_steps(run);
    run.device(1'000, 900);
    const auto call = run.api(run.train(33), "cudaMemcpyAsync", 10, ns, 10 * bytes);
    run.copy(call, "HtoD", memory, 10, ns, 10 * bytes);
    return run.look("pageable-copies");
  };
  const auto slow = found("pageable", 16 * kMi, 100 * kMs);
  REQUIRE(slow.size() == 1);
  CHECK(lines_of(slow.front()) == Lines{33});
  CHECK(slow.front().saves == Approx(0.1));
  CHECK(has(slow.front().seen, "10 copies of 16.0 MiB"));
  const auto half = found("pageable", 8 * kMi, 50 * kMs);
  REQUIRE(half.size() == 1);
  CHECK(half.front().saves == Approx(0.05));
  CHECK(found("pinned", 16 * kMi, 100 * kMs).empty());
  CHECK(found("pageable", 4, 100 * kMs).empty());  // staged at once
  CHECK(found("pageable", 16 * kMi, 10 * kMs).empty());
}

TEST_CASE("findings: many tiny copies", "[findings]") {
  const auto found = [](std::uint64_t calls, std::uint64_t bytes, bool value, std::uint64_t ms = 50) {
    FindingsRun run;
    ten_steps(run);
    run.device(1'000, 900);
    run.api(value ? item(run, 44) : run.train(44), "cudaMemcpyAsync", calls, ms * kMs, calls * bytes);
    return run.look("tiny-copies");
  };
  const auto many = found(5'000, 8, false);
  REQUIRE(many.size() == 1);
  CHECK(lines_of(many.front()) == Lines{44});
  CHECK(many.front().saves == Approx(0.05));
  CHECK(has(many.front().seen, "5,000 copies (500 in a step) of 8 B on average took the host 50.0 ms, 10.0 us each"));
  const auto half = found(2'500, 8, false, 25);
  REQUIRE(half.size() == 1);
  CHECK(half.front().saves == Approx(0.025));
  CHECK(found(90, 8, false).empty());       // what each batch needs
  CHECK(found(5'000, kMi, false).empty());  // large ones
  CHECK(found(5'000, 4, true).empty());     // values: synchronisations
}

TEST_CASE("findings: device memory given back and taken again", "[findings]") {
  const auto found = [](std::uint64_t frees, std::uint64_t ns) {
    FindingsRun run;
    run.steps(100, 10);
    run.device(1'000, 900);
    run.api(run.train(50), "cudaMalloc", 100, ns);
    if (frees > 0) run.api(run.train(51), "cudaFree", frees, ns);
    run.api(run.train(52), "cudaMallocAsync", 10'000, 500 * kMs);
    return run.look("driver-allocations");
  };
  const auto churn = found(100, 50 * kMs);
  REQUIRE(churn.size() == 1);
  CHECK(lines_of(churn.front()) == Lines{50, 51});
  CHECK(churn.front().saves == Approx(0.1));
  CHECK(has(churn.front().seen, "100 allocations and 100 frees of the driver's, 1.0 frees in a step, took 100 ms"));
  const auto half = found(60, 25 * kMs);
  REQUIRE(half.size() == 1);
  CHECK(half.front().saves == Approx(0.05));
  CHECK(found(0, 50 * kMs).empty());   // the first steps of a run that keeps what it has
  CHECK(found(30, 50 * kMs).empty());  // its end
  CHECK(found(100, 1 * kMs).empty());
}

TEST_CASE("findings: tensor cores unused", "[findings]") {
  const auto found = [](const char* plain, const char* other, std::uint32_t major, std::uint64_t plain_ms = 600) {
    FindingsRun run;
    ten_steps(run);
    run.device(1'000, 900).compute_major = major;
    const auto launch = run.api(run.train(61), "cublasSgemm_v2", 10, kMs);
    run.kernel(launch, plain, 10, plain_ms * kMs);
    run.kernel(launch, other, 10, 300 * kMs);
    return run.look("tensor-cores-unused");
  };
  const auto unused = found("ampere_sgemm_128x64_nn", "add", 8);
  REQUIRE(unused.size() == 1);
  CHECK(lines_of(unused.front()) == Lines{61});
  CHECK(unused.front().saves == Approx(0.6 * (1 - 128.0 / 1024)));
  CHECK(has(unused.front().seen, "600 ms of the 900 ms of kernels (66.7 %)"));
  CHECK(has(unused.front().advice, "TF32"));
  const auto half = found("ampere_sgemm_128x64_nn", "add", 8, 300);
  REQUIRE(half.size() == 1);
  CHECK(half.front().saves == Approx(0.3 * (1 - 128.0 / 1024)));
  const auto volta = found("volta_sgemm_128x64_nn", "add", 7);
  REQUIRE(volta.size() == 1);
  CHECK(has(volta.front().advice, "float16"));
  // Written for the units, or beside such; no matrices; a device without.
  CHECK(found("sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x16", "add", 8).empty());
  CHECK(found("ampere_sgemm_128x64_nn", "cutlass_80_tensorop_s1688gemm", 8).empty());
  CHECK(found("reduce_kernel", "add", 8).empty());
  CHECK(found("maxwell_sgemm_128x64_nn", "add", 6).empty());
}

TEST_CASE("findings: a device that idles", "[findings]") {
  FindingsRun run;
  ten_steps(run);
  run.device(1'000, 300);
  const auto launch = run.api(run.train(71), "cudaLaunchKernel", 10, 1 * kMs);
  run.kernel(launch, "train_it", 10, 300 * kMs);
  run.log.record(log::RecordClass::Idle, launch, log::IdleWords{10, 700 * kMs, 70 * kMs, 0, 70 * kMs, 0, 630 * kMs, 0});
  const auto found = run.look("device-idle");
  REQUIRE(found.size() == 1);
  CHECK(lines_of(found.front()) == Lines{71});
  CHECK(found.front().saves == Approx(0.7));
  CHECK(has(found.front().seen,
            "It idled 700 ms of the 1.00 s of steady steps (70.0 %). Meanwhile the "
            "host was running Python 90.0 %, waiting for data or another thread 10.0 %."));
}

// Catches 100 % of the steps: the device idled while the program started, and what it works in the steps stays.
TEST_CASE("findings: a device that idles mostly before the steps", "[findings]") {
  FindingsRun run;
  run.steps(10, 40);
  run.device(1'000, 100);
  const auto launch = run.api(run.train(71), "cudaLaunchKernel", 10, 1 * kMs);
  run.kernel(launch, "train_it", 10, 100 * kMs);
  run.log.record(log::RecordClass::Idle, launch, log::IdleWords{10, 900 * kMs, 90 * kMs, 0, 0, 0, 900 * kMs, 0});
  const auto found = run.look("device-idle");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.75));  // 300 of 400 ms

  FindingsRun busy;  // for three quarters of the steps
  busy.steps(10, 40);
  busy.device(1'000, 300);
  CHECK(busy.look("device-idle").empty());
}

TEST_CASE("findings: a device that is at work half of its time", "[findings]") {
  FindingsRun run;
  ten_steps(run);
  run.device(1'000, 600);
  CHECK(run.look("device-idle").empty());
}

// Catches the effect named before its cause: the device idles because the host synchronises.
TEST_CASE("findings: what makes a device idle comes before its idling", "[findings]") {
  FindingsRun run;
  ten_steps(run);
  run.device(1'000, 300);
  const auto launch = run.api(run.train(71), "cudaLaunchKernel", 10, 1 * kMs);
  run.kernel(launch, "train_it", 10, 300 * kMs);
  run.api(item(run, 72), "cudaStreamSynchronize", 10, 600 * kMs);
  run.log.record(log::RecordClass::Idle, launch,
                 log::IdleWords{10, 700 * kMs, 70 * kMs, 600 * kMs, 0, 0, 100 * kMs, 0});
  const auto all = run.look().findings;
  REQUIRE(all.size() >= 2);
  CHECK(all[0].rule == "synchronisation");
  CHECK(all[0].saves == Approx(0.6));
  const auto idle = run.look("device-idle");
  REQUIRE(idle.size() == 1);
  CHECK(idle.front().saves == Approx(0.1));
}

TEST_CASE("findings: device memory nearly full, and in pieces", "[findings]") {
  const auto build = [](FindingsRun& run, std::uint64_t used, std::int64_t reserved, std::int64_t tensors,
                        std::uint64_t own = 0) {
    log::DeviceRecord& device = run.device(1'000, 900);
    device.segments_peak = reserved;
    device.reserved_peak = reserved;
    device.tensors_peak = tensors;
    log::DevicePoint point{};
    point.used_bytes = used;
    point.own_bytes = own;
    run.log.device_series(0, {point});
    run.log.memory(log::RecordClass::Tensor, run.train(80), test::memory_words(log::kCountUnit, kGi, 0, 0, kGi, 1, 1));
  };
  const auto gi = static_cast<std::int64_t>(kGi);
  FindingsRun full;
  build(full, 39 * kGi, 30 * gi, 28 * gi);
  const auto found = full.look("device-memory");
  REQUIRE(found.size() == 1);
  CHECK(lines_of(found.front()) == Lines{80});
  CHECK(found.front().saves == 0);
  CHECK(has(found.front().seen, "39.0 GiB of its 40.0 GiB (97.5 %) were in use at the peak; tensors took 28.0 GiB"));
  CHECK(full.look("fragmentation").empty());

  FindingsRun pieces;
  build(pieces, 31 * kGi, 30 * gi, 20 * gi);
  CHECK(pieces.look("device-memory").empty());
  const auto fragments = pieces.look("fragmentation");
  REQUIRE(fragments.size() == 1);
  CHECK(fragments.front().saves_bytes == 10 * gi);
  CHECK(lines_of(fragments.front()) == Lines{80});

  FindingsRun half;
  build(half, 31 * kGi, 16 * gi, 11 * gi);
  REQUIRE(half.look("fragmentation").size() == 1);
  CHECK(half.look("fragmentation").front().saves_bytes == 5 * gi);

  // Catches a pool that no call was seen to take told as other programs' memory. The driver counts its own as used.
  FindingsRun pool;
  build(pool, 41 * kGi, 0, 0, 40 * kGi);
  REQUIRE(pool.look("device-memory").size() == 1);
  const std::string seen = pool.look("device-memory").front().seen;
  CHECK(has(seen, "40.0 GiB of its 40.0 GiB (100.0 %) were in use"));
  CHECK_FALSE(has(seen, "were not this program's"));

  FindingsRun small;  // a third, of next to nothing
  build(small, 4 * kGi, 3 * gi, 2 * gi);
  CHECK(small.look("fragmentation").empty());
}

TEST_CASE("findings: what cannot be told about devices", "[findings]") {
  FindingsRun run;
  run.log.cpu(run.train(10), 10, 100 * kMs);
  const auto all = run.look();
  for (const char* rule : {"synchronisation", "launch-bound", "pageable-copies", "tiny-copies", "driver-allocations",
                           "tensor-cores-unused", "device-idle", "device-memory", "fragmentation"}) {
    CHECK(FindingsRun::why_not(all, rule) == "no process used CUDA, as far as was seen");
  }
  CHECK(FindingsRun::why_not(all, "waiting-for-data"));
}
