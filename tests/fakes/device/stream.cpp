#include "tests/fakes/device/stream.hpp"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <map>
#include <thread>

namespace fakegpu {
namespace {

void write_work(const Work& work) {
  static const char* const kinds[] = {"kernel", "copy", "set", "host"};
  write_ledger(
      R"({"t":"work","pid":%d,"tid":%u,"kind":"%s","name":"%s","device":%u,"context":%u,"stream":%u,"start":%llu,"end":%llu,"bytes":%llu,"copy":%u,"from":%u,"to":%u,"correlation":%u,"graph":%u})",
      getpid(), work.tid, kinds[static_cast<int>(work.kind)], work.name, work.device, work.context, work.stream,
      static_cast<unsigned long long>(work.start), static_cast<unsigned long long>(work.end),
      static_cast<unsigned long long>(work.bytes), static_cast<unsigned>(work.copy), static_cast<unsigned>(work.from),
      static_cast<unsigned>(work.to), work.correlation, work.graph);
}

void sleep_until(std::uint64_t moment) {
  timespec t;
  t.tv_sec = static_cast<time_t>(moment / 1'000'000'000);
  t.tv_nsec = static_cast<long>(moment % 1'000'000'000);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) != 0) {
  }
}

struct Streams {
  std::mutex mutex;
  std::uint32_t next_id = 13;
  std::map<Stream*, std::unique_ptr<Stream>> all;
  std::map<const Context*, Stream*> defaults;
};
Streams& streams() {
  static auto& made = *new Streams;
  return made;
}

Stream* add_stream(std::uint32_t id, const Context* context) {  // with the streams locked
  auto stream = std::make_unique<Stream>(id, context);
  Stream* const at = stream.get();
  streams().all.emplace(at, std::move(stream));
  return at;
}

}  // namespace

void Stream::push(std::function<void(Stream&)> item) {
  const std::lock_guard lock(mutex_);
  items_.push_back(std::move(item));
  if (!threaded_) {
    threaded_ = true;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { loop(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  changed_.notify_all();
}

void Stream::loop() {
  pthread_setname_np(pthread_self(), "fakegpu");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !items_.empty() || closing_; });
    if (items_.empty()) return;
    const auto item = std::move(items_.front());
    items_.pop_front();
    running_ = true;
    lock.unlock();
    item(*this);
    lock.lock();
    running_ = false;
    changed_.notify_all();
  }
}

void Stream::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return items_.empty() && !running_; });
}

bool Stream::is_idle() {
  const std::lock_guard lock(mutex_);
  return items_.empty() && !running_;
}

void Stream::close() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  changed_.notify_all();
}

void Stream::run(Work& work) {
  work.start = std::max(work.start, last_end);  // it was given the time of its submission
  work.end = last_end = work.start + work.duration;
  if (Observer* const who = observer()) who->started(work);
  if (now() < work.end) sleep_until(work.end);
  if (work.body) work.body();
  if (work.kind == WorkKind::Host) return;
  write_work(work);
  if (Observer* const who = observer()) who->ended(work);
}

Stream* make_stream() {
  const std::lock_guard lock(streams().mutex);
  return add_stream(streams().next_id++, current());
}

void drop_stream(Stream* stream) { stream->close(); }  // the object stays: the thread may be at work in it

Stream* stream_of(const void* handle, bool per_thread) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number > 2) return static_cast<Stream*>(const_cast<void*>(handle));
  if (number == 2 || (number == 0 && per_thread)) {
    thread_local std::map<const Context*, Stream*> own;
    Stream*& stream = own[current()];
    if (stream == nullptr) stream = make_stream();
    return stream;
  }
  const std::lock_guard lock(streams().mutex);
  Stream*& stream = streams().defaults[current()];
  if (stream == nullptr) stream = add_stream(7, current());
  return stream;
}

std::uint32_t stream_id(const Stream* stream) { return stream->id; }

namespace {

void place(Stream* stream, Work& work) {
  work.device = static_cast<std::uint32_t>(stream->context->device);
  work.context = stream->context->id;
  work.stream = stream->id;
  work.correlation = current_correlation();
  work.tid = thread_id();
  work.start = now();
}

}  // namespace

void submit(Stream* stream, Work work) {
  if (stream->captured) {
    work.graph = stream->captured->id;
    work.graph_node = next_graph_node();
    stream->captured->nodes.push_back(std::move(work));
    return;
  }
  place(stream, work);
  if (Observer* const who = observer()) who->submitted(work);
  stream->push([work = std::move(work)](Stream& self) mutable { self.run(work); });
}

void submit_graph(Stream* stream, const Graph& graph) {
  if (graph.nodes.empty()) return;
  std::vector<Work> nodes = graph.nodes;
  for (Work& node : nodes) {
    place(stream, node);
    node.graph = graph.id;
    if (Observer* const who = observer()) who->submitted(node);
  }
  stream->push([nodes = std::move(nodes)](Stream& self) mutable {
    for (Work& node : nodes) self.run(node);
    Work whole = nodes.front();
    whole.end = nodes.back().end;
    if (Observer* const who = observer()) who->graph_ended(whole);
  });
}

void synchronize(Stream* stream) {
  const std::uint64_t from = now();
  stream->wait_until_idle();
  told_wait(stream, from);
}

bool idle(Stream* stream) { return stream->is_idle(); }

void synchronize_context(const Context* context) {
  const std::uint64_t from = now();
  std::vector<Stream*> of;
  {
    const std::lock_guard lock(streams().mutex);
    for (const auto& [stream, owned] : streams().all) {
      if (stream->context == context) of.push_back(stream);
    }
  }
  for (Stream* const stream : of) stream->wait_until_idle();
  told_wait(nullptr, from);
}

void begin_capture(Stream* stream) {
  stream->captured = std::make_shared<Graph>();
  stream->captured->id = next_graph_id();
}
std::shared_ptr<Graph> end_capture(Stream* stream) { return std::move(stream->captured); }
bool capturing(const Stream* stream) { return stream->captured != nullptr; }

std::uint32_t next_graph_id() {
  static std::atomic<std::uint32_t> last{0};
  return ++last;
}
std::uint64_t next_graph_node() {
  static std::atomic<std::uint64_t> last{0};
  return (1ULL << 32) + ++last;
}

}  // namespace fakegpu
