#include "agent/steps/records.hpp"

#include <cstring>

#include "agent/core/process.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"

namespace prof::steps {
namespace {

using log::StepFigures;
using log::StepRecord;

// A program that has few steps takes less of the log.
constexpr std::uint32_t kFirstRecords = 64;

// A reader may look at any moment, and the process may be killed at any: a record is not there while it changes.
void store(StepRecord& to, const StepRecord& from) {
  __atomic_store_n(&to.count, 0, __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  StepRecord copy = from;
  copy.count = 0;
  to = copy;
  __atomic_store_n(&to.count, from.count, __ATOMIC_RELEASE);
}

void add_figures(StepFigures& to, const StepFigures& from) {
  for (std::uint32_t i = 0; i < log::kStepParts; ++i) to.parts_ns[i] += from.parts_ns[i];
  for (std::uint32_t i = 0; i < log::kWaitClasses; ++i) to.blocked_ns[i] += from.blocked_ns[i];
}

StepRecord merged(const StepRecord& a, const StepRecord& b) {
  StepRecord m = a;
  m.count += b.count;
  m.end_ns = b.end_ns;
  m.ns += b.ns;
  m.cpu_ns += b.cpu_ns;
  m.process_cpu_ns += b.process_cpu_ns;
  add_figures(m.sum, b.sum);
  if (b.shortest_ns < m.shortest_ns) m.shortest_ns = b.shortest_ns;
  if (b.longest_ns > m.longest_ns) {
    m.longest = b.longest;
    m.longest_ns = b.longest_ns;
    m.longest_cpu_ns = b.longest_cpu_ns;
    m.longest_figures = b.longest_figures;
  }
  return m;
}

}  // namespace

StepRecord record_of(std::uint64_t number, std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t cpu_ns,
                     std::uint64_t process_cpu_ns, const StepFigures& figures) {
  StepRecord r{};
  r.count = 1;
  r.first = r.longest = number;
  r.begin_ns = begin_ns;
  r.end_ns = end_ns;
  r.ns = r.shortest_ns = r.longest_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
  r.cpu_ns = r.longest_cpu_ns = cpu_ns;
  r.process_cpu_ns = process_cpu_ns;
  r.sum = r.longest_figures = figures;
  return r;
}

StepFigures difference(const StepFigures& now, const StepFigures& before, std::uint64_t ns) {
  const auto less = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; };
  StepFigures d{};
  std::uint64_t left = ns;
  for (std::uint32_t i = 0; i < log::kStepParts; ++i) {
    const std::uint64_t more = less(now.parts_ns[i], before.parts_ns[i]);
    d.parts_ns[i] = more < left ? more : left;
    left -= d.parts_ns[i];
  }
  d.parts_ns[static_cast<std::uint32_t>(log::StepPart::Other)] += left;
  for (std::uint32_t i = 0; i < log::kWaitClasses; ++i) d.blocked_ns[i] = less(now.blocked_ns[i], before.blocked_ns[i]);
  return d;
}

void Records::begin(const Guard&, log::StepSource source, std::uint64_t frame, std::uint32_t tid) {
  for (std::uint32_t i = 0; i < used_; ++i) {
    dropped_ += records()[i].count;
    __atomic_store_n(&records()[i].count, 0, __ATOMIC_RELEASE);
  }
  used_ = 0;
  dropped_ += pending_count_;
  pending_count_ = 0;
  source_ = source;
  frame_ = frame;
  tid_ = tid;
  if (header_ == nullptr) return;
  header_->frame = frame;
  header_->source = source;
  header_->tid = tid;
  header_->per = 1;
  header_->dropped = dropped_;
}

void Records::add(const Guard&, const StepRecord& step) {
  want_room();
  if (wanted_ != 0) {
    if (pending_count_ == kMostPending) return count_loss(log::Loss::RecordNoSpace);
    pending_[pending_count_++] = step;
    return;
  }
  if (header_ == nullptr) return count_loss(log::Loss::RecordNoSpace);
  StepRecord* all = records();
  if (used_ > 0 && all[used_ - 1].count < header_->per) return store(all[used_ - 1], merged(all[used_ - 1], step));
  if (used_ == header_->records) merge();
  store(all[used_++], step);
}

void Records::drop() {
  ++dropped_;
  if (header_ != nullptr) header_->dropped = dropped_;
}

// A chunk; where it is full, another one if there may be one.
void Records::want_room() {
  if (full_ || wanted_ != 0) return;
  if (header_ == nullptr)
    wanted_ = kFirstRecords;
  else if (used_ == header_->records && used_ < log::kStepRecords)
    wanted_ = log::kStepRecords;
}

log::ChunkHeader* Records::take_room(std::uint32_t records) {
  constexpr std::size_t kBefore = sizeof(log::ChunkHeader) + sizeof(log::StepsHeader);
  return log::take_chunk(log::ChunkType::Steps, 0, 0, kBefore + records * sizeof(StepRecord));
}

void Records::give_room(const Guard& guard, log::ChunkHeader* room) {
  if (room != nullptr)
    move(room, wanted_);
  else
    full_ = true;
  wanted_ = 0;
  const std::uint32_t count = pending_count_;
  pending_count_ = 0;
  for (std::uint32_t i = 0; i < count; ++i) add(guard, pending_[i]);
}

// For a moment both chunks are there, and a reader knows the records by their numbers.
void Records::move(log::ChunkHeader* made, std::uint32_t room) {
  auto* header = log::content<log::StepsHeader>(made);
  header->record_words = log::kStepRecordWords;
  header->frame = frame_;
  header->source = source_;
  header->tid = tid_;
  header->per = 1;
  header->dropped = dropped_;
  auto* to = reinterpret_cast<StepRecord*>(header + 1);
  for (std::uint32_t i = 0; i < used_; ++i) store(to[i], records()[i]);
  __atomic_store_n(&header->records, room, __ATOMIC_RELEASE);
  if (chunk_ != nullptr) log::give_up_chunk(chunk_);
  chunk_ = made;
  header_ = header;
}

// Two become one, in the order of their numbers: a reader leaves out a record that begins before the end of what it
// has, and so counts each step once whenever it looks.
void Records::merge() {
  StepRecord* all = records();
  for (std::uint32_t i = 0; i < used_ / 2; ++i) {
    const StepRecord m = merged(all[2 * i], all[2 * i + 1]);
    store(all[i], m);
  }
  for (std::uint32_t i = used_ / 2; i < used_; ++i) __atomic_store_n(&all[i].count, 0, __ATOMIC_RELEASE);
  used_ /= 2;
  __atomic_store_n(&header_->per, header_->per * 2, __ATOMIC_RELEASE);
}

}  // namespace prof::steps
