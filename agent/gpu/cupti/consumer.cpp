#include "agent/gpu/cupti/consumer.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>

#include "agent/capture/window.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/gpu/calls.hpp"
#include "agent/gpu/cupti/book.hpp"
#include "agent/gpu/cupti/buffers.hpp"
#include "agent/gpu/cupti/busy.hpp"
#include "agent/gpu/cupti/client.hpp"
#include "agent/gpu/cupti/host_time.hpp"
#include "agent/gpu/cupti/launches.hpp"
#include "agent/gpu/cupti/library.hpp"
#include "agent/gpu/cupti/parse.hpp"
#include "agent/gpu/device.hpp"
#include "agent/gpu/info.hpp"
#include "agent/gpu/launch_marks.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/trace/trace.hpp"
#include "agent/tree/names.hpp"
#include "agent/wait/blocked.hpp"

namespace prof::gpu::cupti {
namespace {

constexpr std::uint32_t kMostDevices = 64;
// No accident any longer, if it is so for some seconds.
constexpr std::uint64_t kManyUnlinked = 16, kManyUntimed = 200;
constexpr std::uint32_t kSeconds = 3;
constexpr std::uint32_t kMostWaiting = 1 << 16;
// Rounds that work waits for the record of its call: one when CUPTI has told of the call itself (who made it may stand
// in a buffer that is not full), some when nothing is known.
constexpr std::uint32_t kRoundsWithCall = 1, kRoundsWithout = 3;
// How late a record may come and still be in its place among the others.
constexpr std::uint64_t kLatest = 2'000'000'000;

struct Waiting {
  Work work;
  std::uint32_t rounds;
};

// What came in the last second.
struct Recent {
  std::uint64_t since;
  std::uint64_t unlinked;
  std::uint64_t unrecorded;  // of those, work whose call has no record either
  std::uint64_t links;       // records that say who made a call
  std::uint64_t launched;    // when a thread of which we know launched something for the last time
  std::uint64_t timed, untimed;
};

struct Consumer {
  Times times;
  HostTime host;
  Launches launches;
  Book book;
  Busy busy[kMostDevices];
  std::uint64_t known_devices;  // those with work: a bit each
  Waiting* waiting;
  std::uint32_t waiting_count;
  std::uint64_t overhead_ns;
  std::uint64_t unlinked;
  Recent recent;
  std::uint32_t without_links, without_times;  // so many seconds, one after the other
};
PROF_WIPED constinit pages::Wiped<Consumer> g_consumer{};

// Calls `visit(record)` for each record of the buffers.
template <class Visit>
void each_record(const Functions& functions, const Filled* filled, std::uint32_t count, const Visit& visit) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint8_t* at = nullptr;
    while (functions.next_record(filled[i].start, filled[i].bytes, &at) == kSuccess && at != nullptr) {
      visit(*reinterpret_cast<const Record*>(at));
    }
  }
}

void take_call(Consumer& c, const ApiRecord& r, std::uint8_t domain) {
  const std::uint64_t start = c.times.monotonic(r.start), end = c.times.monotonic(r.end);
  if (start == 0 || end < start) return;
  const std::uint64_t length = end - start;
  const HostCall call{start,  length < UINT32_MAX ? static_cast<std::uint32_t>(length) : UINT32_MAX,
                      r.id,   r.correlation,
                      domain, call_class(domain, r.id)};
  c.launches.note_call(r.correlation, start, c.host.note(r.thread, call));
}

void take_host_record(Consumer& c, const Record& record) {
  switch (static_cast<Kind>(record.kind)) {
    case Kind::Runtime:
      take_call(c, reinterpret_cast<const ApiRecord&>(record), kDomainRuntime);
      break;
    case Kind::Driver:
      take_call(c, reinterpret_cast<const ApiRecord&>(record), kDomainDriver);
      break;
    case Kind::ExternalCorrelation: {
      const auto& r = reinterpret_cast<const ExternalRecord&>(record);
      if (r.external_kind != kExternalCustom2) break;
      c.launches.note_node(r.correlation, call_of(r.id), operator_of(r.id));
      ++c.recent.links;
      break;
    }
    case Kind::Overhead: {
      const auto& r = reinterpret_cast<const OverheadRecord&>(record);
      if (r.end > r.start && r.start != 0) c.overhead_ns += r.end - r.start;
      break;
    }
    default:
      break;
  }
}

