#include "agent/life/start.hpp"

#include <atomic>
#include <cstring>

#include "agent/core/free_list.hpp"
#include "agent/core/helper_thread.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/java/connection.hpp"
#include "agent/log/file.hpp"
#include "agent/python/thread_names.hpp"
#include "agent/thread/entry.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/threads.hpp"
#include "agent/unwind/objects.hpp"

namespace prof::threads {
namespace {

constexpr std::size_t kBoxesPerBlock = 40;  // a page

// `next_free` stands beside what a thread is about to be started with, which may be read while the box is in use.
struct Box {
  Start start;
  Box* next_free;
};
PROF_WIPED constinit pages::Wiped<FreeList<Box, &Box::next_free>> g_boxes{};
PROF_WIPED constinit pages::Wiped<std::atomic<std::int32_t>> g_starting{};

Box* take_box() {
  FreeList<Box, &Box::next_free>& boxes = g_boxes.value;
  if (Box* box = boxes.pop()) return box;
  auto* block = static_cast<Box*>(pages::map(kBoxesPerBlock * sizeof(Box), pages::InChild::Gone));
  if (block == nullptr) return nullptr;
  for (std::size_t i = 1; i < kBoxesPerBlock; ++i) boxes.push(&block[i]);
  return &block[0];
}

void give_box(Box* box) { g_boxes.value.push(box); }

}  // namespace

Start* make_start(Routine routine, void* argument) {
  const HookGuard guard;
  if (!guard || !log::ensure_created()) return nullptr;
  log::make_room();
  settle(guard.thread());
  Box* box = take_box();
  if (box == nullptr) return nullptr;
  helper_thread::thread_begins();
  g_starting.value.fetch_add(1, std::memory_order_relaxed);
  java::thread_starts(reinterpret_cast<const void*>(routine));
  box->start = {routine, argument, tls.host_blocks, {}};
  // With the interpreter's own function, not what stands for it.
  python::name_of_new_thread(reinterpret_cast<const void*>(routine), argument, box->start.python_name);
  return &box->start;
}

void drop_start(Start* start) {
  helper_thread::thread_ended();
  g_starting.value.fetch_sub(1, std::memory_order_relaxed);
  give_box(reinterpret_cast<Box*>(start));
}

void* run_started(void* argument) {
  const Start start = *static_cast<Start*>(argument);
  give_box(static_cast<Box*>(argument));
  tls.host_blocks = start.host_blocks;
  {
    const AtWork work;
    refresh_objects();
    ThreadState* t = register_current(reinterpret_cast<const void*>(start.routine));
    if (t != nullptr) std::memcpy(t->record->python_name, start.python_name, sizeof(start.python_name));
  }
  g_starting.value.fetch_sub(1, std::memory_order_release);
  return start.routine(start.argument);
}

bool any_starting() { return g_starting.value.load(std::memory_order_acquire) > 0; }

void prepare_starts() {
  pages::wipe_in_child(g_boxes);
  pages::wipe_in_child(g_starting);
}

}  // namespace prof::threads
