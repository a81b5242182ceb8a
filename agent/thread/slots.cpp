#include "agent/thread/slots.hpp"

#include <atomic>

#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/file.hpp"

namespace prof {
namespace {

constexpr std::uint32_t kFirstChunkSlots = 3;  // one granule: most processes have few threads
constexpr std::uint32_t kChunkSlots = 63;      // just below 16 KiB
constexpr std::uint32_t kMaxChunks = 2048;

using Chunk = std::atomic<log::ThreadRecord*>;
struct Slots {
  Chunk chunks[kMaxChunks];
};
PROF_WIPED constinit pages::Wiped<Slots> g_slots{};
PROF_WIPED_AT_START constinit pages::Wiped<Chunk> g_first_slots{};  // apart: every process has some

}  // namespace

log::ThreadRecord* record_of_slot(std::uint32_t slot) {
  const bool first = slot < kFirstChunkSlots;
  const std::uint32_t chunk = first ? 0 : 1 + (slot - kFirstChunkSlots) / kChunkSlots;
  const std::uint32_t index = first ? slot : (slot - kFirstChunkSlots) % kChunkSlots;
  if (chunk >= kMaxChunks) return nullptr;
  Chunk& entry = first ? g_first_slots.value : g_slots.value.chunks[chunk];
  if (entry.load(std::memory_order_acquire) == nullptr) {
    const std::uint32_t records = first ? kFirstChunkSlots : kChunkSlots;
    log::ChunkHeader* made = log::take_chunk(log::ChunkType::Threads, 0, slot - index,
                                             sizeof(log::ChunkHeader) + records * sizeof(log::ThreadRecord));
    if (made == nullptr) return nullptr;
    log::ThreadRecord* expected = nullptr;
    if (!entry.compare_exchange_strong(expected, log::content<log::ThreadRecord>(made))) log::give_up_chunk(made);
  }
  return entry.load(std::memory_order_acquire) + index;
}

bool take_slot(ThreadState& t) {
  if (t.slot != kNoSlot) {
    if (t.record == nullptr) {
      t.record = record_of_slot(t.slot);
      t.cpu_before = t.record->cpu_ns;
    }
    ++t.record->merged;
    return true;
  }
  log::Header* h = log::header();
  if (t.tid != raw::pid()) {
    if (h == nullptr) return false;
    t.slot = __atomic_fetch_add(&h->threads, 1, __ATOMIC_RELAXED);
    t.record = record_of_slot(t.slot);
    if (t.record == nullptr) {
      t.slot = kNoSlot;
      return false;
    }
  } else {
    // Slot 0 is the main thread's, also while there is no log yet.
    t.slot = 0;
    t.record = h != nullptr ? record_of_slot(0) : nullptr;
    if (t.record == nullptr) t.record = &t.early;
  }
  t.cpu_before = 0;
  return true;
}

void release_slot(ThreadState& t) {
  if (t.slot >= kOwnSlots) return;
  t.slot = kNoSlot;
  t.record = nullptr;
}

void prepare_slots() {
  pages::wipe_in_child(g_slots);
  pages::wipe_in_child(g_first_slots);
}

}  // namespace prof
