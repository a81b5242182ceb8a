#include "agent/trace/trace.hpp"

#include "agent/capture/window.hpp"
#include "agent/core/hot_data.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/feature.hpp"

namespace prof::trace {
namespace {

struct Ring {
  std::atomic<log::TraceHeader*> header;
  std::atomic<bool> failed;  // there was no room in the log
};
PROF_WIPED constinit pages::Wiped<Ring> g_ring{};

log::TraceEvent* events_of(log::TraceHeader* header) { return reinterpret_cast<log::TraceEvent*>(header + 1); }

log::TraceHeader* make_ring() {
  Ring& ring = g_ring.value;
  if (ring.failed.load(std::memory_order_relaxed) || !log::ensure_created()) return nullptr;
  const std::uint64_t bytes = process().options.trace_bytes;
  log::ChunkHeader* chunk =
      log::take_chunk(log::ChunkType::Trace, 0, 0, sizeof(log::ChunkHeader) + sizeof(log::TraceHeader) + bytes);
  if (chunk == nullptr) {
    ring.failed.store(true, std::memory_order_relaxed);
    return nullptr;
  }
  auto* made = log::content<log::TraceHeader>(chunk);
  made->event_bytes = sizeof(log::TraceEvent);
  __atomic_store_n(&made->events, static_cast<std::uint32_t>(bytes / sizeof(log::TraceEvent)), __ATOMIC_RELEASE);
  log::TraceHeader* before = nullptr;
  if (ring.header.compare_exchange_strong(before, made)) return made;
  log::give_up_chunk(chunk);
  return before;
}

}  // namespace

void note(const log::TraceEvent& event) {
  log::TraceHeader* header = g_ring.value.header.load(std::memory_order_acquire);
  if (header == nullptr) header = make_ring();
  if (header == nullptr) return;
  const std::uint64_t n = __atomic_fetch_add(&header->next, 1, __ATOMIC_RELAXED);
  log::TraceEvent& e = events_of(header)[n % header->events];
  __atomic_store_n(&e.sequence, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  log::TraceEvent copy = event;
  copy.sequence = 0;
  e = copy;
  __atomic_store_n(&e.sequence, n + 1, __ATOMIC_RELEASE);
}

bool wanted_at(std::uint64_t ns) {
  return process().options.trace_bytes != 0 && capture::covers(ns) && capture::was_detailed(ns);
}

void prepare_trace() { pages::wipe_in_child(g_ring); }

extern constinit const Feature feature{.prepare = prepare_trace};

}  // namespace prof::trace
