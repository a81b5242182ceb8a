// What happens on the fake device, as records.
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "tests/fakes/libcupti/cupti.hpp"
#include "tests/fakes/libcupti/layout.hpp"

namespace fakegpu::cupti {
namespace {

bool wants(std::uint32_t kind) { return wanted().kinds[kind].load(std::memory_order_relaxed); }
bool wants_call(const ApiCall& call) {
  const auto domain = static_cast<unsigned>(call.domain);
  if (wants(call.domain == Domain::Runtime ? kRuntime : kDriver))
    return call.cbid >= 1024 || !wanted().left_out[domain][call.cbid];
  return call.cbid < 1024 && wanted().calls[domain][call.cbid] &&
         !(call.domain == Domain::Runtime && wanted().runtime_calls_dead);
}

// The calls that a thread is in, outermost first: whether each is recorded. Of calls within calls, those of the driver
// in one of the runtime, only the outermost that is asked for is (measured with CUDA 13.0: what is pushed inside the
// inner one joins nothing).
thread_local std::vector<bool> recorded_calls;
bool in_recorded_call() {
  return std::find(recorded_calls.begin(), recorded_calls.end(), true) != recorded_calls.end();
}

// Devices without a direct path between them.
bool by_host() { return number_setting("FAKE_CUPTI_PEERS_BY_HOST") != 0; }

// Of a copy between such devices, as measured with CUDA 13.0.
void put_half(const Work& work, CopyKind kind, std::uint32_t device, std::uint64_t start, std::uint64_t end) {
  Record<256> record;
  record.field(0, static_cast<std::uint32_t>(kMemcpy));
  record.field(at::copy::kind, static_cast<std::uint8_t>(kind));
  record.field(at::copy::from, static_cast<std::uint8_t>(Place::Device));
  record.field(at::copy::to, static_cast<std::uint8_t>(Place::Device));
  record.field(at::copy::bytes, work.bytes);
  record.field(at::copy::start, start);
  record.field(at::copy::end, end);
  record.field(at::copy::device, device);
  record.field(at::copy::context, work.context);
  record.field(at::copy::stream, work.stream);
  record.field(at::copy::correlation, work.correlation);
  put(record.bytes, record_size(kMemcpy), work.tid);
}

std::uint32_t kind_of(const Work& work) {
  switch (work.kind) {
    case WorkKind::Kernel:
      return wants(kConcurrentKernel) ? kConcurrentKernel : kKernel;
    case WorkKind::Copy:
      return work.copy == CopyKind::PtoP && !by_host() ? kMemcpy2 : kMemcpy;
    default:
      return kMemset;
  }
}

bool every(const char* name, std::uint64_t& counter) {
  const std::uint64_t n = number_setting(name);
  return n != 0 && ++counter % n == 0;
}

struct Held {
  Work work;
  std::uint64_t until;
};
struct RecordState {
  std::mutex mutex;
  std::map<const Work*, Work> running;  // started, and not told yet
  std::deque<Held> held;
  std::uint64_t kept = 0, drops = 0, zeros = 0, backwards = 0, unknown = 0;
};
RecordState& record_state() {
  static auto& made = *new RecordState;
  return made;
}

void note(const char* what, std::uint32_t kind, const Work& work) {
  write_ledger(R"({"t":"%s","pid":%d,"kind":%u,"name":"%s","correlation":%u})", what, getpid(), kind, work.name,
               work.correlation);
}

void put_record(const Work& work, bool ended) {
  const std::uint32_t kind = kind_of(work);
  if (!wants(kind) || (work.graph != 0 && wants(kGraphTrace))) return;
  std::uint64_t start = timestamp(work.start), end = timestamp(work.end);
  bool unknown = false;
  {
    const std::lock_guard lock(record_state().mutex);
    if (every("FAKE_CUPTI_DROP", record_state().drops)) {
      note("dropped", kind, work);
      return count_dropped();
    }
    if (!ended) end = 0;
    if (every("FAKE_CUPTI_ZERO", record_state().zeros)) start = end = 0;
    const std::uint64_t fill = number_setting("FAKE_CUPTI_KEEPS_TIMES");
    if (fill != 0 && work.graph != 0 && ++record_state().kept > fill * device_buffers()) start = end = 0;
    if (every("FAKE_CUPTI_BACKWARDS", record_state().backwards)) std::swap(start, end);
    unknown = every("FAKE_CUPTI_UNKNOWN", record_state().unknown);
  }
  if (end == 0 || end < start) note("untimed", kind, work);
  Record<256> record;
  record.field(0, kind);
  if (work.kind == WorkKind::Kernel) {
    record.field(at::kernel::registers, std::uint16_t{32});
    record.field(at::kernel::start, start);
    record.field(at::kernel::end, end);
    record.field(at::kernel::device, work.device);
    record.field(at::kernel::context, work.context);
    record.field(at::kernel::stream, work.stream);
    for (std::size_t i = 0; i < 3; ++i) {
      record.field(at::kernel::grid + 4 * i, work.grid[i]);
      record.field(at::kernel::block + 4 * i, work.block[i]);
    }
    record.field(at::kernel::shared, work.shared_bytes);
    record.field(at::kernel::correlation, work.correlation);
    record.field(at::kernel::name, work.name);
    if (version() >= 14) {
      record.field(at::kernel_graph::node, work.graph_node);
      record.field(at::kernel_graph::graph, work.graph);
    }
  } else if (work.kind == WorkKind::Copy && work.copy == CopyKind::PtoP && by_host()) {
    const std::uint64_t between = start + (end - start) / 2;
    put_half(work, CopyKind::DtoH, work.other_device, start, between);
    put_half(work, CopyKind::HtoD, work.device, between, end);
    return;
  } else if (work.kind == WorkKind::Copy) {
    record.field(at::copy::kind, static_cast<std::uint8_t>(work.copy));
    record.field(at::copy::from, static_cast<std::uint8_t>(work.from));
    record.field(at::copy::to, static_cast<std::uint8_t>(work.to));
    record.field(at::copy::bytes, work.bytes);
    record.field(at::copy::start, start);
    record.field(at::copy::end, end);
    record.field(at::copy::device, work.device);
    record.field(at::copy::context, work.context);
    record.field(at::copy::stream, work.stream);
    if (kind == kMemcpy2) {
      record.field(at::peer::source_device, work.other_device);
      record.field(at::peer::target_device, work.device);
      record.field(at::peer::correlation, work.correlation);
    } else {
      record.field(at::copy::correlation, work.correlation);
      record.field(at::copy::node, work.graph_node);
      record.field(at::copy::graph, work.graph);
    }
  } else {
    record.field(at::set::value, work.value);
    record.field(at::set::bytes, work.bytes);
    record.field(at::set::start, start);
    record.field(at::set::end, end);
    record.field(at::set::device, work.device);
    record.field(at::set::context, work.context);
    record.field(at::set::stream, work.stream);
    record.field(at::set::correlation, work.correlation);
    record.field(at::set::memory, static_cast<std::uint16_t>(work.to));
  }
  put(record.bytes, record_size(kind), work.tid);
  if (unknown) {
    Record<64> other;
    other.field(0, static_cast<std::uint32_t>(kUnknownKind));
    put(other.bytes, record_size(kUnknownKind), work.tid);
  }
}

void put_work(const Work& work, bool ended) {
  put_record(work, ended);
  record_is_finished(work.tid);
}

class Recorder : public Observer {
 public:
  void entered(const ApiCall& call) override {
    tell_subscriber(call, false);
    // After the subscriber: what it pushes counts for this very call.
    const bool recorded = wants_call(call) && !in_recorded_call();
    recorded_calls.push_back(recorded);
    if (!wants(kExternalCorrelation) || !recorded) return;
    static std::atomic<std::uint64_t> calls{0};
    const std::uint64_t from = number_setting("FAKE_CUPTI_WHOLE_KINDS");
    if (from != 0 && ++calls >= from && !wants(kRuntime) && !wants(kDriver)) return;
    for (std::uint32_t kind = 1; kind < kCorrelationKinds; ++kind) {
      const std::uint64_t* const id = pushed_id(kind);
      if (id == nullptr) continue;
      Record<24> record;
      record.field(0, static_cast<std::uint32_t>(kExternalCorrelation));
      record.field(at::external::kind, kind);
      record.field(at::external::id, *id);
      record.field(at::external::correlation, call.correlation);
      put(record.bytes, sizeof record.bytes, thread_id());
    }
  }

