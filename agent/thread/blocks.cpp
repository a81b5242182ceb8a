#include "agent/thread/blocks.hpp"

#include <atomic>
#include <cstddef>
#include <initializer_list>

#include "agent/core/free_list.hpp"
#include "agent/core/pages.hpp"
#include "agent/log/file.hpp"
#include "agent/process/process.hpp"
#include "agent/thread/slots.hpp"
#include "agent/wait/functions.hpp"

namespace prof::threads {
namespace {

// A tick takes some 6 KiB. Where one took more, it would run into the room for frames below, which the next stack is
// written over: nothing that is believed.
constexpr std::size_t kTickStackBytes = 32 << 10;
constexpr std::uint32_t kAlone = 4, kTogether = 8;  // so many blocks have a mapping each; then so many share one
constexpr std::uint32_t kWarm = 16;                 // states not in use that keep all they have

// The large parts, for each context one.
struct Room {
  alignas(pages::kPage) tree::Region::Index index[2];
  // From here on what a later thread can do without.
  alignas(pages::kPage) wait::ThreadCalls calls;
  alignas(pages::kPage) tree::Region::Caches caches[2];
  alignas(pages::kPage) RowCache rows[2];
  alignas(pages::kPage) ForeignWindow foreign[2];
  // Behind it: frames and their tops, for each context; the tick stack.
};

constexpr std::size_t rounded(std::size_t bytes) { return (bytes + pages::kPage - 1) / pages::kPage * pages::kPage; }
constexpr std::size_t kStateBytes = rounded(sizeof(ThreadState));

std::size_t frame_bytes() { return process().options.depth * sizeof(std::uintptr_t); }
std::size_t block_bytes() { return kStateBytes + sizeof(Room) + rounded(4 * frame_bytes()) + kTickStackBytes; }

struct Blocks {
  FreeList<ThreadState, &ThreadState::next_free> free;
  std::atomic<std::uint32_t> free_count;
  std::atomic<std::uint32_t> made;
  std::atomic<std::uint64_t> fresh;  // address | how many more of them: below the page's size
  std::atomic<ThreadState*> first;
};
PROF_WIPED_AT_START constinit pages::Wiped<Blocks> g_blocks{};

Room& room_of(ThreadState& t) { return *reinterpret_cast<Room*>(reinterpret_cast<char*>(&t) + kStateBytes); }

// A piece of memory for a block that nobody had so far.
char* fresh_block() {
  Blocks& b = g_blocks.value;
  const std::size_t bytes = block_bytes();
  std::uint64_t seen = b.fresh.load(std::memory_order_acquire);
  while (const std::uint64_t left = seen % pages::kPage) {
    const std::uint64_t next = left > 1 ? seen + bytes - 1 : 0;
    if (b.fresh.compare_exchange_weak(seen, next, std::memory_order_acquire))
      return reinterpret_cast<char*>(seen - left);
  }
  const std::uint32_t count = b.made.load(std::memory_order_relaxed) < kAlone ? 1 : kTogether;
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
  Room& room = room_of(*t);
  auto* frames = reinterpret_cast<char*>(&room + 1);
  for (unsigned context = 0; context < 2; ++context) {
    StackScratch& scratch = t->scratches[context];
    scratch.rows = &room.rows[context];
    scratch.foreign = &room.foreign[context];
    scratch.frames = reinterpret_cast<std::uintptr_t*>(frames);
    scratch.tops = reinterpret_cast<std::uintptr_t*>(frames + frame_bytes());
    frames += 2 * frame_bytes();
  }
  t->tick_stack = memory + block_bytes();
  t->wait.calls = &room.calls;
  t->slot = kNoSlot;
  Blocks& b = g_blocks.value;
  b.made.fetch_add(1, std::memory_order_relaxed);
  ThreadState* first = b.first.load(std::memory_order_relaxed);
  do t->next_known = first;
  while (!b.first.compare_exchange_weak(first, t, std::memory_order_release));
  return t;
}

}  // namespace

ThreadState* take_block() {
  Blocks& b = g_blocks.value;
  ThreadState* t = b.free.pop();
  if (t == nullptr) return new_block();
  b.free_count.fetch_sub(1, std::memory_order_relaxed);
  return t;
}

void give_block(ThreadState* t) {
  Blocks& b = g_blocks.value;
  if (b.free_count.fetch_add(1, std::memory_order_relaxed) >= kWarm) {
    // The indices stay: they know where the slot's records stand, which the next thread goes on with.
    pages::zero(&room_of(*t).calls, block_bytes() - kStateBytes - offsetof(Room, calls));
  }
  b.free.push(t);
}

void inherit_block(ThreadState* t) {
  g_blocks.value.fresh.store(reinterpret_cast<std::uintptr_t>(t) | 1, std::memory_order_release);
}

void begin_regions(ThreadState& t) {
  Room& room = room_of(t);
  if (t.region(log::RegionKind::Ordinary).in_use()) pages::zero(&room, offsetof(Room, rows));
  for (const auto kind : {log::RegionKind::Ordinary, log::RegionKind::Signal}) {
    const auto i = static_cast<unsigned>(kind);
    t.region(kind).reset(log::region_of(t.slot, kind), room.index[i], room.caches[i]);
  }
}

ThreadState* first_block() { return g_blocks.value.first.load(std::memory_order_acquire); }

void prepare_blocks() { pages::wipe_in_child(g_blocks); }

}  // namespace prof::threads
