#include "agent/gpu/cupti/busy.hpp"

#include <algorithm>
#include <cstring>

#include "agent/core/counter.hpp"
#include "agent/core/pages.hpp"
#include "agent/gpu/cupti/book.hpp"
#include "agent/tree/context.hpp"

namespace prof::gpu::cupti {
namespace {

constexpr std::uint32_t kFirstRoom = 4096, kMostRoom = 1 << 20;

}  // namespace

bool Busy::make_room() {
  if (count_ < room_) return true;
  merge();
  if (count_ < room_ / 2 || (count_ < room_ && room_ == kMostRoom)) return true;
  const std::uint32_t room = room_ == 0 ? kFirstRoom : room_ * 2;
  if (room > kMostRoom) return false;
  auto* larger = static_cast<Span*>(pages::map(room * sizeof(Span), pages::InChild::Gone));
  if (larger == nullptr) return false;
  if (spans_ != nullptr) {
    std::memcpy(larger, spans_, count_ * sizeof(Span));
    pages::unmap(spans_, room_ * sizeof(Span));
  }
  spans_ = larger;
  room_ = room;
  return true;
}

void Busy::add(const Work& work, std::uint32_t node, const Launch* launch) {
  const std::uint64_t start = work.start < final_until_ ? final_until_ : work.start;
  if (!work.timed() || work.end <= start || !make_room()) return;
  const bool known = launch != nullptr && launch->start != 0;
  spans_[count_++] = {start, work.end, known ? launch->start : 0, node, known ? launch->thread : kNoThread};
}

// Sorts what is there and joins what overlaps: of such, the first one's launch counts.
void Busy::merge() {
  std::sort(spans_, spans_ + count_, [](const Span& a, const Span& b) { return a.start < b.start; });
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (kept > 0 && spans_[i].start <= spans_[kept - 1].end)
      spans_[kept - 1].end = std::max(spans_[kept - 1].end, spans_[i].end);
    else
      spans_[kept++] = spans_[i];
  }
  count_ = kept;
}

void Busy::charge(const Guard& guard, HostTime& host, const Span& span, std::uint64_t from) {
  const std::uint32_t node = span.node != 0 ? span.node : Book::unseen_node(guard);
  auto* words =
      reinterpret_cast<log::IdleWords*>(tree::record_of(guard, node, log::RecordClass::Idle, log::kIdleWordCount));
  if (words == nullptr) return;
  const std::uint64_t ns = span.start - from;
  host.split(span.thread, from, span.launched, span.start, *words);
  prof::add(words->total_ns, ns);
  if (ns > words->max_ns) words->max_ns = ns;
  prof::add(words->gaps, 1);
}

void Busy::settle(const Guard& guard, log::DeviceRecord& record, HostTime& host, std::uint64_t horizon) {
  merge();
  // Where records are waited for and many come meanwhile, the oldest are settled as they are.
  if (count_ > kMostRoom / 2) horizon = std::max(horizon, spans_[count_ / 2].end);
  std::uint32_t done = 0;
  for (; done < count_ && spans_[done].end <= horizon; ++done) {
    const Span& span = spans_[done];
    if (final_until_ != 0 && span.start > final_until_) charge(guard, host, span, final_until_);
    final_ns_ += span.end - span.start;
    final_until_ = span.end;
  }
  std::copy(spans_ + done, spans_ + count_, spans_);
  count_ -= done;
  std::uint64_t ns = final_ns_;
  for (std::uint32_t i = 0; i < count_; ++i) ns += spans_[i].end - spans_[i].start;
  record.busy_ns = ns;
}

}  // namespace prof::gpu::cupti
