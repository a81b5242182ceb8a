#include "agent/range/itt.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "agent/capture/window.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/range/ranges.hpp"
#include "agent/thread/guard.hpp"

namespace prof::range {
namespace {

// The ABI of ittnotify 3, in declarations of our own.
struct Function {
  const char* name;  // null: no more
  void** pointer;
  void* initial;
  void* null;
  int group;
};
struct Global {
  unsigned char magic[8];
  unsigned long version[3];
  long api_initialized, mutex_initialized, counter;
  pthread_mutex_t mutex;
  void* library;
  void* error_handler;
  const char** path;
  Function* functions;
};
static_assert(offsetof(Global, functions) == 120);
struct Domain {
  int flags;  // 0: switched off
  const char* name;
};
struct String {
  const char* text;
};
struct Id {
  unsigned long long d[3];
};

std::string_view text(const char* s) { return s != nullptr ? std::string_view(s) : std::string_view(); }
std::string_view name_of(const Domain* d) { return d != nullptr ? text(d->name) : std::string_view(); }
std::string_view text_of(const String* s) { return s != nullptr ? text(s->text) : std::string_view(); }

// Ranges that are ended by the program's own id of them: frames, regions, overlapping tasks. A place is its owner's
// from when its `started` is taken until it is stored, and what is read of it holds if it is still that afterwards.
struct Identified {
  std::atomic<std::uint64_t> started;  // 0: free; kTaken: it is being filled. No two ranges have the same one
  std::atomic<const Domain*> domain;
  std::atomic<unsigned long long> id[3];
};
constexpr std::uint64_t kTaken = kNoStarted;
constexpr std::uint32_t kMostIdentified = 256;
struct IdentifiedRanges {
  Identified at[kMostIdentified];
};
PROF_WIPED constinit pages::Wiped<IdentifiedRanges> g_identified{};

bool is(const Identified& r, const Domain* domain, const Id& id) {
  for (unsigned i = 0; i < 3; ++i) {
    if (r.id[i].load(std::memory_order_relaxed) != id.d[i]) return false;
  }
  return r.domain.load(std::memory_order_relaxed) == domain;
}

void begin_identified(const Domain* domain, const Id& id, std::string_view name) {
  const std::uint64_t started = start(name, name_of(domain));
  if (started == kNoStarted) return;
  {
    const HookGuard guard;
    if (!guard) return;
    for (Identified& r : g_identified.value.at) {
      std::uint64_t free = 0;
      if (r.started.load(std::memory_order_relaxed) != 0 || !r.started.compare_exchange_strong(free, kTaken)) continue;
      r.domain.store(domain, std::memory_order_relaxed);
      for (unsigned i = 0; i < 3; ++i) r.id[i].store(id.d[i], std::memory_order_relaxed);
      r.started.store(started, std::memory_order_release);
      return;
    }
  }
  end(started);  // nobody would find it again
}

// The last one begun: several may be open under one id, or none.
std::uint64_t take_identified(const Domain* domain, const Id& id) {
  const HookGuard guard;
  if (!guard) return kNoStarted;
  constexpr unsigned kTries = 16;  // another thread may end the same one
  for (unsigned i = 0; i < kTries; ++i) {
    Identified* last = nullptr;
    std::uint64_t newest = 0;
    for (Identified& r : g_identified.value.at) {
      const std::uint64_t started = r.started.load(std::memory_order_acquire);
      if (started <= newest || started == kTaken || !is(r, domain, id)) continue;
      last = &r;
      newest = started;
    }
    if (last == nullptr) break;
    if (last->started.compare_exchange_strong(newest, 0)) return newest;
  }
  return kNoStarted;
}

void end_identified(const Domain* domain, const Id& id) { end(take_identified(domain, id)); }

void task_begin(const Domain* d, Id, Id, const String* name) { push(text_of(name), name_of(d)); }
void task_end(const Domain* d) { pop(name_of(d)); }
void overlapped_begin(const Domain* d, Id id, Id, const String* name) { begin_identified(d, id, text_of(name)); }
void overlapped_end(const Domain* d, Id id) { end_identified(d, id); }
void region_begin(const Domain* d, Id id, Id, const String* name) { begin_identified(d, id, text_of(name)); }
void region_end(const Domain* d, Id id) { end_identified(d, id); }
void frame_begin(const Domain* d, const Id* id) { begin_identified(d, id != nullptr ? *id : Id{}, "frame"); }
void frame_end(const Domain* d, const Id* id) { end_identified(d, id != nullptr ? *id : Id{}); }
void marker(const Domain* d, Id, const String* name, int) { mark(text_of(name), name_of(d)); }
void resume() { capture::profiler_started(); }
void pause() { capture::profiler_stopped(); }

struct Row {
  std::string_view name;
  void* function;
};
template <class F>
Row row(std::string_view name, F* function) {
  return {name, reinterpret_cast<void*>(function)};
}

}  // namespace

void attach_itt(void* state) {
  const bool wanted = process().stage.load(std::memory_order_acquire) == Stage::Ready && process().options.ranges;
  // What is not ours stays with the library itself: domains, strings and the like are kept there. All else it must find
  // missing, as its callers take what is there for one that answers: OpenMP's of LLVM ends its program otherwise.
  const Row rows[] = {row("__itt_task_begin", task_begin),
                      row("__itt_task_end", task_end),
                      row("__itt_task_begin_overlapped", overlapped_begin),
                      row("__itt_task_end_overlapped", overlapped_end),
                      row("__itt_region_begin", region_begin),
                      row("__itt_region_end", region_end),
                      row("__itt_frame_begin_v3", frame_begin),
                      row("__itt_frame_end_v3", frame_end),
                      row("__itt_marker", marker),
                      row("__itt_resume", resume),
                      row("__itt_pause", pause)};
  const auto* global = static_cast<const Global*>(state);
  if (global == nullptr || global->functions == nullptr) return;
  for (const Function* f = global->functions; f->name != nullptr; ++f) {
    if (f->pointer == nullptr) continue;
    const auto* const ours =
        std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.name == f->name; });
    *f->pointer = wanted && ours != std::end(rows) ? ours->function : f->null;
  }
}

void prepare_itt() { pages::wipe_in_child(g_identified); }

}  // namespace prof::range
