#include "agent/memory/parts.hpp"

#include <cstring>

#include "agent/core/allowance.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/helper_thread.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/heap/mappings.hpp"
#include "agent/log/file.hpp"
#include "agent/memory/claims.hpp"
#include "agent/memory/smaps.hpp"
#include "agent/memory/thread_stacks.hpp"
#include "agent/thread/vitals.hpp"
#include "agent/unwind/objects.hpp"

namespace prof::memory {
namespace {

using log::MemoryPart;

constexpr std::uint64_t kOldNs = 10'000'000'000;
constexpr std::uint64_t kShare = 200, kShareAtEnd = 100;  // of the time: one part in so many
constexpr Allowance kAllowance{5'000'000, kShare};
constexpr std::uint64_t kLongForTickNs = 5'000'000;
constexpr std::uint64_t kLeftToHooksNs = 2'000'000'000;
constexpr std::uint64_t kMuchBytes = 8 << 20;

// Looks take as long as there are pages and mappings; of the mappings the first one knows those of threads alone, each
// of which has two.
std::uint64_t expected_ns(const Looks& looks, std::uint64_t rss) {
  constexpr std::uint64_t kPerThreadNs = 10'000;
  if (looks.last_rss == 0)
    return 500'000 + rss / 80 + kPerThreadNs * __atomic_load_n(&log::header()->threads, __ATOMIC_RELAXED);
  return looks.cost_ns + (rss > looks.last_rss ? (rss - looks.last_rss) / 80 : 0);
}

bool due(Looks& looks, std::uint64_t now, std::uint64_t rss, Occasion occasion) {
  const std::uint64_t age = now - process().start_monotonic_ns;
  const std::uint64_t expected = expected_ns(looks, rss);
  const std::uint64_t spent = looks.spent_ns + expected;
  if (occasion == Occasion::End) return spent * kShareAtEnd <= age;
  const bool grown = rss > looks.highest_rss + looks.highest_rss / 4 + kMuchBytes;
  if ((!grown && now - looks.last_ns < kOldNs) || spent * kShare > age) return false;
  if (!affordable(kAllowance, spent, age, cpu_time_so_far())) return false;
  if (occasion == Occasion::Hook || expected < kLongForTickNs) return true;
  if (looks.wanted_ns == 0) looks.wanted_ns = now;
  return now - looks.wanted_ns >= kLeftToHooksNs;
}

// One mapping, given out to the parts.
class Shares {
 public:
  Shares(Looks& looks, const Mapping& mapping)
      : looks_(looks), mapping_(mapping), left_(mapping), bytes_(mapping.end - mapping.start) {}
  // What lies in `range`, as far as it is in the mapping.
  void give(MemoryPart part, heap::AddressRange range) {
    if (range.start < mapping_.start) range.start = mapping_.start;
    if (range.end > mapping_.end) range.end = mapping_.end;
    if (range.start >= range.end || bytes_ == 0) return;
    const std::uint64_t bytes = range.end - range.start;
    if (bytes >= bytes_) return give_rest(part);
    Mapping share = left_;
    share.rss = resident(range);
    if (share.rss > left_.rss) share.rss = left_.rss;
    share.pss = of_share(left_.pss, share.rss);
    share.uss = of_share(left_.uss, share.rss);
    book(part, share, bytes);
    left_.rss -= share.rss;
    left_.pss -= share.pss;
    left_.uss -= share.uss;
    bytes_ -= bytes;
  }
  void give_rest(MemoryPart part) {
    if (bytes_ != 0) book(part, left_, bytes_);
    bytes_ = 0;
  }

