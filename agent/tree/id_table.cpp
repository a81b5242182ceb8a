#include "agent/tree/id_table.hpp"

#include <sys/mman.h>

#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/file.hpp"

namespace prof::tree {
namespace {

constexpr std::uint32_t kFirstBits = 10, kMostBits = 25;
constexpr std::uint32_t kWindow = 128;  // slots in which a word may stand; behind the last place as many are left over

// Above this share of used slots a larger table is made; above the other one it is urgent: a window might be full.
constexpr std::uint32_t full_enough(std::uint32_t bits) { return (1U << bits) / 5 * 3; }
constexpr std::uint32_t too_full(std::uint32_t bits) { return (1U << bits) / 4 * 3; }

constexpr std::size_t kHuge = 2 << 20;
constexpr std::size_t slot_bytes(std::uint32_t bits) { return ((std::size_t{1} << bits) + kWindow) * 8; }

struct Position {
  std::uint32_t chunk, index;
};
Position position_of(std::uint32_t id) {
  const std::uint32_t i = id - 1;
  if (i < kFirstChunkIds) return {0, i};
  return {(i - kFirstChunkIds) / kChunkIds + 1, (i - kFirstChunkIds) % kChunkIds};
}
std::uint32_t ids_in(std::uint32_t chunk) { return chunk == 0 ? kFirstChunkIds : kChunkIds; }
std::uint32_t first_id_of(std::uint32_t chunk) { return chunk == 0 ? 1 : 1 + kFirstChunkIds + (chunk - 1) * kChunkIds; }

std::uint32_t tag_of(std::uint64_t word) {
  word *= 0x9e3779b97f4a7c15ULL;
  word ^= word >> 32;
  word *= 0xd6e8feb86659fd93ULL;
  return static_cast<std::uint32_t>((word ^ word >> 29) >> 32);
}

constexpr std::uint64_t slot_of(std::uint32_t tag, std::uint32_t id) { return std::uint64_t{tag} << 32 | id; }
constexpr std::uint32_t tag_in(std::uint64_t slot) { return static_cast<std::uint32_t>(slot >> 32); }
constexpr std::uint32_t id_in(std::uint64_t slot) { return static_cast<std::uint32_t>(slot); }

}  // namespace

// The slots stand behind it, on pages of their own: they are given back without it.
struct alignas(pages::kPage) IdTable::Slots {
  using Slot = std::atomic<std::uint64_t>;
  std::uint32_t bits;
  Slot* first;