void trace_work(const Work& work, std::uint32_t node) {
  if (!work.timed() || !trace::wanted_at(work.start)) return;
  log::TraceEvent event{};
  event.start_ns = work.start;
  event.end_ns = work.end;
  event.frame = work.frame;
  event.kind = static_cast<std::uint32_t>(log::TraceKind::Device);
  event.node = node;
  event.tid = work.stream;
  event.correlation = work.correlation;
  event.device = work.device;
  event.context = work.context;
  event.bytes = work.bytes;
  trace::note(event);
}

void book_work(const Guard& guard, Consumer& c, const Work& work, const Launch* launch) {
  const std::uint32_t node = launch != nullptr ? launch->node : 0;
  if (!capture::covers(work.timed() ? work.start : clock::monotonic())) return;
  if (node == 0) {
    count_loss(log::Loss::DeviceUnlinked);
    ++c.unlinked;
    ++c.recent.unlinked;
    if (work.correlation != 0 && (launch == nullptr || launch->start == 0)) ++c.recent.unrecorded;
  }
  if (!work.timed()) count_loss(log::Loss::DeviceInvalid);
  ++(work.timed() ? c.recent.timed : c.recent.untimed);
  c.book.add(guard, work, node, launch != nullptr ? launch->op : 0);
  trace_work(work, node);
  log::DeviceRecord* device = work.device < kMostDevices ? used_device(work.device) : nullptr;
  if (device == nullptr || !work.timed()) return;
  c.known_devices |= std::uint64_t{1} << work.device;
  if (device->first_ns == 0 || work.start < device->first_ns) device->first_ns = work.start;
  if (work.end > device->last_ns) device->last_ns = work.end;
  c.busy[work.device].add(work, node, launch);
}

// False: it has to wait for the record of its call.
bool join(const Guard& guard, Consumer& c, const Work& work, std::uint32_t rounds) {
  const Launch* launch = c.launches.find(work.correlation);
  const bool linked = launch != nullptr && launch->node != 0;
  const std::uint32_t most = work.correlation == 0                     ? 0
                             : launch != nullptr && launch->start != 0 ? kRoundsWithCall
                                                                       : kRoundsWithout;
  if (!linked && rounds < most) return false;
  book_work(guard, c, work, launch);
  return true;
}

void take_work(const Guard& guard, Consumer& c, const Record& record, bool last) {
  Work work;
  if (!read_work(guard, record, c.times, work) || join(guard, c, work, last ? UINT32_MAX : 0)) return;
  if (c.waiting == nullptr || c.waiting_count == kMostWaiting)
    join(guard, c, work, UINT32_MAX);
  else
    c.waiting[c.waiting_count++] = {work, 0};
}

void join_waiting(const Guard& guard, Consumer& c, bool last) {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < c.waiting_count; ++i) {
    Waiting w = c.waiting[i];
    if (!join(guard, c, w.work, last ? UINT32_MAX : ++w.rounds)) c.waiting[kept++] = w;
  }
  c.waiting_count = kept;
}

// CUPTI hands out a thread's records when none of them waits for its end any longer: work that is done may be told of
// long after later work of others.
std::uint64_t settled_until(const Consumer& c, std::uint64_t now) {
  return std::min(now - kLatest, c.host.complete_until(now));
}

void settle_devices(const Guard& guard, Consumer& c, std::uint64_t now, bool last) {
  const std::uint64_t until = last ? UINT64_MAX : settled_until(c, now);
  for (std::uint32_t d = 0; d < kMostDevices; ++d) {
    if ((c.known_devices >> d & 1) == 0) continue;
    if (log::DeviceRecord* record = device_record(d)) c.busy[d].settle(guard, *record, c.host, until);
  }
}

