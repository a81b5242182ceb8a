#include "agent/python/loop_code.hpp"

#include <atomic>
#include <initializer_list>
#include <string_view>

#include "agent/core/process.hpp"
#include "agent/python/stack_switchers.hpp"

namespace prof::python {
namespace {

// Ids of the loop's functions: of several versions of a file, the first ones.
constexpr std::size_t kMostLoops = 4;
using Ids = std::atomic<std::uint32_t>[kMostLoops];
Ids g_selects;    // EpollSelector.select and the like
Ids g_waits;      // BaseEventLoop._run_once
Ids g_runs;       // BaseEventLoop.run_until_complete
Ids g_acquires;   // Lock.acquire and Semaphore.acquire
Ids g_callbacks;  // Handle._run
Ids g_factories;  // what create_eager_task_factory() makes
// The process that gave these ids: a forked child has a log of its own, with ids of its own.
std::atomic<std::uint32_t> g_process{0};
constexpr std::uint32_t kLoopFrames = 8;  // among which the loop's functions are looked for

bool ends_with(const TextObject& text, std::string_view end) {
  if (text.length < end.size() || text.unit_bytes != 1) return false;
  return std::string_view(static_cast<const char*>(text.units) + (text.length - end.size()), end.size()) == end;
}

bool of_this_process() {
  return g_process.load(std::memory_order_acquire) == static_cast<std::uint32_t>(process().pid);
}

void note(Ids& ids, std::uint32_t id) {
  if (!of_this_process()) {
    for (Ids* all : {&g_selects, &g_waits, &g_runs, &g_acquires, &g_callbacks, &g_factories}) {
      for (auto& known : *all) known.store(0, std::memory_order_relaxed);
    }
    g_process.store(static_cast<std::uint32_t>(process().pid), std::memory_order_release);
  }
  g_work_may_be_named.store(true, std::memory_order_relaxed);
  for (auto& known : ids) {
    std::uint32_t expected = 0;
    if (known.load(std::memory_order_relaxed) == id || known.compare_exchange_strong(expected, id)) return;
  }
}

bool is_any(const Ids& ids, std::uint64_t id) {
  for (const auto& known : ids) {
    if (id != 0 && known.load(std::memory_order_relaxed) == id) return true;
  }
  return false;
}

bool is_any_entry(const Ids& ids, std::uint64_t entry) { return is_any(ids, (entry & ~kPythonEntry) >> 32); }

}  // namespace

void note_loop_code(std::uint32_t id, const TextObject& name, const TextObject& file) {
  if (name.length == 6 && ends_with(name, "select") && ends_with(file, "/selectors.py")) note(g_selects, id);
  if (name.length == 7 && ends_with(name, "acquire") && ends_with(file, "/asyncio/locks.py")) note(g_acquires, id);
  if (name.length == 4 && ends_with(name, "_run") && ends_with(file, "/asyncio/events.py")) note(g_callbacks, id);
  if (name.length == 7 && ends_with(name, "factory") && ends_with(file, "/asyncio/tasks.py")) note(g_factories, id);
  if (!ends_with(file, "/asyncio/base_events.py")) return;
  if (name.length == 9 && ends_with(name, "_run_once")) note(g_waits, id);
  if (name.length == 18 && ends_with(name, "run_until_complete")) note(g_runs, id);
}

bool loops_seen() { return g_waits[0].load(std::memory_order_relaxed) != 0 && of_this_process(); }

bool runs_callback(std::uint32_t code) { return is_any(g_callbacks, code); }

bool starts_eagerly(std::uint32_t code) { return is_any(g_factories, code); }

bool is_acquire(std::uint64_t entry) { return is_any_entry(g_acquires, entry); }

std::uint32_t loop_frame(const FrameList& list) {
  const std::uint32_t end = list.frames < kLoopFrames ? list.frames : kLoopFrames;
  // Callbacks run in the loop, too: what waits there is no wait of the loop.
  if (end < 2 || !is_any_entry(g_selects, list.entries[0]) || !is_any_entry(g_waits, list.entries[1])) return 0;
  for (std::uint32_t i = 2; i < end; ++i) {
    if (is_any_entry(g_runs, list.entries[i])) return i;
  }
  return 0;
}

}  // namespace prof::python
