// Where the holder of a lock was seen, and locks that lie on a thread's stack.
#pragma once

#include <cstring>
#include <string>

#include "report/fold/waiting/locks.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/loaded_run.hpp"

namespace prof::test {

// worker() waits for a lock on the stack of the thread "keeper", which was last seen in flush(), and for two locks that
// make() made: the longer of these waits while it was in save().
class HeldRun : public LoadedRun {
 public:
  HeldRun() {
    LogBuilder log;
    log.info(log::InfoKey::Options, "PROF_WAIT=on");
    log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames");
    log.thread(0).flags = log::kThreadMain;
    std::strcpy(log.thread(1).name, "keeper");
    const auto at = [&](const char* name, std::uint32_t line) {
      const auto code = log.code(name, name, "/app/pool.py", 1, "", log::CodeKind::Code, 10);
      return log.node(0, log.python_line(code, line));
    };
    const auto call = log.named(log::NameKind::Wait, "pthread_mutex_lock", "lock");
    const auto worker = log.node(at("worker", 5), call), flush = at("flush", 30), save = at("save", 40);
    const auto make = at("make", 2);
    log.record(log::RecordClass::Wait, worker, log::WaitWords{3 * log::kCountUnit, 16 * kMs, 3});
    const auto locks = log.node(0, log.special(log::SpecialFrame::Locks));
    const auto lock = [&](std::uint32_t frame, std::uint64_t ns, std::uint32_t holder_node, std::uint32_t created,
                          std::uint64_t stack_of, std::uint32_t slot = 0) {
      log::LockWords words{};
      words.kind = static_cast<std::uint64_t>(log::LockKind::Mutex);
      words.waits = 1;
      words.ns = words.max_ns = ns;
      words.longest_holder = 1001;
      words.longest_waiter = worker;
      words.created = created;
      words.holder_node = holder_node;
      words.stack_of = stack_of;
      log.record(log::RecordClass::Lock, log.node(locks, frame), words, slot);
    };
    const auto anonymous = [&](std::uint64_t address) {
      return log.frame(log::frame_word(log::FrameKind::Anonymous, address));
    };
    const std::uint32_t on_stack = anonymous(kStack);
    lock(on_stack, 9 * kMs, flush, 0, 1001);
    lock(on_stack, kMs, save, 0, 0, 1);  // a shorter wait of another thread
    lock(anonymous(0x7f0000001000), 2 * kMs, flush, make, 0);
    lock(anonymous(0x7f0000002000), 3 * kMs, save, make, 0);
    // A variable keeps its name, whatever is said of stacks; nobody saw where its holder was.
    lock(log.native(log.module("/nowhere/libwork.so"), 0x4060), kMs / 2, 0, 0, 1001);
    load(log);
  }

  std::string name_of(std::uint32_t location) const {
    return location == fold::kNobody ? "" : symbols.function(symbols.location(location).function).name;
  }

 private:
  static constexpr std::uint64_t kMs = 1'000'000;
  static constexpr std::uint64_t kStack = 0x7ffd00001000;
};

}  // namespace prof::test
