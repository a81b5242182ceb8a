#include "agent/thread/start.hpp"

#include <cstring>

#include "agent/core/apart.hpp"
#include "agent/core/guard.hpp"
#include "agent/core/lock.hpp"
#include "agent/core/pages.hpp"
#include "agent/log/file.hpp"
#include "agent/process/process.hpp"
#include "agent/python/thread_names.hpp"
#include "agent/stack/objects.hpp"
#include "agent/thread/threads.hpp"

namespace prof::threads {
namespace {

constexpr std::size_t kBoxesPerBlock = 128;

union Box {
  Start start;
  Box* next_free;
};
struct Boxes {
  Lock lock;
  Box* free;
};
PROF_WIPED constinit pages::Wiped<Boxes> g_boxes{};

Box* take_box() {
  Boxes& b = g_boxes.value;
  {
    const HeldLock locked(b.lock);
    if (!locked) return nullptr;
    if (Box* box = b.free) {
      b.free = box->next_free;
      return box;
    }
  }
  auto* block = static_cast<Box*>(pages::map(kBoxesPerBlock * sizeof(Box), pages::InChild::Gone));
  if (block == nullptr) return nullptr;
  for (std::size_t i = 1; i + 1 < kBoxesPerBlock; ++i) block[i].next_free = &block[i + 1];
  const HeldLock locked(b.lock);
  if (locked) {
    block[kBoxesPerBlock - 1].next_free = b.free;
    b.free = &block[1];
  }
  return block;
}

void give_box(Box* box) {
  const HeldLock locked(g_boxes.value.lock);
  if (!locked) return;  // some bytes that nobody uses any more
  box->next_free = g_boxes.value.free;
  g_boxes.value.free = box;
}

}  // namespace

Start* make_start(Routine routine, void* argument) {
  const HookGuard guard;
  if (!guard || !log::ensure_created()) return nullptr;
  settle(guard.thread());
  Box* box = take_box();
  if (box == nullptr) return nullptr;
  apart::thread_begins();
  box->start = {routine, argument, tls.host_blocks_tick, {}};
  // With the interpreter's own function, not what stands for it.
  python::name_of_new_thread(reinterpret_cast<const void*>(routine), argument, box->start.python_name);
  return &box->start;
}

void drop_start(Start* start) {
  apart::thread_ended();
  give_box(reinterpret_cast<Box*>(start));
}

void* run_started(void* argument) {
  const Start start = *static_cast<Start*>(argument);
  give_box(static_cast<Box*>(argument));
  tls.host_blocks_tick = start.host_blocks_tick;
  ++tls.busy;
  ++tls.suppressed;
  refresh_objects();
  ThreadState* t = register_current(reinterpret_cast<const void*>(start.routine));
  if (t != nullptr) std::memcpy(t->record->python_name, start.python_name, sizeof(start.python_name));
  --tls.suppressed;
  --tls.busy;
  return start.routine(start.argument);
}

void prepare_starts() { pages::wipe_in_child(g_boxes); }

}  // namespace prof::threads
