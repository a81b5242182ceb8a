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
#include "tests/fakes/libcupti/layout.hpp"

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
  std::size_t unfinished = 0;  // records of work that has not ended
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
// The list keeps it when the thread ends.
Sink& sink_of(std::uint32_t thread) {
  static auto& mutex = *new std::mutex;
  static auto& sinks = *new std::map<std::uint32_t, std::shared_ptr<Sink>>;
  if (thread == 0 || version() < 130000) return shared_sink();
  const std::lock_guard lock(mutex);
  std::shared_ptr<Sink>& sink = sinks[thread];
  if (sink == nullptr) sink = add_sink();
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
      flush(false);
    }
    deliver();
  }
}

}  // namespace

void set_callbacks(Request request, Complete complete) {
  state().request = request;
  state().complete = complete;
}

namespace {

// Of what a buffer costs, CUPTI tells when it has one, and not of what a flush costs (measured with CUDA 13.0).
void tell_of_request(Sink& sink) {
  const std::size_t bytes = record_size(kOverhead);
  if (!wanted().kinds[kOverhead] || sink.used + bytes > sink.size) return;
  Record<56> record;
  const std::uint64_t at = timestamp(now());
  record.field(0, static_cast<std::uint32_t>(kOverhead));
  record.field(at::overhead::type, std::uint32_t{7U << 16});
  record.field(at::overhead::start, at - 1000);
  record.field(at::overhead::end, at);
  memcpy(sink.buffer + sink.used, record.bytes, bytes);
  sink.used += bytes;
  ++sink.records;
}

// False: there is no room for a record of so many bytes, and there will be none.
bool make_room(Sink& sink, std::size_t bytes) {  // with the sink locked
  if (sink.buffer != nullptr &&
      (sink.used + bytes > sink.size || (sink.max_records != 0 && sink.records == sink.max_records))) {
    enqueue(sink);
  }
  if (sink.buffer != nullptr) return true;
  const Request request = state().request.load();
  if (request == nullptr) return false;
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0, max_records = 0;
  request(&buffer, &size, &max_records);
  if (buffer == nullptr || size < bytes) {
    if (version() < 27) {
      write_ledger(R"({"t":"misuse","pid":%d,"function":"request","what":"no buffer"})", getpid());
      abort();  // the real one crashes
    }
    return false;
  }
  if (reinterpret_cast<std::uintptr_t>(buffer) % 8 != 0) abort();
  sink.buffer = buffer;
  sink.size = size;
  sink.used = sink.records = 0;
  sink.max_records = max_records;
  tell_of_request(sink);
  return sink.used + bytes <= sink.size;
}

}  // namespace

void expect_record(std::uint32_t thread) {
  Sink& sink = sink_of(thread);
  const std::lock_guard lock(sink.mutex);
  ++sink.unfinished;
  make_room(sink, record_size(kConcurrentKernel));
}

void record_is_finished(std::uint32_t thread) {
  Sink& sink = sink_of(thread);
  const std::lock_guard lock(sink.mutex);
  if (sink.unfinished != 0) --sink.unfinished;  // what was expected before anybody listened was not counted
}

void put(const void* record, std::size_t bytes, std::uint32_t thread) {
  Sink& sink = sink_of(thread);
  const std::lock_guard lock(sink.mutex);
  if (!make_room(sink, bytes)) return count_dropped();
  memcpy(sink.buffer + sink.used, record, bytes);
  sink.used += bytes;
  ++sink.records;
}

void flush(bool forced) {
  std::vector<std::shared_ptr<Sink>> all;
  {
    const std::lock_guard lock(state().mutex);
    all = state().sinks;
  }
  for (const auto& sink : all) {
    const std::lock_guard lock(sink->mutex);
    if (sink->used != 0 && (forced || sink->unfinished == 0)) enqueue(*sink);
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
