// Device memory by context, and what the driver says of devices, against the fake GPU's ledger.
#include <algorithm>
#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/log_tree.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using namespace prof::test;

namespace {

struct Run {
  LogTree log;
  Ledger ledger;
};

Run run_of(const std::string& kind, long count, const std::map<std::string, std::string>& settings = {}) {
  TempDir temp;
  Command command = with_gpu(Command::victim("gpu_work12", {kind, std::to_string(count)}), temp / "ledger");
  for (const auto& [name, value] : settings) command.set(name, value);
  const Outcome run = command.profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Ledger ledger(temp / "ledger");
  REQUIRE_FALSE(ledger.lines().empty());
  for (const auto& path : logs_in(temp / "run")) {
    if (LogTree log(path); log.file().header.pid == ledger.lines()[0].at("pid").get<std::uint32_t>())
      return {std::move(log), ledger};
  }
  FAIL("no log of the program");
  return {LogTree(logs_in(temp / "run").at(0)), ledger};
}

// What the program got and gave back. Left out: pinned memory of the host, and the variable on the device, which comes
// with the program's code.
constexpr int kVariableBytes = 256;
struct Held {
  std::uint64_t count = 0, freed = 0, bytes = 0;
  std::map<std::uint32_t, std::int64_t> live, peak;  // by device
};

Held held(const Ledger& ledger) {
  Held h;
  std::map<std::uint64_t, std::pair<std::uint32_t, std::int64_t>> blocks;
  for (const Json& line : ledger.lines()) {
    const std::string type = line.at("t").get<std::string>();
    if (type == "alloc" && line.at("place") != "pinned" && line.at("bytes") != kVariableBytes) {
      const auto device = line.at("device").get<std::uint32_t>();
      const auto bytes = line.at("bytes").get<std::int64_t>();
      blocks[line.at("address").get<std::uint64_t>()] = {device, bytes};
      h.count += 1;
      h.bytes += static_cast<std::uint64_t>(bytes);
      h.live[device] += bytes;
      h.peak[device] = std::max(h.peak[device], h.live[device]);
    } else if (type == "free") {
      const auto block = blocks.find(line.at("address").get<std::uint64_t>());
      if (block == blocks.end()) continue;
      h.freed += 1;
      h.live[block->second.first] -= block->second.second;
      blocks.erase(block);
    }
  }
  return h;
}

std::map<std::uint32_t, log::DeviceRecord> devices(const LogTree& log) {
  std::map<std::uint32_t, log::DeviceRecord> found;
  for (const std::string& content : log.file().chunks(log::ChunkType::Devices)) {
    for (std::uint32_t d = 0; (d + 1) * sizeof(log::DeviceRecord) <= content.size(); ++d) {
      const auto record = LogFile::entry<log::DeviceRecord>(content, d);
      if (record.state != 0) found[d] = record;
    }
  }
  return found;
}

std::map<std::uint32_t, std::vector<log::DevicePoint>> series(const LogTree& log) {
  std::map<std::uint32_t, std::vector<log::DevicePoint>> found;
  for (const auto& [chunk, content] : log.file().headed_chunks(log::ChunkType::DeviceSeries)) {
    const auto head = LogFile::entry<log::SeriesHeader>(content, 0);
    REQUIRE(head.point_bytes == sizeof(log::DevicePoint));
    const std::size_t active = head.published >> 16 & 1, count = head.published & 0xffff;
    for (std::size_t i = 0; i < count; ++i) {
      found[chunk.owner].push_back(LogFile::entry<log::DevicePoint>(content, active * head.points + i, sizeof head));
    }
  }
  return found;
}

}  // namespace

