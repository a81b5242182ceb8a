// Buffers: asked for by the thread that has a record and no room for it, handed back by the worker thread when they are
// full, and by whoever flushes.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/fakes/libcupti/cupti.hpp"

namespace fakegpu::cupti {
namespace {

struct Filled {
  std::uint8_t* buffer;
  std::size_t size, used;
};

struct Sink {
  std::mutex mutex;
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0, used = 0, records = 0, max_records = 0;
};

struct State {
  std::mutex mutex;  // of the sinks' list and the queue; never held around a callback
  std::condition_variable filled;
  std::vector<std::shared_ptr<Sink>> sinks;
  std::deque<Filled> queue;
  bool worker = false;
  std::uint32_t period_ms = 0;
  std::mutex delivering;  // one at a time, in order
  std::atomic<Request> request{nullptr};
  std::atomic<Complete> complete{nullptr};
  std::atomic<std::size_t> dropped{0};
};
State& state() {
  static auto& made = *new State;
  return made;
}

std::shared_ptr<Sink> add_sink() {
  auto sink = std::make_shared<Sink>();
  const std::lock_guard lock(state().mutex);
  state().sinks.push_back(sink);
  return sink;
}

Sink& shared_sink() {
  static auto& sink = *new std::shared_ptr<Sink>(add_sink());
  return *sink;
}
Sink& own_sink() {
  thread_local std::shared_ptr<Sink> sink = add_sink();  // the list keeps it when the thread ends
  return *sink;
}

void enqueue(Sink& sink) {  // with the sink locked
  if (sink.buffer == nullptr) return;
  {
    const std::lock_guard lock(state().mutex);
    state().queue.push_back({sink.buffer, sink.size, sink.used});
  }
  sink.buffer = nullptr;
  state().filled.notify_all();
}

void deliver() {
  const std::lock_guard one(state().delivering);
  for (;;) {
    Filled next;
    {
      const std::lock_guard lock(state().mutex);
      if (state().queue.empty()) return;
      next = state().queue.front();
      state().queue.pop_front();
    }
    if (const Complete complete = state().complete.load()) complete(nullptr, 0, next.buffer, next.size, next.used);
  }
}

void work() {
  pthread_setname_np(pthread_self(), "fakecupti");
  std::uint64_t last = now();
  for (;;) {
    std::uint32_t period = 0;
    {
      std::unique_lock lock(state().mutex);
      period = state().period_ms;
      state().filled.wait_for(lock, std::chrono::milliseconds(period != 0 ? period : 1000),
                              [] { return !state().queue.empty(); });
    }
    if (period != 0 && now() - last >= period * 1'000'000ULL) {
      last = now();
      release_held(false);
      flush();
    }
    deliver();
  }
}

}  // namespace

void set_callbacks(Request request, Complete complete) {
  state().request = request;
  state().complete = complete;
}

void put(const void* record, std::size_t bytes, bool own) {
  Sink& sink = own && version() >= 130000 ? own_sink() : shared_sink();
  const std::lock_guard lock(sink.mutex);
  if (sink.buffer != nullptr &&
      (sink.used + bytes > sink.size || (sink.max_records != 0 && sink.records == sink.max_records))) {
    enqueue(sink);
  }
  if (sink.buffer == nullptr) {
    const Request request = state().request.load();
    if (request == nullptr) return count_dropped();
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, max_records = 0;
    request(&buffer, &size, &max_records);
    if (buffer == nullptr || size < bytes) {
      if (version() < 27) {
        write_ledger(R"({"t":"misuse","pid":%d,"function":"request","what":"no buffer"})", getpid());
        abort();  // the real one crashes
      }
      return count_dropped();
    }
    if (reinterpret_cast<std::uintptr_t>(buffer) % 8 != 0) abort();
    sink.buffer = buffer;
    sink.size = size;
    sink.used = sink.records = 0;
    sink.max_records = max_records;
  }
  memcpy(sink.buffer + sink.used, record, bytes);
  sink.used += bytes;
  ++sink.records;
}

void flush() {
  std::vector<std::shared_ptr<Sink>> all;
  {
    const std::lock_guard lock(state().mutex);
    all = state().sinks;
  }
  for (const auto& sink : all) {
    const std::lock_guard lock(sink->mutex);
    if (sink->used != 0) enqueue(*sink);
  }
  deliver();
}

std::size_t take_dropped() { return state().dropped.exchange(0); }
void count_dropped() { ++state().dropped; }

void start_worker() {
  const std::lock_guard lock(state().mutex);
  if (state().worker) return;
  state().worker = true;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(work).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void set_flush_period(std::uint32_t ms) {
  const std::lock_guard lock(state().mutex);
  state().period_ms = ms;
  state().filled.notify_all();
}

}  // namespace fakegpu::cupti