// The calls that give a device work, with the number that joins the two. Others are noted by the interposed functions.
void trace_calls(const Guard& guard, Consumer& c, const Functions& functions, bool last) {
  const bool wanted = process().options.trace_bytes != 0;
  c.host.each_new(last, [&](std::uint32_t tid, const HostCall& call) {
    if (!wanted || !trace::wanted_at(call.start) || (call.what != CallClass::Launch && call.what != CallClass::Copy))
      return;
    const std::string_view name = call_name(functions, call.domain, call.id);
    if (name.empty()) return;
    const Launch* launch = c.launches.find(call.correlation);
    const char* library = to_string(call.domain == kDomainRuntime ? gpu::Library::Runtime : gpu::Library::Driver);
    log::TraceEvent event{};
    event.start_ns = call.start;
    event.end_ns = call.end();
    event.frame = log::named_frame(log::name_id(guard, log::NameKind::Api, name, library), 0);
    event.kind = static_cast<std::uint32_t>(log::TraceKind::Api);
    event.node = launch != nullptr ? launch->node : 0;
    event.tid = tid;
    event.correlation = call.correlation;
    trace::note(event);
  });
}

// What fails to come was asked for all the time, and may have come before: another client may have ended it.
void judge_recent(Consumer& c, std::uint64_t now) {
  const Recent& r = c.recent;
  if (now - r.since < 1'000'000'000) return;
  const bool linkless =
      r.unrecorded >= kManyUnlinked || (r.unlinked >= kManyUnlinked && r.links == 0 && r.launched >= r.since);
  c.without_links = linkless ? c.without_links + 1 : 0;
  c.without_times = r.untimed >= kManyUntimed && r.untimed > r.timed ? c.without_times + 1 : 0;
  c.recent = {now, 0, 0, 0, 0, 0, 0};
}

void take_losses(const Functions& functions) {
  std::size_t records = 0;
  if (functions.dropped == nullptr || functions.dropped(nullptr, 0, &records) != kSuccess) return;
  client_loses(records);
  if (log::Header* h = log::header(); h != nullptr && records > 0) {
    __atomic_fetch_add(&h->loss[static_cast<std::size_t>(log::Loss::DeviceDropped)], records, __ATOMIC_RELAXED);
  }
}

}  // namespace

bool begin_consumer() {
  Consumer& c = g_consumer.value;
  if (c.waiting == nullptr)
    c.waiting = static_cast<Waiting*>(pages::map(kMostWaiting * sizeof(Waiting), pages::InChild::Gone));
  const bool launches = c.launches.begin();
  const bool book = c.book.begin();
  return c.waiting != nullptr && launches && book;
}

void consume(const Guard& guard, const Functions& functions, bool last) {
  Consumer& c = g_consumer.value;
  c.times.look();
  const std::uint64_t now = clock::monotonic();
  Filled filled[kMostBuffers];
  std::uint32_t count = 0;
  while (count < kMostBuffers && next_filled(filled[count])) ++count;
  // Calls before what they started, wherever their records stand.
  each_record(functions, filled, count, [&](const Record& r) { take_host_record(c, r); });
  each_launch_mark([&](std::uint32_t tid, std::uint64_t at) {
    c.host.note_launch(tid, at);
    c.recent.launched = std::max(c.recent.launched, at);
  });
  wait::take_waits([&](std::uint32_t tid, std::uint64_t start, std::uint64_t end) {
    c.host.note_wait(tid, {start, end});
  });
  join_waiting(guard, c, last);
  each_record(functions, filled, count, [&](const Record& r) { take_work(guard, c, r, last); });
  for (std::uint32_t i = 0; i < count; ++i) drop_filled(filled[i]);
  settle_devices(guard, c, now, last);
  trace_calls(guard, c, functions, last);
  take_losses(functions);
  judge_recent(c, now);
  if (last && c.overhead_ns > 0) {
    Text<80> ms;
    ms << c.overhead_ns / 1'000'000;
    tell("overhead_ms", ms.view());
  }
}

bool links_fail_to_come() { return g_consumer.value.without_links >= kSeconds; }

bool times_fail_to_come() { return g_consumer.value.without_times >= kSeconds; }

std::uint64_t unlinked_so_far() { return __atomic_load_n(&g_consumer.value.unlinked, __ATOMIC_RELAXED); }

void prepare_consumer() { pages::wipe_in_child(g_consumer); }

}  // namespace prof::gpu::cupti
