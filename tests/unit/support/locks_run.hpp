// Locks that are variables, and locks on the heap.
#pragma once

#include <cstring>
#include <string>

#include "tests/support/log_builder.hpp"
#include "tests/unit/support/loaded_run.hpp"

namespace prof::test {

// Two processes: a lock that is a variable of a library in both, and one on the heap of each at the same address.
//
//   take() in libwork.so (0x100) waits for the variable, thread "keeper" holds it; worker() in /app/pool.py for the
//   lock on the heap, which make() made, like another one.
class LockRun : public LoadedRun {
 public:
  LockRun() {
    write(100, 10 * kMs);
    write(101, 40 * kMs);
    load();
  }

 private:
  void write(std::uint32_t pid, std::uint64_t longest) {
    using R = log::RecordClass;
    LogBuilder log;
    log.header.pid = pid;
    log.header.log_id = pid;
    log.header.start_realtime_ns += pid;
    log.info(log::InfoKey::Options, "PROF_WAIT=on");
    log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames");
    log.thread(0).flags = log::kThreadMain;
    std::strcpy(log.thread(1).name, "keeper");
    const auto library = log.module("/nowhere/libwork.so");
    const auto code = [&](const char* name, int line) {
      return log.code(name, name, "/app/pool.py", line, "", log::CodeKind::Code, 10);
    };
    const auto lock_call = log.named(log::NameKind::Wait, "pthread_mutex_lock", "lock");
    const auto take = log.node(log.node(0, log.native(library, 0x100)), lock_call);
    const auto worker = log.node(log.node(0, log.python(code("worker", 5), 0)), lock_call);
    const auto make = log.node(0, log.python(code("make", 2), 0));
    log.record(R::Wait, take, log::WaitWords{3 * log::kCountUnit, longest + 5 * kMs, 3});
    log.record(R::Wait, worker, log::WaitWords{2 * log::kCountUnit, 7 * kMs, 2});

    const auto locks = log.node(0, log.special(log::SpecialFrame::Locks));
    log::LockWords words{};
    words.kind = static_cast<std::uint64_t>(log::LockKind::Mutex);
    words.waits = 3;
    words.ns = longest + 5 * kMs;
    words.max_ns = longest;
    words.longest_holder = 1001;
    words.longest_waiter = take;
    log.record(R::Lock, log.node(locks, log.native(library, 0x4060)), words);
    const auto heap = log.node(locks, log.frame(log::frame_word(log::FrameKind::Anonymous, kHeap)));
    log::LockWords half{};
    half.kind = words.kind;
    half.waits = 1;
    half.ns = half.max_ns = 3 * kMs;
    half.longest_waiter = worker;
    half.longest_holder = 4711;
    half.created = make;
    log.record(R::Lock, heap, half, 0);
    half.ns = half.max_ns = 4 * kMs;
    half.longest_holder = 1001;
    half.failed = 1;
    log.record(R::Lock, heap, half, 1);
    // Another one of the same place.
    half.ns = half.max_ns = kMs;
    half.failed = 0;
    log.record(R::Lock, log.node(locks, log.frame(log::frame_word(log::FrameKind::Anonymous, kHeap + 64))), half, 0);

    const auto waits = log.node(0, log.special(log::SpecialFrame::Waits));
    log::WaitTotalWords total{};
    total.calls = 5;
    total.total_ns = longest + 12 * kMs;
    total.uncontended = 1'000;
    log.record(R::WaitTotal, log.node(waits, lock_call), total);
    log.write(directory() / (std::to_string(pid) + ".1.proflog"));
  }

  static constexpr std::int64_t kMs = 1'000'000;
  static constexpr std::uint64_t kHeap = 0x7fffee001230;
};

}  // namespace prof::test