 private:
  // Neighbours that the kernel keeps as one mapping differ in how much of them is in use.
  std::uint64_t resident(const heap::AddressRange& range) {
    std::uint64_t found = 0;
    std::uintptr_t at = range.start / pages::kPage * pages::kPage;
    while (at < range.end) {
      std::size_t n = (range.end - at + pages::kPage - 1) / pages::kPage;
      if (n > sizeof(looks_.resident)) n = sizeof(looks_.resident);
      const long r = raw::call(SYS_mincore, static_cast<long>(at), static_cast<long>(n * pages::kPage),
                               raw::word(looks_.resident));
      if (r != 0) break;  // unmapped meanwhile
      for (std::size_t i = 0; i < n; ++i) found += looks_.resident[i] & 1U;
      at += n * pages::kPage;
    }
    return found * pages::kPage;
  }
  std::uint64_t of_share(std::uint64_t figure, std::uint64_t rss) const {
    if (left_.rss == 0) return 0;
    return static_cast<std::uint64_t>(static_cast<double>(figure) * static_cast<double>(rss) /
                                      static_cast<double>(left_.rss));
  }
  void book(MemoryPart part, const Mapping& share, std::uint64_t bytes) {
    log::MemoryRecord::Part& p = looks_.record.parts[static_cast<std::uint32_t>(part)];
    p.size += bytes;
    p.rss += share.rss;
    p.pss += share.pss;
    p.uss += share.uss;
  }

