// Blocks of a framework's caching allocator, compared with a program that counts them.
#include <algorithm>
#include <map>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/log_tree.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using namespace prof::test;

namespace {

struct TensorsRun {
  Outcome outcome;
  LogTree log;
};

TensorsRun run_of(const std::string& heap, const std::string& cuda = "on") {
  TempDir temp;
  const Outcome run = Command::victim("tensors", {victim_path("plugin_c10.so").string()})
                          .set("PROF_HEAP", heap)
                          .set("PROF_CUDA", cuda)
                          .profiled(temp / "run")
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  const auto logs = logs_in(temp / "run");
  REQUIRE(logs.size() == 1);
  return {run, LogTree(logs[0])};
}

}  // namespace

// Catches figures that are sampled, frees that are booked where they happen, blocks that threads mix up, and a hook
// that is not followed by the function it stands for.
TEST_CASE("tensors are counted one by one, in every heap mode") {
  const std::string heap = GENERATE(as<std::string>{}, "sampled", "exact", "off");
  INFO(heap);
  const TensorsRun run = run_of(heap);
  const Outcome& o = run.outcome;
  CHECK(o.fact("refusals") == 1);
  std::uint64_t count = 0, freed = 0;
  std::int64_t live = 0, at_peak = 0;
  const log::PeakClock& clock = run.log.file().header.tensors;
  // By addresses: several nodes may tell of a stack, and two threads that meet a module at once make a record each.
  std::map<std::vector<std::uint64_t>, std::int64_t> live_by_stack;
  for (const auto& row : run.log.rows<log::HeapWords>(log::RecordClass::Tensor)) {
    count += row.words.count;
    freed += row.words.freed_count;
    const auto held = static_cast<std::int64_t>(row.words.bytes - row.words.freed_bytes);
    live += held;
    std::vector<std::uint64_t> stack = run.log.frames_of(row.node);
    for (std::uint64_t& frame : stack) {
      if (const std::uint64_t address = run.log.address_of(frame); address != 0) frame = address;
    }
    live_by_stack[stack] += held;
    at_peak += row.words.epoch == clock.epoch ? static_cast<std::int64_t>(row.words.at_peak) : held;
  }
  // 4 threads, 1000 steps, 50 and 50 blocks; and one beside them.
  CHECK(count == (4 * 1000 * 100 + 1) * log::kCountUnit);
  // One block of each thread and the one beside them are held; one more was freed than had been allocated.
  CHECK(count - freed == 5 * log::kCountUnit);
  CHECK(live == 4 * 1024 + 4096);
  CHECK(std::count_if(live_by_stack.begin(), live_by_stack.end(), [](const auto& s) { return s.second != 0; }) == 3);
  CHECK(run.log.loss(log::Loss::DeviceForeignFree) == 1);
  CHECK(run.log.loss(log::Loss::FreeNotSeen) == 0);
  // The peak over both devices together.
  CHECK(clock.peak >= std::max(o.fact("peak_0"), o.fact("peak_1")) / 1000 * 998);
  CHECK(clock.peak <= o.fact("peak_0") + o.fact("peak_1"));
  CHECK(static_cast<double>(at_peak) == Approx(static_cast<double>(clock.peak)).epsilon(0.01));
}

// Catches tensors of devices that are recorded, at the cost of a stack for each, where nothing of CUDA is wanted.
TEST_CASE("tensors of devices are left alone where CUDA is off") {
  const TensorsRun run = run_of("off", "off");
  CHECK(run.log.rows<log::HeapWords>(log::RecordClass::Tensor).empty());
  CHECK(run.log.file().chunks(log::ChunkType::Devices).empty());
}

// Catches devices whose totals are mixed, and totals that are added up once more.
TEST_CASE("the allocator's own totals stand by device") {
  const TensorsRun run = run_of("sampled");
  const auto chunks = run.log.file().chunks(log::ChunkType::Devices);
  REQUIRE(chunks.size() == 1);
  for (std::size_t d = 0; d < 2; ++d) {
    const auto device = LogFile::entry<log::DeviceRecord>(chunks[0], d);
    CHECK(device.state == 1);
    CHECK(device.tensors_live == run.outcome.fact(d == 0 ? "live_0" : "live_1"));
    CHECK(device.tensors_peak == run.outcome.fact(d == 0 ? "peak_0" : "peak_1"));
    CHECK(device.reserved_live == 1 << 30);
    CHECK(device.reserved_peak == 1 << 30);
  }
  CHECK(LogFile::entry<log::DeviceRecord>(chunks[0], 2).state == 0);
  bool said = false;
  for (const std::string& text : run.log.info(log::InfoKey::Cuda))
    said |= text.find("12345678 bytes") != std::string::npos;
  CHECK(said);
}
