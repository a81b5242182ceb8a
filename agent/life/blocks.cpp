#include "agent/life/blocks.hpp"

#include <sys/resource.h>

#include <atomic>
#include <cstddef>
#include <initializer_list>

#include "agent/core/free_list.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/file.hpp"
#include "agent/python/thread_scratch.hpp"
#include "agent/stack/last_stack.hpp"
#include "agent/thread/feature.hpp"
#include "agent/thread/slots.hpp"
#include "agent/thread/threads.hpp"
#include "agent/tree/region.hpp"

namespace prof::threads {
namespace {

// A tick takes some 6 KiB. Where one took more, it would run into the room for names below, which is written anew for
// each: nothing that is believed.
constexpr std::size_t kTickStackBytes = 32 << 10;
constexpr std::uint32_t kAlone = 4, kTogether = 8;  // so many blocks have a mapping each; then so many share one
constexpr std::uint32_t kWarm = 16;                 // states not in use that keep all they have

constexpr std::size_t rounded(std::size_t bytes) { return (bytes + pages::kPage - 1) / pages::kPage * pages::kPage; }

// Of one context: what its first records and stacks take, and the frames of one that is not deep with their tops.
constexpr std::uint32_t kFewFrames = 16;
struct Few {
  tree::Region::FewIndex index;
  RowCache::Few rows;
  tree::Region::FewSeen seen;
  std::uintptr_t frames[2 * kFewFrames];
};

// A thread that takes a few stacks, none of them in a tick, touches one page alone: of this and of the features' rooms
// behind it.
struct First {
  ThreadState state;
  Few ordinary;
};
static_assert(sizeof(First) + Room::kFirstPageBytes <= pages::kPage);

struct Many {
  RowCache::Many rows;
  tree::Region::ManySeen seen;
  ForeignWindow foreign;
};

// Calls `see` with each feature that has a room in that place, and how far behind the first one it begins. Returns the
// bytes of all.
template <class See>
std::size_t for_rooms(Room::Where where, const See& see) {
  constexpr std::size_t kAlign = 64;
  std::size_t at = 0;
  for (const Feature* f : features()) {
    if (f->room.bytes == 0 || f->room.where != where) continue;
    see(f->room, at);
    at += (f->room.bytes + kAlign - 1) / kAlign * kAlign;
  }
  return at;
}
std::size_t bytes_of_rooms(Room::Where where) {
  return for_rooms(where, [](const Room&, std::size_t) {});
}

First& first_of(ThreadState& t) { return *reinterpret_cast<First*>(&t); }

// Where the parts of a block stand.
class Layout {
 public:
  Layout() {
    at_ = rounded(sizeof(First) + bytes_of_rooms(Room::Where::FirstPage));
    signal_ = take(sizeof(Few));
    for (std::size_t& deep : deep_) deep = take(2 * process().options.depth * sizeof(std::uintptr_t));
    for (std::size_t& many : many_) many = take(sizeof(Many));
    last_ = take(LastStack::bytes());
    rooms_ = take(bytes_of_rooms(Room::Where::OwnPages));
    take(kTickStackBytes);
    index_ = take(sizeof(tree::Region::ManyIndex[2]));
  }
  std::size_t bytes() const { return at_; }
  // What a later thread in the same slot can do without.
  std::size_t passing() const { return deep_[0]; }
  std::size_t passing_end() const { return index_; }

  Few& few(ThreadState& t, unsigned context) const {
    return context == static_cast<unsigned>(log::RegionKind::Ordinary) ? first_of(t).ordinary : part<Few>(t, signal_);
  }
  std::uintptr_t* deep(ThreadState& t, unsigned context) const { return &part<std::uintptr_t>(t, deep_[context]); }
  Many& many(ThreadState& t, unsigned context) const { return part<Many>(t, many_[context]); }
  char* rooms(ThreadState& t, Room::Where where) const {
    return &part<char>(t, where == Room::Where::FirstPage ? sizeof(First) : rooms_);
  }
  tree::Region::ManyIndex& index(ThreadState& t, unsigned context) const {
    return (&part<tree::Region::ManyIndex>(t, index_))[context];
  }
  void* last(ThreadState& t) const { return &part<char>(t, last_); }
  void* tick_stack(ThreadState& t) const { return &part<char>(t, index_); }

