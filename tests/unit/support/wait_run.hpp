// A run of two processes that wait, with known figures, for tests of what is folded and shown of it.
//
//   process 500 "python3 load.py", 2 s, Python code train() in /app/load.py, native ones in a library that does not
//   exist ("libwork.so+0x100"):
//     thread 1000, main: 600 ms of CPU time, 30 ms in the run queue
//       train:10                      500 ms CPU
//       train:20 > 0x100 > read       500 ms in 4 calls, of them 100 ms CPU: 400 ms blocked
//       train:30 > nanosleep          700 ms in 1 call
//       train:40 > cudaStreamSynchronize   50 ms in 1 call
//       all calls: read 1,000 (2 failed, EAGAIN), 500 ms, 1 us to 200 ms, 1 MiB; nanosleep 1; pthread_mutex_lock 0, and
//       50 without waiting
//     thread 1001, "worker": in epoll_wait since 0.5 s; nothing else is known of it
//     thread 1002: 1 s of CPU time, 200 ms in the run queue, 1.5 s in pthread_cond_wait: more than it lived
//     thread 1003: 1 s of CPU time, 200 ms in the run queue, 900 ms in pthread_join
//   process 501, forked by 500, 2 s, PROF_WAIT=off: 100 ms of CPU time
#pragma once

#include <string>

#include "tests/unit/support/loaded_run.hpp"

namespace prof::test {

class WaitRun : public LoadedRun {
 public:
  explicit WaitRun(bool traced = false) {
    write_parent(traced);
    write_child();
    load();
  }

 private:
  static constexpr std::uint64_t kUs = 1'000, kMs = 1'000'000;

  void write_parent(bool traced) {
    LogBuilder log;
    using R = log::RecordClass;
    using N = log::NameKind;
    log.header.pid = 500;
    log.header.log_id = 1;
    log.header.cpu_ns = 2'600 * kMs;
    log.info(log::InfoKey::Argv, std::string("python3\0load.py", 15));
    log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames");
    log.info(log::InfoKey::Options, "PROF_WAIT=on");
    const auto library = log.module("/nowhere/libwork.so");
    const auto train = log.code("train", "train", "/app/load.py", 0, table(), log::CodeKind::Code, 10);
    const auto line = [&](std::uint32_t number) { return log.node(0, log.python(train, (number - 1) * 2)); };
    const auto read = log.named(N::Wait, "read", "file");  // name 1
    const auto sleep = log.named(N::Wait, "nanosleep", "sleep");
    const auto lock = log.named(N::Wait, "pthread_mutex_lock", "lock");
    const auto condition = log.named(N::Wait, "pthread_cond_wait", "lock");
    const auto join = log.named(N::Wait, "pthread_join", "lock");
    const auto poll_name = log.name(N::Wait, "epoll_wait", "poll");

    log.cpu(line(10), 50, 500 * kMs);
    const auto reading = log.node(log.node(line(20), log.native(library, 0x100)), read);
    log.cpu(reading, 10, 100 * kMs);
    log.record(R::Wait, reading, log::WaitWords{4 * log::kCountUnit, 500 * kMs, 4});
    log.record(R::Wait, log.node(line(30), sleep), log::WaitWords{log::kCountUnit, 700 * kMs, 1});
    const auto synchronising = log.node(line(40), log.named(N::Api, "cudaStreamSynchronize", "CUDA runtime"));
    log.record(R::Wait, synchronising, log::WaitWords{log::kCountUnit, 50 * kMs, 1});
    log.record(R::Api, synchronising, log::ApiWords{1, 0, 50 * kMs, 50 * kMs, 50 * kMs, 0, 0, 0});
    log.record(R::Wait, log.node(log.node(0, log.native(library, 0x200)), condition),
               log::WaitWords{3 * log::kCountUnit, 1'500 * kMs, 3}, 2);
    log.cpu(log.node(0, log.native(library, 0x200)), 100, 1'000 * kMs, 2);

    log.cpu(log.node(0, log.native(library, 0x200)), 100, 1'000 * kMs, 3);
    const auto totals = log.node(0, log.special(log::SpecialFrame::Waits));
    log.record(R::WaitTotal, log.node(totals, read),
               log::WaitTotalWords{1'000, 2, 500 * kMs, 0, kUs, 200 * kMs, 1 << 20, 11, 0});
    log.record(R::WaitTotal, log.node(totals, sleep),
               log::WaitTotalWords{1, 0, 700 * kMs, 0, 700 * kMs, 700 * kMs, 0, 0, 0});
    log.record(R::WaitTotal, log.node(totals, lock), log::WaitTotalWords{0, 0, 0, 0, 0, 0, 0, 0, 50});
    log.record(R::WaitTotal, log.node(totals, condition),
               log::WaitTotalWords{3, 0, 1'500 * kMs, 0, 400 * kMs, 600 * kMs, 0, 0, 0}, 2);
    log.record(R::WaitTotal, log.node(totals, join),
               log::WaitTotalWords{1, 0, 900 * kMs, 0, 900 * kMs, 900 * kMs, 0, 0, 0}, 3);
    const auto spreads = log.node(0, log.special(log::SpecialFrame::Spreads));
    log::SpreadWords reads = spread(10 * kUs, 998);
    reads.count[log::spread_class(200 * kMs)] = 2;
    log.record(R::Spread, log.node(spreads, read), reads);
    log.record(R::Spread, log.node(spreads, sleep), spread(700 * kMs, 1));

    log.thread(0).flags = log::kThreadMain;
    log.thread(0).cpu_ns = 600 * kMs;
    std::strcpy(log.thread(1).name, "worker");
    log.thread(2).cpu_ns = 1'000 * kMs;
    log.thread(3).cpu_ns = 1'000 * kMs;
    log::ThreadUseRecord main{}, worker{}, other{};
    main.known = other.known = log::kKnowsRunQueue;
    main.noted_ns = other.noted_ns = log.header.end_monotonic_ns;
    main.run_queue_ns = 30 * kMs;
    other.run_queue_ns = 200 * kMs;
    worker.open_frame = log::named_frame(poll_name, 0);
    worker.open_since = log.header.start_monotonic_ns + 500 * kMs;
    log.thread_uses({main, worker, other, other});
    if (traced) {
      log::TraceEvent event{};
      event.kind = static_cast<std::uint32_t>(log::TraceKind::Wait);
      event.frame = log::named_frame(1, 0);
      event.node = reading;
      event.start_ns = log.header.start_monotonic_ns + 10 * kMs;
      event.end_ns = event.start_ns + 200 * kMs;
      event.tid = 1000;
      event.bytes = 4096;
      log.trace({event}, 4, 1);
    }
    log.write(directory() / "500.1.proflog");
  }

  void write_child() {
    LogBuilder log;
    log.header.pid = 501;
    log.header.ppid = 500;
    log.header.log_id = 2;
    log.header.parent_log_id = 1;
    log.header.origin = log::Origin::Forked;
    log.header.start_realtime_ns += kMs;
    log.header.cpu_ns = 100 * kMs;
    log.info(log::InfoKey::Options, "PROF_WAIT=off");
    log.thread(0).flags = log::kThreadMain;
    log.thread(0).cpu_ns = 100 * kMs;
    log.cpu(log.node(0, log.native(log.module("/nowhere/libwork.so"), 0x300)), 10, 100 * kMs);
    log.write(directory() / "501.1.proflog");
  }
};

}  // namespace prof::test