  Looks& looks_;
  const Mapping& mapping_;
  Mapping left_;
  std::uint64_t bytes_;
};

// Of a thread that has ended, the stack may be in another's use already: it counts as the allocator's.
void give_stacks(Shares& shares, const ThreadStacks& stacks, const Mapping& m) {
  const heap::AddressRange range{m.start, m.end};
  const heap::AddressRange* const end = stacks.end_in(range);
  for (const heap::AddressRange* stack = stacks.begin_in(range); stack < end; ++stack)
    shares.give(MemoryPart::Stacks, *stack);
}

// What the program mapped, asked for some at a time and in the order of the addresses.
class ProgramRanges {
 public:
  // The first part of `range` that is the program's: in `range`, empty if there is none. False: the table of mappings
  // is in use at the moment.
  bool first_in(heap::AddressRange& range) {
    while (range.start < range.end) {
      if ((range.start < from_ || range.start >= known_) && !fill(range.start)) return false;
      while (next_ < count_ && at_[next_].end <= range.start) ++next_;
      if (next_ < count_ && at_[next_].start < range.end) {
        if (at_[next_].start > range.start) range.start = at_[next_].start;
        if (at_[next_].end < range.end) range.end = at_[next_].end;
        return true;
      }
      range.start = next_ < count_ || range.end < known_ ? range.end : known_;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kMost = 32;
  bool fill(std::uintptr_t from) {
    from_ = from;
    next_ = 0;
    if (!heap::program_ranges(from, at_, kMost, count_)) return false;
    known_ = count_ == kMost ? at_[kMost - 1].end : UINTPTR_MAX;
    return true;
  }

  heap::AddressRange at_[kMost];  // all from `from_` to `known_`
  std::uint32_t count_ = 0, next_ = 0;
  std::uintptr_t from_ = 0, known_ = 0;
};

// False: the table of mappings is in use at the moment.
bool give_program(Shares& shares, ProgramRanges& program, const Mapping& m) {
  heap::AddressRange range{m.start, m.end};
  while (program.first_in(range)) {
    if (range.start == range.end) return true;
    shares.give(MemoryPart::Mapped, range);
    range = {range.end, m.end};
  }
  return false;
}

bool book_anonymous(Looks& looks, const ThreadStacks& stacks, ProgramRanges& program, const Mapping& m) {
  Shares shares(looks, m);
  if (m.ours || is_own_code(m.start)) {
    shares.give_rest(MemoryPart::Agent);
    return true;
  }
  if (const heap::AddressRange java = claimed(MemoryPart::JavaHeap); java.start < java.end)
    shares.give(MemoryPart::JavaHeap, java);
  // Variables of a library that its file has no bytes for follow what it has.
  if (Object object{}; object_at(m.start, object)) shares.give(MemoryPart::FileData, {object.start, object.end});
  give_stacks(shares, stacks, m);
  if (!give_program(shares, program, m)) return false;
  shares.give_rest(MemoryPart::Arenas);
  return true;
}

bool book(Looks& looks, const ThreadStacks& stacks, ProgramRanges& program, const Mapping& m) {
  log::MemoryRecord& record = looks.record;
  record.rss += m.rss;
  record.pss += m.pss;
  record.uss += m.uss;
  record.swap += m.swap;
  ++record.mappings;
  if (m.of == Mapping::Of::Nothing) return book_anonymous(looks, stacks, program, m);
  MemoryPart part = MemoryPart::FileData;
  if (is_own_code(m.start) || log::in_window(m.start))
    part = MemoryPart::Agent;
  else if (m.of == Mapping::Of::Heap)
    part = MemoryPart::Heap;
  else if (m.of == Mapping::Of::MainStack)
    part = MemoryPart::MainStack;
  else if (m.of == Mapping::Of::Memory)
    part = MemoryPart::Shared;
  else if (m.executable)
    part = MemoryPart::Code;
  Shares(looks, m).give_rest(part);
  return true;
}

std::size_t read_on(void* source, char* to, std::size_t room) {
  const long n = raw::read(*static_cast<int*>(source), to, room);
  return n > 0 ? static_cast<std::size_t>(n) : 0;
}

bool add_up(Looks& looks) {
  int fd = raw::open("/proc/self/smaps", O_RDONLY);
  if (fd < 0) return false;
  Smaps smaps(read_on, &fd, looks.buffer, sizeof(looks.buffer));
  const ThreadStacks stacks;
  ProgramRanges program;
  Mapping m;
  bool known = true;
  while (known && smaps.next(m)) known = book(looks, stacks, program, m);
  raw::close(fd);
  return known && looks.record.mappings > 0;
}

void publish(log::MemoryRecord& to, const log::MemoryRecord& from) {
  constexpr std::size_t kSequence = sizeof(from.sequence);
  const std::uint64_t sequence = to.sequence | 1;
  __atomic_store_n(&to.sequence, sequence, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  std::memcpy(reinterpret_cast<char*>(&to) + kSequence, reinterpret_cast<const char*>(&from) + kSequence,
              sizeof(to) - kSequence);
  __atomic_store_n(&to.sequence, sequence + 1, __ATOMIC_RELEASE);
}

void keep(Looks& looks) {
  if (looks.records == nullptr) {
    log::ChunkHeader* chunk =
        log::take_chunk(log::ChunkType::Memory, 0, 0, sizeof(log::ChunkHeader) + 2 * sizeof(log::MemoryRecord));
    if (chunk == nullptr) return;
    looks.records = log::content<log::MemoryRecord>(chunk);
  }
  publish(looks.records[0], looks.record);
  if (looks.record.rss >= looks.records[1].rss) publish(looks.records[1], looks.record);
}

}  // namespace

void look(Looks& looks, std::uint64_t now, std::uint64_t rss, Occasion occasion) {
  if (rss == 0 || !due(looks, now, rss, occasion)) return;
  const log::Header& h = *log::header();
  std::memset(static_cast<void*>(&looks.record), 0, sizeof(looks.record));
  looks.record.monotonic_ns = now;
  looks.record.heap_live = __atomic_load_n(&h.heap.live, __ATOMIC_RELAXED);
  looks.record.maps_live = __atomic_load_n(&h.maps.live, __ATOMIC_RELAXED);
  looks.record.python_live = __atomic_load_n(&h.python.live, __ATOMIC_RELAXED);
  // CPU time: on a busy machine a look may last long and cost little.
  const std::uint64_t started = clock::thread_cpu();
  bool whole = false;
  const std::uint64_t elsewhere = helper_thread::run([&] { whole = add_up(looks); });
  const std::uint64_t cost = clock::thread_cpu() - started + elsewhere;
  if (whole) keep(looks);
  looks.spent_ns += cost;
  looks.cost_ns = cost;
  looks.last_ns = now;
  looks.last_rss = rss;
  looks.wanted_ns = 0;
  if (rss > looks.highest_rss) looks.highest_rss = rss;
}

}  // namespace prof::memory
