#include "agent/life/blocks.hpp"

#include <sys/resource.h>

#include <atomic>
#include <cstddef>
#include <initializer_list>

#include "agent/core/free_list.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/files/local.hpp"
#include "agent/imports/imports.hpp"
#include "agent/log/file.hpp"
#include "agent/python/thread_scratch.hpp"
#include "agent/stack/last_stack.hpp"
#include "agent/thread/slots.hpp"
#include "agent/thread/threads.hpp"
#include "agent/tree/region.hpp"
#include "agent/wait/functions.hpp"
#include "agent/wait/local.hpp"

namespace prof::threads {
namespace {

// A tick takes some 6 KiB. Where one took more, it would run into the room for names below, which is written anew for
// each: nothing that is believed.
constexpr std::size_t kTickStackBytes = 32 << 10;
constexpr std::uint32_t kAlone = 4, kTogether = 8;  // so many blocks have a mapping each; then so many share one
constexpr std::uint32_t kWarm = 16;                 // states not in use that keep all they have

constexpr std::size_t rounded(std::size_t bytes) { return (bytes + pages::kPage - 1) / pages::kPage * pages::kPage; }

// A thread that takes no stack touches the first page of this alone.
struct alignas(pages::kPage) First {
  ThreadState state;
  tree::Region::FewIndex index[2];
  wait::ThreadCalls calls;  // of which most threads need the first few hundred bytes
};
constexpr std::size_t kUsualFunctions = 10;
static_assert(sizeof(ThreadState) + sizeof(tree::Region::FewIndex[2]) + offsetof(wait::ThreadCalls, known) +
                  kUsualFunctions * sizeof(wait::Known) <=
              pages::kPage);

// One that takes a few touches the page of its context: this and the beginnings of what stands behind it, frames and
// their tops.
struct Few {
  RowCache::Few rows;
  tree::Region::FewSeen seen;
};

struct Many {
  RowCache::Many rows;
  tree::Region::ManySeen seen;
  ForeignWindow foreign;
};

// And what few threads need at all.
struct Rare {
  python::imports::OpenImports imports;
  files::Room files;
};

// Where the parts of a block stand.
class Layout {
 public:
  Layout() {
    at_ = rounded(sizeof(First));
    for (std::size_t& few : few_) few = take(sizeof(Few) + 2 * frame_bytes());
    for (std::size_t& many : many_) many = take(sizeof(Many));
    last_ = take(LastStack::bytes());
    rare_ = take(sizeof(Rare));
    take(kTickStackBytes);
    index_ = take(sizeof(tree::Region::ManyIndex[2]));
  }
  std::size_t bytes() const { return at_; }
  // What a later thread in the same slot can do without.
  std::size_t passing() const { return pages::kPage; }
  std::size_t passing_end() const { return index_; }

  Few& few(ThreadState& t, unsigned context) const { return part<Few>(t, few_[context]); }
  Many& many(ThreadState& t, unsigned context) const { return part<Many>(t, many_[context]); }
  Rare& rare(ThreadState& t) const { return part<Rare>(t, rare_); }
  tree::Region::ManyIndex& index(ThreadState& t, unsigned context) const {
    return (&part<tree::Region::ManyIndex>(t, index_))[context];
  }
  void* last(ThreadState& t) const { return &part<char>(t, last_); }
  void* tick_stack(ThreadState& t) const { return &part<char>(t, index_); }

 private:
  static std::size_t frame_bytes() { return process().options.depth * sizeof(std::uintptr_t); }
  std::size_t take(std::size_t bytes) {
    const std::size_t at = at_;
    at_ += rounded(bytes);
    return at;
  }
  template <class T>
  static T& part(ThreadState& t, std::size_t at) {
    return *reinterpret_cast<T*>(reinterpret_cast<char*>(&t) + at);
  }
  std::size_t at_, few_[2], many_[2], last_, rare_, index_;
};

First& first_of(ThreadState& t) { return *reinterpret_cast<First*>(&t); }

struct Blocks {
  FreeList<ThreadState, &ThreadState::next_free> warm, cold;
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

ThreadState* new_block() {
  char* memory = fresh_block();
  if (memory == nullptr) return nullptr;
  auto* t = reinterpret_cast<ThreadState*>(memory);
  const Layout layout;
  for (unsigned context = 0; context < 2; ++context) {
    StackScratch& scratch = t->scratches[context];
    Few& few = layout.few(*t, context);
    Many& many = layout.many(*t, context);
    scratch.rows.begin(few.rows, many.rows);
    scratch.foreign = &many.foreign;
    scratch.frames = reinterpret_cast<std::uintptr_t*>(&few + 1);
    scratch.tops = scratch.frames + process().options.depth;
  }
  t->scratch(log::RegionKind::Ordinary).last_room = layout.last(*t);
  t->tick_stack = layout.tick_stack(*t);
  wait::local(*t).calls = &first_of(*t).calls;
  t->imports = &layout.rare(*t).imports;
  files::local(*t).room = &layout.rare(*t).files;
  t->slot = kNoSlot;
  Blocks& b = g_blocks.value;
  b.made.fetch_add(1, std::memory_order_relaxed);
  add_known(*t);
  return t;
}

// Gives back what memory the block's thread had but for its first page, and what the next one needs to know of the
// slot.
void cool(ThreadState& t) {
  const Layout layout;
  for (const auto kind : {log::RegionKind::Ordinary, log::RegionKind::Signal}) {
    const auto context = static_cast<unsigned>(kind);
    StackScratch& scratch = t.scratch(kind);
    LastStack::give_back(scratch);
    python::give_back(scratch);
    tree::region_of(t, kind).give_back();
    scratch.rows.begin(layout.few(t, context).rows, layout.many(t, context).rows);
  }
  t.stacks_taken = 0;
  pages::zero(reinterpret_cast<char*>(&t) + layout.passing(), layout.passing_end() - layout.passing());
}

}  // namespace

ThreadState* take_block() {
  Blocks& b = g_blocks.value;
  if (ThreadState* t = b.warm.pop()) {
    b.warm_count.fetch_sub(1, std::memory_order_relaxed);
    return t;
  }
  ThreadState* t = b.cold.pop();
  return t != nullptr ? t : new_block();
}

void give_block(ThreadState* t) {
  Blocks& b = g_blocks.value;
  if (b.warm_count.fetch_add(1, std::memory_order_relaxed) < kWarm) return b.warm.push(t);
  b.warm_count.fetch_sub(1, std::memory_order_relaxed);
  cool(*t);
  b.cold.push(t);
}

void inherit_block(ThreadState* t) {
  g_blocks.value.fresh.store(reinterpret_cast<std::uintptr_t>(t) | 1, std::memory_order_release);
}

void begin_regions(ThreadState& t) {
  const Layout layout;
  for (const auto kind : {log::RegionKind::Ordinary, log::RegionKind::Signal}) {
    const auto i = static_cast<unsigned>(kind);
    tree::region_of(t, kind).reset(log::region_of(t.slot, kind), {first_of(t).index[i], layout.index(t, i),
                                                                  layout.few(t, i).seen, layout.many(t, i).seen});
  }
}

void prepare_blocks() { pages::wipe_in_child(g_blocks); }

}  // namespace prof::threads
