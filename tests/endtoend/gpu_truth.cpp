// What the report says of a GPU against the ledger of a fake one that kept its own books: every call, every byte, every
// nanosecond on the device.
#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

Command work(int toolkit, const std::string& kind, int count, const TempDir& temp) {
  return with_gpu(Command::victim("gpu_work" + std::to_string(toolkit), {kind, std::to_string(count)}), temp / "ledger",
                  {toolkit});
}

// Runs it under the agent, and compares.
void check_work(int toolkit, const std::string& kind, int count) {
  INFO("toolkit " << toolkit << ", " << kind);
  TempDir temp;
  check_survives(work(toolkit, kind, count, temp), temp / "run");
  const Ledger ledger(temp / "ledger");
  REQUIRE(ledger.of("misuse").empty());
  check_gpu_truth(Report::of(temp / "run"), ledger);
}

}  // namespace

// Catches records that are read with another version's layout, buffers that are lost, threads whose work is mixed up.
TEST_CASE("GPU work in four streams is told to the nanosecond, by toolkits 11, 12 and 13") {
  for (const int toolkit : {11, 12, 13}) check_work(toolkit, "streams", 400);
}

TEST_CASE("GPU work of eight threads is told to the nanosecond, by toolkits 11, 12 and 13") {
  for (const int toolkit : {11, 12, 13}) check_work(toolkit, "threads", 300);
}

TEST_CASE("copies and sets of GPU memory are told to the byte and to the nanosecond, by toolkits 11, 12 and 13") {
  for (const int toolkit : {11, 12, 13}) check_work(toolkit, "copies", 20);
}

TEST_CASE("failed calls of CUDA are counted, those that are not ready are none") {
  TempDir temp;
  check_survives(work(12, "failures", 10, temp), temp / "run");
  const Report report = Report::of(temp / "run");
  check_gpu_truth(report, Ledger(temp / "ledger"));
  CHECK(reported_calls(report, "cudaMalloc").failed == 10);
  CHECK(reported_calls(report, "cudaLaunchKernel").failed == 10);
  CHECK(reported_calls(report, "cudaFree").failed == 10);
  CHECK(reported_calls(report, "cudaStreamQuery").count == 10);
  CHECK(reported_calls(report, "cudaStreamQuery").failed == 0);
}

TEST_CASE("errors of the driver in the middle of a run are passed on and counted") {
  TempDir temp;
  Command command = work(12, "streams", 40, temp);
  command.set("FAKE_GPU_FAIL", "cudaLaunchKernel:7:719");
  const BothWays both = run_both_ways(command, temp / "run");
  check_same_end(both);
  CHECK(both.with.exit_code == 99);
  const Report report = Report::of(temp / "run");
  CHECK(reported_calls(report, "cudaLaunchKernel").count == 7);
  CHECK(reported_calls(report, "cudaLaunchKernel").failed == 1);
}

TEST_CASE("kernels of CUDA graphs are told one by one when asked for, by toolkits 11, 12 and 13") {
  for (const int toolkit : {11, 12, 13}) {
    INFO("toolkit " << toolkit);
    TempDir temp;
    check_survives(work(toolkit, "graphs", 50, temp).set("PROF_CUDA_GRAPH", "node"), temp / "run");
    const Report report = Report::of(temp / "run");
    const Ledger ledger(temp / "ledger");
    check_gpu_truth(report, ledger);
    CHECK(reported_kernels(report, "graph_a_30us").count == 100);
    CHECK(reported_kernels(report, "graph_b_70us").total_ns == 50 * 70'000);
  }
}

TEST_CASE("a CUDA graph is one piece of work per launch unless asked otherwise") {
  TempDir temp;
  check_survives(work(12, "graphs", 50, temp), temp / "run");
  const Report report = Report::of(temp / "run");
  check_gpu_truth(report, Ledger(temp / "ledger"), false);
  const Tally all = reported_kernels(report);
  CHECK(all.count == 50);
  CHECK(all.total_ns == 50 * (30'000 + 70'000 + 30'000));
}

TEST_CASE("without CUPTI all calls are told, and what the device did is not measured") {
  for (const char* how : {"host", "missing"}) {
    INFO(how);
    TempDir temp;
    Command command = work(12, "streams", 100, temp);
    if (std::string(how) == "host") {
      command.set("PROF_CUDA", "host");
    } else {
      command.set("PROF_CUPTI", "/nonexistent/libcupti.so.12");
    }
    check_survives(command, temp / "run");
    const Report report = Report::of(temp / "run");
    check_gpu_truth(report, Ledger(temp / "ledger"), false);
    CHECK(report.section("kernels").is_null());
    CHECK(report.section("copies").is_null());
  }
}

TEST_CASE("with CUDA switched off nothing of it is recorded") {
  TempDir temp;
  check_survives(work(12, "streams", 40, temp).set("PROF_CUDA", "off"), temp / "run");
  const Report report = Report::of(temp / "run");
  CHECK(report.section("api").is_null());
  CHECK(report.section("kernels").is_null());
  CHECK(Ledger(temp / "ledger").of("injection").empty());
}

// Memory on the device: what is live at the end, by who allocated it.
TEST_CASE("live bytes of GPU memory are those of the ledger") {
  TempDir temp;
  check_survives(work(12, "memory", 40, temp), temp / "run");
  const Ledger ledger(temp / "ledger");
  long long live = 0, peak = 0;
  std::map<long long, long long> blocks;
  for (const Json& line : ledger.lines()) {
    const auto address = line.value("address", 0LL);
    if (line.at("t") == "alloc") live += blocks[address] = line.at("bytes").get<long long>();
    if (line.at("t") == "free") live -= std::exchange(blocks[address], 0);
    peak = std::max(peak, live);
  }
  REQUIRE(live == 20LL << 20);
  const Report report = Report::of(temp / "run");
  const Json& segments = report.section("device_memory").at("segments");
  CHECK(segments.at("live_bytes").get<long long>() == live);
  CHECK(segments.at("peak_bytes").get<long long>() == peak);
  CHECK(segments.at("allocations").get<long long>() == 80);
  CHECK(device_memory_of(report, "segments", "keep", "live_bytes") == live);
  CHECK(device_memory_of(report, "segments", "keep", "allocated_bytes") == 40LL << 20);
  CHECK(device_memory_of(report, "segments", "keep_other", "live_bytes") == 0);
  CHECK(device_memory_of(report, "segments", "keep_other", "allocated_bytes") == 40 * (3LL << 20));
}