// Catches segments that are sampled like malloc's, pinned memory that counts as the device's, frees of unknown blocks,
// and blocks that hang on another stack than the call that made them.
TEST_CASE("device memory is what the program got, by the call that got it") {
  const std::string kind = GENERATE(as<std::string>{}, "memory", "copies");
  const std::string heap = GENERATE(as<std::string>{}, "sampled", "exact");
  INFO(kind << ", " << heap);
  const Run run = run_of(kind, 40, {{"PROF_HEAP", heap}});
  const Held truth = held(run.ledger);
  REQUIRE(truth.count > 0);
  Held seen;
  std::int64_t live = 0, at_peak = 0, ledger_live = 0;
  const log::PeakClock& clock = run.log.file().header.segments;
  for (const auto& row : run.log.rows<log::HeapWords>(log::RecordClass::Segment)) {
    INFO("node " << row.node);
    REQUIRE_FALSE(row.path.empty());
    CHECK(row.path.back().rfind("CUDA runtime/cuda", 0) == 0);
    seen.count += row.words.count;
    seen.freed += row.words.freed_count;
    seen.bytes += row.words.bytes;
    const auto now = static_cast<std::int64_t>(row.words.bytes - row.words.freed_bytes);
    live += now;
    at_peak += row.words.epoch == clock.epoch ? static_cast<std::int64_t>(row.words.at_peak) : now;
  }
  for (const auto& [device, bytes] : truth.live) ledger_live += bytes;
  CHECK(seen.count == truth.count * log::kCountUnit);
  CHECK(seen.freed == truth.freed * log::kCountUnit);
  CHECK(seen.bytes == truth.bytes);
  CHECK(live == ledger_live);
  CHECK(static_cast<double>(at_peak) == Approx(static_cast<double>(clock.peak)).epsilon(0.002));
  CHECK(run.log.loss(log::Loss::DeviceForeignFree) == 0);
  for (const auto& [index, device] : devices(run.log)) {
    INFO("device " << index);
    const auto known = [i = index](const auto& by_device) { return by_device.count(i) != 0 ? by_device.at(i) : 0; };
    CHECK(device.segments_live == known(truth.live));
    CHECK(device.segments_peak == known(truth.peak));
  }
}

// Catches devices that are told apart by their number, which NVML counts in another order than CUDA.
TEST_CASE("devices have a series of what the driver says of them") {
  const Run run = run_of("gaps", 700);
  const auto points = series(run.log);
  // For the list of processes the driver holds up others.
  const auto lists = run.ledger.of("nvml_processes").size();
  CHECK(lists >= 1);
  CHECK(lists <= 1 + points.at(0).size() / 8);
  REQUIRE(points.size() == 1);
  REQUIRE(points.begin()->first == 0);
  std::uint64_t slot = 0;
  for (const log::DevicePoint& p : points.at(0)) {
    CHECK((p.slot > slot || &p == points.at(0).data()));
    slot = p.slot;
    CHECK(p.busy_percent == 60);  // and the number of the device
    CHECK(p.memory_busy_percent == 25);
    CHECK(p.power_mw == 100'000);
    CHECK(p.temperature_c == 55);
    CHECK(p.used_bytes >= p.own_bytes + (1ULL << 30));
    CHECK(p.own_bytes >= 400ULL << 20);
    CHECK(p.energy_mj > 0);
    CHECK(p.clock_mhz > p.memory_clock_mhz);
  }
}

TEST_CASE("a driver without NVML costs the series and nothing else") {
  const Run run = run_of("gaps", 400, {{"FAKE_NVML_FAIL", "nvmlInit_v2:999"}});
  CHECK(series(run.log).empty());
  CHECK(devices(run.log).size() == 1);
  const auto said = run.log.info(log::InfoKey::Cuda);
  CHECK(std::count_if(said.begin(), said.end(), [](const std::string& text) {
          return text.find("no utilisation, power and clocks") != std::string::npos;
        }) == 1);
}

TEST_CASE("what a device does not say is not to be had") {
  const Run run =
      run_of("gaps", 500, {{"FAKE_NVML_FAIL", "nvmlDeviceGetPowerUsage:3,nvmlDeviceGetUtilizationRates:3"}});
  const auto points = series(run.log);
  REQUIRE(points.size() == 1);
  for (const log::DevicePoint& p : points.at(0)) {
    CHECK(p.power_mw == UINT32_MAX);
    CHECK(p.busy_percent == UINT32_MAX);
    CHECK(p.memory_busy_percent == UINT32_MAX);
    CHECK(p.temperature_c == 55);
  }
}

TEST_CASE("NVML is not loaded where CUDA is recorded on the host alone") {
  const Run run = run_of("memory", 10, {{"PROF_CUDA", "host"}});
  CHECK(run.ledger.of("nvml").empty());
  CHECK(series(run.log).empty());
}