  void left(const ApiCall& call) override {
    tell_subscriber(call, true);
    // Not what began before anybody listened.
    const bool recorded = !recorded_calls.empty() && recorded_calls.back();
    if (!recorded_calls.empty()) recorded_calls.pop_back();
    if (!recorded) return;
    Record<40> record;
    record.field(0, static_cast<std::uint32_t>(call.domain == Domain::Runtime ? kRuntime : kDriver));
    record.field(at::api::cbid, call.cbid);
    record.field(at::api::start, timestamp(call.start));
    record.field(at::api::end, timestamp(call.end));
    record.field(at::api::process, static_cast<std::uint32_t>(getpid()));
    record.field(at::api::thread, call.tid);
    record.field(at::api::correlation, call.correlation);
    record.field(at::api::result, static_cast<std::uint32_t>(call.result));
    put(record.bytes, sizeof record.bytes, thread_id());
  }

  void submitted(const Work& work) override {
    if (work.kind != WorkKind::Host && wants(kind_of(work)) && (work.graph == 0 || !wants(kGraphTrace)))
      expect_record(work.tid);
  }

  void started(const Work& work) override {
    if (work.kind == WorkKind::Host) return;
    const std::lock_guard lock(record_state().mutex);
    record_state().running.emplace(&work, work);
  }