  Slot* window(std::uint32_t tag) { return first + (tag >> (32 - bits)); }
  std::uint32_t count() const { return (1U << bits) + kWindow; }
  std::size_t bytes() const { return slot_bytes(bits); }
};

std::size_t IdTable::mapped_bytes(std::uint32_t bits) {
  const std::size_t slots = slot_bytes(bits);
  return sizeof(Slots) + slots + (slots >= 2 * kHuge ? kHuge : 0);
}

// Large tables are looked at all over and filled to a third at once: huge pages spare them most of the translation
// misses, and of the page faults.
IdTable::Slots* IdTable::make_slots(std::uint32_t bits) {
  const std::size_t slots = slot_bytes(bits);
  const bool large = slots >= 2 * kHuge;
  auto* made = static_cast<Slots*>(pages::map(mapped_bytes(bits), pages::InChild::Gone));
  if (made == nullptr) return nullptr;
  made->bits = bits;
  auto first = reinterpret_cast<std::uintptr_t>(made + 1);
  if (large) {
    first = (first + kHuge - 1) & ~(kHuge - 1);
    raw::call(SYS_madvise, static_cast<long>(first), static_cast<long>(slots & ~(kHuge - 1)), MADV_HUGEPAGE);
  }
  made->first = reinterpret_cast<Slots::Slot*>(first);
  return made;
}

IdTable::Slots* IdTable::slots_now() {
  Slots* now = slots_.load(std::memory_order_acquire);
  if (now != nullptr) return now;
  Slots* made = make_slots(kFirstBits);
  if (made == nullptr) return nullptr;
  if (slots_.compare_exchange_strong(now, made)) return made;
  pages::unmap(made, mapped_bytes(made->bits));
  return now;
}

void IdTable::put(Slots& slots, std::uint64_t slot) {
  Slots::Slot* at = slots.window(tag_in(slot));
  for (std::uint32_t i = 0; i < kWindow; ++i) {
    std::uint64_t seen = at[i].load(std::memory_order_relaxed);
    if (seen == 0 && at[i].compare_exchange_strong(seen, slot)) return;
    if (seen == slot) return;
  }
}

// For whoever has just inserted into a table that may be on its way out. Its CAS and this look are ordered, and so are
// the publication of a larger table and the copying: one of the two sides sees the other.
void IdTable::copy_to_newer(const Slots& from, std::uint64_t slot) {
  Slots* larger = larger_.load();
  if (larger != nullptr) put(*larger, slot);
  Slots* now = slots_.load();
  if (now != &from && now != larger && now != nullptr) put(*now, slot);
}

// The first one to see that the table is full enough makes the larger one and copies; whoever sees it fuller still does
// not wait for him, who may be descheduled or the very thread that a signal interrupted, but copies as well: a slot
// that is there already is left alone, and only a whole copy is published. False: `from` is still the one to use.
bool IdTable::enlarge(Slots& from, bool help) {
  Slots* to = larger_.load();
  // Not larger: it has become the table just now, or its maker was late and its time has passed.
  if (to != nullptr && to->bits <= from.bits) {
    larger_.compare_exchange_strong(to, nullptr);
    to = nullptr;
  }
  if (to != nullptr && !help) return false;
  if (to == nullptr) {
    if (from.bits >= kMostBits) return false;
    Slots* made = make_slots(from.bits + 1);
    if (made == nullptr) return false;
    if (slots_.load() != &from || !larger_.compare_exchange_strong(to, made)) {
      pages::unmap(made, mapped_bytes(made->bits));
      return slots_.load() != &from;
    }
    to = made;
  }
  for (std::uint32_t i = 0; i < from.count(); ++i) {
    if (const std::uint64_t slot = from.first[i].load()) put(*to, slot);
  }
  Slots* expected = &from;
  if (!slots_.compare_exchange_strong(expected, to)) return true;
  larger_.compare_exchange_strong(to, nullptr);
  raw::call(SYS_madvise, raw::word(from.first), static_cast<long>(from.bytes()), MADV_DONTNEED);
  return true;
}

// Everybody who needs a missing chunk makes one and the first to publish wins: a "somebody is at it" flag would make
// all others lose their event whenever its owner is descheduled - or is the very thread that a signal interrupted.
bool IdTable::ensure_chunk(std::uint32_t chunk, log::ChunkType type) {
  if (words_[chunk].load(std::memory_order_acquire) != nullptr) return true;
  log::ChunkHeader* made = log::take_chunk(type, 0, first_id_of(chunk), sizeof(log::ChunkHeader) + ids_in(chunk) * 8);
  if (made == nullptr) return false;
  std::uint64_t* expected = nullptr;
  if (!words_[chunk].compare_exchange_strong(expected, log::content<std::uint64_t>(made))) log::give_up_chunk(made);
  return true;
}

// `floor`: the id must be greater (a node's id is greater than its parent's, unless that is a strand's).
std::uint32_t IdTable::take_id(std::uint32_t& spare, std::uint32_t floor, std::uint32_t& ids, log::ChunkType type) {
  if (spare > floor) {
    const std::uint32_t id = spare;
    if (!ensure_chunk(position_of(id).chunk, type)) return 0;
    spare = 0;
    return id;
  }
  if (__atomic_load_n(&ids, __ATOMIC_RELAXED) > kMaxIds) return 0;
  const std::uint32_t id = __atomic_fetch_add(&ids, 1, __ATOMIC_RELAXED);
  if (id > kMaxIds) return 0;
  if (ensure_chunk(position_of(id).chunk, type)) return id;
  spare = id;
  return 0;
}

std::uint64_t IdTable::word_of(std::uint32_t id) const {
  const Position p = position_of(id);
  return __atomic_load_n(&words_[p.chunk].load(std::memory_order_acquire)[p.index], __ATOMIC_ACQUIRE);
}

std::uint32_t IdTable::append(std::uint64_t word, std::uint32_t& spare, std::uint32_t& ids, log::ChunkType type) {
  const std::uint32_t parent = type == log::ChunkType::Nodes ? log::node_parent(word) : 0;
  const std::uint32_t floor = log::is_strand(parent) ? 0 : parent;
  const std::uint32_t id = take_id(spare, floor, ids, type);
  if (id == 0) return 0;
  const Position p = position_of(id);
  __atomic_store_n(&words_[p.chunk].load(std::memory_order_relaxed)[p.index], word, __ATOMIC_RELEASE);
  if (Slots* slots = slots_.load(std::memory_order_acquire)) __builtin_prefetch(slots->window(tag_of(word)), 1);
  return id;
}

std::uint32_t IdTable::find(std::uint64_t word) const {
  const std::uint32_t tag = tag_of(word);
  Slots* slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr) return 0;
  const Slots::Slot* at = slots->window(tag);
  for (std::uint32_t i = 0; i < kWindow; ++i) {
    const std::uint64_t seen = at[i].load(std::memory_order_acquire);
    if (seen == 0) return 0;
    if (tag_in(seen) == tag && word_of(id_in(seen)) == word) return id_in(seen);
  }
  return 0;
}

void IdTable::link(std::uint64_t word, std::uint32_t id) {
  Slots* slots = slots_now();
  if (slots == nullptr) return;
  const std::uint64_t slot = slot_of(tag_of(word), id);
  put(*slots, slot);
  copy_to_newer(*slots, slot);
  const std::uint32_t linked = linked_.fetch_add(1, std::memory_order_relaxed);
  if (linked > full_enough(slots->bits)) enlarge(*slots, linked > too_full(slots->bits));
}

std::uint32_t IdTable::intern(std::uint64_t word, std::uint32_t& spare, std::uint32_t& ids, log::ChunkType type,
                              bool* made) {
  const std::uint32_t tag = tag_of(word);
  std::uint32_t mine = 0;
  for (;;) {
    Slots* slots = slots_now();
    if (slots == nullptr) return mine;
    Slots::Slot* at = slots->window(tag);
    std::uint32_t i = 0;
    std::uint64_t seen = 0;
    for (; i < kWindow && (seen = at[i].load(std::memory_order_acquire)) != 0; ++i) {
      if (tag_in(seen) != tag || word_of(id_in(seen)) != word) continue;
      if (mine != 0) spare = mine;
      return id_in(seen);
    }
    if (mine == 0) mine = append(word, spare, ids, type);
    if (mine == 0) return 0;
    if (slots_.load(std::memory_order_acquire) != slots) continue;
    if (i == kWindow) {
      if (enlarge(*slots, true)) continue;
    } else {
      const std::uint64_t slot = slot_of(tag, mine);
      if (!at[i].compare_exchange_strong(seen, slot)) continue;
      copy_to_newer(*slots, slot);
      const std::uint32_t linked = linked_.fetch_add(1, std::memory_order_relaxed);
      if (linked > full_enough(slots->bits)) enlarge(*slots, linked > too_full(slots->bits));
    }
    if (made != nullptr) *made = true;
    return mine;  // where there was no room in the window: it gets another id when it comes again
  }
}

}  // namespace prof::tree
