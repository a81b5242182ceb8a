// A run of one process with known heap figures of exact mode, for tests of the formats that hold them.
//
//   process 300 "./work", from 1 s to 3 s, its peak of 1400 bytes at 2 s. Below main (0x100):
//                    allocations  bytes  temporary  live (blocks)  at the peak
//     fill   0x200            10   1000          0       600 (6)          1000
//     churn  0x300            50   5003         30         0                 0
//     late   0x400             3    300          0       300 (3)             0
//     change 0x500             2    700          0       300 (1)           400
//   All: 65 allocations of 7003 bytes, 30 temporary, 1200 bytes live, 1400 at the peak.
#pragma once

#include <cstdint>
#include <string>

#include "tests/unit/support/loaded_run.hpp"

namespace prof::test {

struct HeapFigures {
  std::uint64_t address, allocations, bytes, temporary, live, live_blocks, peak;
};
inline constexpr HeapFigures kHeapFigures[] = {{0x200, 10, 1000, 0, 600, 6, 1000},
                                               {0x300, 50, 5003, 30, 0, 0, 0},
                                               {0x400, 3, 300, 0, 300, 3, 0},
                                               {0x500, 2, 700, 0, 300, 1, 400}};

class HeapRun : public LoadedRun {
 public:
  // `scale`: so many times the allocations and bytes of churn.
  explicit HeapRun(std::uint64_t scale = 1, const std::string& module = "/nowhere/work",
                   const std::string& command = "./work") {
    LogBuilder log;
    log.header.pid = 300;
    log.header.heap_mode = log::HeapMode::Exact;
    log.header.heap.epoch = 5;
    log.header.heap.peak_ns = 2'000'000'000;
    log.header.heap.peak = 1400;
    log.header.heap.live = 1200;
    log.header.peak_rss_bytes = 5 << 20;
    log.info(log::InfoKey::Exe, "/nowhere/work");
    log.info(log::InfoKey::Argv, command);
    const std::uint32_t binary = log.module(module);
    const std::uint32_t main = log.node(0, log.native(binary, 0x100));
    log.thread(0).flags = log::kThreadMain;
    for (const HeapFigures& of : kHeapFigures) {
      const std::uint64_t times = of.temporary > 0 ? scale : 1;
      log::HeapWords words{};
      words.count = of.allocations * times * log::kCountUnit;
      words.bytes = of.bytes * times;
      words.freed_count = words.count - of.live_blocks * log::kCountUnit;
      words.freed_bytes = words.bytes - of.live;
      words.at_peak = of.peak;
      words.epoch = 5;
      words.samples = of.allocations * times;
      words.temporary = of.temporary * times;
      words.largest = 500;
      log.memory(log::RecordClass::Heap, log.node(main, log.native(binary, of.address)), words);
    }
    log.series({{0, 700, 650, 0, 0, 2 << 20, 2 << 20, 0, 0}, {15, 1300, 1250, 0, 0, 4 << 20, 4 << 20, 0, 0}});
    log.write(directory() / "300.1.proflog");
    load();
  }
};

}  // namespace prof::test