  void ended(const Work& work) override {
    const std::uint64_t delay = number_setting("FAKE_CUPTI_DELAY_MS");
    {
      const std::lock_guard lock(record_state().mutex);
      if (record_state().running.erase(&work) == 0) return;  // told when a flush was forced
      if (delay != 0) record_state().held.push_back({work, now() + delay * 1'000'000});
    }
    if (delay == 0) put_work(work, true);
  }

  void graph_ended(const Work& launch) override {
    if (!wants(kGraphTrace)) return;
    Record<56> record;
    record.field(0, static_cast<std::uint32_t>(kGraphTrace));
    record.field(at::graph_trace::correlation, launch.correlation);
    record.field(at::graph_trace::start, timestamp(launch.start));
    record.field(at::graph_trace::end, timestamp(launch.end));
    record.field(at::graph_trace::device, launch.device);
    record.field(at::graph_trace::graph, launch.graph);
    record.field(at::graph_trace::context, launch.context);
    record.field(at::graph_trace::stream, launch.stream);
    put(record.bytes, record_size(kGraphTrace), launch.tid);
  }

  void waited(const ApiCall& call, std::uint32_t stream, std::uint64_t from, std::uint64_t to) override {
    if (!wants(kSynchronization)) return;
    Record<56> record;
    record.field(0, static_cast<std::uint32_t>(kSynchronization));
    record.field(at::wait::type, std::uint32_t{stream == UINT32_MAX ? 4U : 3U});
    record.field(at::wait::start, timestamp(from));
    record.field(at::wait::end, timestamp(to));
    record.field(at::wait::correlation, call.correlation);
    record.field(at::wait::context, call.context);
    record.field(at::wait::stream, stream);
    put(record.bytes, record_size(kSynchronization), thread_id());
  }

  void context_made(const Context& context) override {
    tell_context(context);
    put_context(context);
  }

  static void put_context(const Context& context) {
    const std::lock_guard lock(record_state().mutex);
    if (!wants(kContext)) return;
    Record<32> record;
    record.field(0, static_cast<std::uint32_t>(kContext));
    record.field(at::context::id, context.id);
    record.field(at::context::device, static_cast<std::uint32_t>(context.device));
    record.field(at::context::api, std::uint16_t{1});
    record.field(at::context::default_stream, std::uint16_t{7});
    put(record.bytes, record_size(kContext), 0);
  }
};

}  // namespace

namespace {
Recorder& the_recorder() {
  static auto& recorder = *new Recorder;
  return recorder;
}
}  // namespace

void begin_observing() { observe(&the_recorder()); }

bool another_observes() {
  const Observer* const who = first_observer();
  return who != nullptr && who != &the_recorder();
}

void release_held(bool all) {
  std::vector<Work> ended, running;
  {
    const std::lock_guard lock(record_state().mutex);
    while (!record_state().held.empty() && (all || record_state().held.front().until <= now())) {
      ended.push_back(std::move(record_state().held.front().work));
      record_state().held.pop_front();
    }
    if (all) {
      for (const auto& [key, work] : record_state().running) running.push_back(work);
      record_state().running.clear();
    }
  }
  for (const Work& work : ended) put_work(work, true);
  for (const Work& work : running) put_work(work, false);
}

void put_devices() {
  for (int device = 0; device < device_count(); ++device) {
    Record<184> record;
    unsigned char uuid[16];
    device_uuid(device, uuid);
    record.field(0, static_cast<std::uint32_t>(kDevice));
    record.field(at::device::memory, kDeviceBytes);
    record.field(at::device::clock, kClockKhz);
    record.field(at::device::multiprocessors, kMultiprocessors);
    record.field(at::device::major, kComputeMajor);
    record.field(at::device::minor, kComputeMinor);
    record.field(at::device::id, static_cast<std::uint32_t>(device));
    memcpy(record.bytes + at::device::uuid, uuid, sizeof uuid);
    record.field(at::device::name, intern(device_name(device)));
    put(record.bytes, record_size(kDevice), 0);
  }
}

void put_contexts() {
  for (int device = 0; device < device_count(); ++device) {
    if (has_primary_context(device)) Recorder::put_context(*primary_context(device));
  }
}

}  // namespace fakegpu::cupti
