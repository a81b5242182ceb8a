// A run of two processes with known figures, for tests of views and formats.
//
//   process 100 "./work": main -> outer -> inner, 30 ms in inner, 10 ms in outer; a block of 4 KiB live from outer
//   process 101, forked by 100, killed by SIGKILL: 20 ms in main
//
// The module is a file that does not exist, so functions are called "NAME+0xADDRESS": main 0x100, outer 0x200, inner
// 0x300.
#pragma once

#include <string>

#include "tests/unit/support/loaded_run.hpp"

namespace prof::test {

class SmallRun : public LoadedRun {
 public:
  explicit SmallRun(const std::string& module = "/nowhere/work") {
    write_parent(module);
    write_child(module);
    load();
  }

 private:
  void write_parent(const std::string& module) {
    LogBuilder log;
    log.header.log_id = 1;
    log.header.cpu_ns = 40'000'000;
    log.header.exit_code = 3;
    log.header.heap_mode = log::HeapMode::Sampled;
    log.header.heap_interval = 512 << 10;
    log.header.heap.live = log.header.heap.peak = 4096;
    log.header.peak_rss_bytes = 1 << 20;
    log.header.loss[static_cast<std::size_t>(log::Loss::SampleUnprepared)] = 7;
    log.info(log::InfoKey::Exe, "/nowhere/work");
    log.info(log::InfoKey::Argv, std::string("./work\0--fast", 13));
    const std::uint32_t binary = log.module(module);
    const std::uint32_t main = log.node(0, log.native(binary, 0x100));
    const std::uint32_t outer = log.node(main, log.native(binary, 0x200));
    const std::uint32_t inner = log.node(outer, log.native(binary, 0x300));
    log.thread(0).flags = log::kThreadMain;
    log.thread(0).cpu_ns = 40'000'000;
    log.thread(0).cpu_samples = 4;
    log.thread(0).allocations = 1;
    log.thread(0).allocated_bytes = 4096;
    log.cpu(inner, 3, 30'000'000);
    log.cpu(outer, 1, 10'000'000);
    log::HeapWords block{};
    block.count = log::kCountUnit;
    block.bytes = 4096;
    block.samples = 1;
    log.memory(log::RecordClass::Heap, outer, block);
    log.child(101, 9, log.header.end_monotonic_ns);
    log.write(directory() / "100.1.proflog");
  }

  void write_child(const std::string& module) {
    LogBuilder log;
    log.header.log_id = 2;
    log.header.parent_log_id = 1;
    log.header.pid = 101;
    log.header.ppid = 100;
    log.header.origin = log::Origin::Forked;
    log.header.start_realtime_ns += 500'000'000;
    log.header.start_monotonic_ns += 500'000'000;
    log.header.end = log::End::Running;
    log.header.end_monotonic_ns = 0;
    log.header.cpu_ns = 20'000'000;
    const std::uint32_t binary = log.module(module);
    const std::uint32_t main = log.node(0, log.native(binary, 0x100));
    log.thread(0).flags = log::kThreadMain;
    log.thread(0).cpu_ns = 20'000'000;
    log.thread(0).cpu_samples = 2;
    log.cpu(main, 2, 20'000'000);
    log.write(directory() / "101.1.proflog");
  }
};

}  // namespace prof::test