 private:
  std::size_t take(std::size_t bytes) {
    const std::size_t at = at_;
    at_ += rounded(bytes);
    return at;
  }
  template <class T>
  static T& part(ThreadState& t, std::size_t at) {
    return *reinterpret_cast<T*>(reinterpret_cast<char*>(&t) + at);
  }
  std::size_t at_, signal_, deep_[2], many_[2], last_, rooms_, index_;
};

struct Blocks {
  FreeList<Seat, &Seat::next_free> warm, cold, empty;
  std::atomic<std::uint32_t> warm_count;
  std::atomic<std::uint32_t> made;
  std::atomic<std::uint64_t> fresh;  // address | how many more of them: below the page's size
};
PROF_WIPED_AT_START constinit pages::Wiped<Blocks> g_blocks{};

// Of the memory that the process may have by its limits, which the program needs for threads of its own.
constexpr std::uint64_t kShareOfLimit = 8;
std::uint64_t memory_limit() {
  std::uint64_t least = RLIM_INFINITY;
  for (const int resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (raw::call(SYS_prlimit64, 0, resource, 0, raw::word(&limit)) == 0 && limit.rlim_cur < least)
      least = limit.rlim_cur;
  }
  return least;
}

// A piece of memory for a block that nobody had so far. Null: there is none, or it is the program's.
char* fresh_block() {
  Blocks& b = g_blocks.value;
  const std::size_t bytes = Layout().bytes();
  std::uint64_t seen = b.fresh.load(std::memory_order_acquire);
  while (const std::uint64_t left = seen % pages::kPage) {
    const std::uint64_t next = left > 1 ? seen + bytes - 1 : 0;
    if (b.fresh.compare_exchange_weak(seen, next, std::memory_order_acquire))
      return reinterpret_cast<char*>(seen - left);
  }
  const std::uint32_t made = b.made.load(std::memory_order_relaxed);
  const std::uint64_t limit = memory_limit();
  if (made >= kAlone && made * bytes > limit / kShareOfLimit) return nullptr;
  const std::uint32_t count = made < kAlone || limit != RLIM_INFINITY ? 1 : kTogether;
  auto* memory = static_cast<char*>(pages::map_sparsely(count * bytes));
  if (memory == nullptr || count == 1) return memory;
  // Two threads may have come here at once: the first one's others are then mapped, but never touched.
  std::uint64_t none = 0;
  b.fresh.compare_exchange_strong(none, reinterpret_cast<std::uintptr_t>(memory + bytes) | (count - 1));
  return memory;
}

// The beginnings of the thread's stacks: rows and room.
void begin_stacks(const Layout& layout, ThreadState& t) {
  const std::uint32_t depth = process().options.depth;
  for (unsigned context = 0; context < 2; ++context) {
    StackScratch& scratch = t.scratches[context];
    Few& few = layout.few(t, context);
    scratch.rows.begin(few.rows, layout.many(t, context).rows);
    scratch.frames = few.frames;
    scratch.tops = few.frames + kFewFrames;
    scratch.room = depth < kFewFrames ? depth : kFewFrames;
    scratch.deep = layout.deep(t, context);
  }
}

// Of zeros, for a thread that has nothing yet.
void set_up(ThreadState* t) {
  const Layout layout;
  begin_stacks(layout, *t);
  for (unsigned context = 0; context < 2; ++context) t->scratches[context].foreign = &layout.many(*t, context).foreign;
  LastStack::give(t->scratch(log::RegionKind::Ordinary), layout.last(*t));
  t->tick_stack = layout.tick_stack(*t);
  for (const Room::Where where : {Room::Where::FirstPage, Room::Where::OwnPages})
    for_rooms(where, [&](const Room& room, std::size_t at) { room.give(*t, layout.rooms(*t, where) + at); });
  t->slot = kNoSlot;
}

ThreadState* new_block() {
  char* memory = fresh_block();
  if (memory == nullptr) return nullptr;
  auto* t = reinterpret_cast<ThreadState*>(memory);
  t->seat = make_seat(*t);
  if (t->seat == nullptr) return nullptr;
  set_up(t);
  g_blocks.value.made.fetch_add(1, std::memory_order_relaxed);
  return t;
}

// Gives back all memory of a block that has not much in the log, else what the next thread in the slot can do without.
// True: all of it.
bool give_back(ThreadState& t) {
  const Layout layout;
  bool small = true;
  for (const auto kind : {log::RegionKind::Ordinary, log::RegionKind::Signal}) {
    StackScratch& scratch = t.scratch(kind);
    LastStack::give_back(scratch);
    python::give_back(scratch);
    tree::Region& region = tree::region_of(t, kind);
    region.give_back();
    small = small && region.small();
  }
  if (!small) {
    for (unsigned context = 0; context < 2; ++context) {
      Few& few = layout.few(t, context);
      few.rows = {};
      few.seen = {};
    }
    begin_stacks(layout, t);
    t.stacks_taken = 0;
    pages::zero(reinterpret_cast<char*>(&t) + layout.passing(), layout.passing_end() - layout.passing());
    return false;
  }
  Seat& seat = *t.seat;
  seat.slot = t.slot;
  for (const auto kind : {log::RegionKind::Ordinary, log::RegionKind::Signal})
    seat.chunks[static_cast<unsigned>(kind)] = tree::region_of(t, kind).rest();
  pages::zero(&t, layout.bytes());
  return true;
}

// Somebody who took it for that of a living thread may have stored something there meanwhile.
ThreadState* refill(Seat& seat) {
  ThreadState* t = seat.state;
  *t = {};
  t->seat = &seat;
  set_up(t);
  t->slot = seat.slot;
  return t;
}

}  // namespace

ThreadState* take_block() {
  Blocks& b = g_blocks.value;
  if (const Seat* seat = b.warm.pop()) {
    b.warm_count.fetch_sub(1, std::memory_order_relaxed);
    return seat->state;
  }
  if (const Seat* seat = b.cold.pop()) return seat->state;
  Seat* const seat = b.empty.pop();
  return seat != nullptr ? refill(*seat) : new_block();
}

void give_block(ThreadState* t) {
  Blocks& b = g_blocks.value;
  Seat* const seat = t->seat;
  if (b.warm_count.fetch_add(1, std::memory_order_relaxed) < kWarm) return b.warm.push(seat);
  b.warm_count.fetch_sub(1, std::memory_order_relaxed);
  (give_back(*t) ? b.empty : b.cold).push(seat);
}

void inherit_block(ThreadState* t) {
  g_blocks.value.fresh.store(reinterpret_cast<std::uintptr_t>(t) | 1, std::memory_order_release);
}

void begin_regions(ThreadState& t) {
  const Layout layout;
  Seat& seat = *t.seat;
  for (const auto kind : {log::RegionKind::Ordinary, log::RegionKind::Signal}) {
    const auto i = static_cast<unsigned>(kind);
    Few& few = layout.few(t, i);
    tree::Region& region = tree::region_of(t, kind);
    region.reset(log::region_of(t.slot, kind), {few.index, layout.index(t, i), few.seen, layout.many(t, i).seen});
    if (seat.slot == t.slot) region.resume(seat.chunks[i]);
    seat.chunks[i] = 0;
  }
}

void prepare_blocks() { pages::wipe_in_child(g_blocks); }

}  // namespace prof::threads
