#include "agent/log/names.hpp"

#include <atomic>
#include <cstring>

#include "agent/core/lock.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/text.hpp"
#include "agent/log/append.hpp"
#include "agent/log/file.hpp"
#include "agent/process/process.hpp"

namespace prof::log {
namespace {

constexpr std::size_t kLongestName = 4000, kLongestGroup = 1000;
// The table grows: names lie anywhere in it, and each page that a short process touches is felt.
constexpr std::uint32_t kFirstSlots = 1U << 8, kMostSlots = 1U << 16;
constexpr std::uint32_t kMost = kMostSlots / 4 * 3;
constexpr std::uint32_t kKinds = static_cast<std::uint32_t>(NameKind::File) + 1;

// A name is known by its hash alone: with 64 bits, two of 50,000 names have the same one once in 10^10 processes.
struct Slot {
  std::atomic<std::uint64_t> hash;  // stored last; 0: empty
  std::uint32_t id;
};

struct Index {
  std::uint64_t mask;
  std::uint64_t unused;  // Slots stand behind it
  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
};

struct Names {
  SpinLock lock;  // of insertions
  std::uint32_t count;
  std::atomic<std::uint32_t> by_kind[kKinds];
  AppendChunk chunk;
  std::atomic<Index*> index;  // whoever looks into one before finds no newer names there, and asks again with the lock
};
PROF_WIPED constinit pages::Wiped<Names> g_names{};

std::uint64_t hash_of(NameKind kind, std::string_view name, std::string_view group) {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t h = 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(kind) + 1) ^ name.size() << 20 ^ group.size();
  const auto mix = [&h](std::string_view text) {
    for (std::size_t i = 0; i < text.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + i, text.size() - i < 8 ? text.size() - i : 8);
      const auto product = static_cast<Wide>(h ^ 0x9e3779b97f4a7c15ULL) * (word ^ 0xe7037ed1a0b428dbULL);
      h = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
  };
  mix(name);
  mix(group);
  return h | 1;
}

// The slot of `hash`, or the empty one where it belongs.
Slot& slot_of(Index& index, std::uint64_t hash) {
  for (std::uint64_t i = hash >> 20;; ++i) {
    Slot& s = index.slots()[i & index.mask];
    const std::uint64_t h = s.hash.load(std::memory_order_acquire);
    if (h == hash || h == 0) return s;
  }
}

std::uint32_t find(std::uint64_t hash) {
  Index* index = g_names.value.index.load(std::memory_order_acquire);
  if (index == nullptr) return 0;
  const Slot& slot = slot_of(*index, hash);
  return slot.hash.load(std::memory_order_acquire) == hash ? slot.id : 0;
}

// A table with room for one more name, made if need be; null: there is no memory for it. The one before stays: it may
// be in use, and is a fraction of the new one.
Index* roomy(Names& names) {
  Index* index = names.index.load(std::memory_order_relaxed);
  const std::uint32_t slots = index == nullptr ? 0 : static_cast<std::uint32_t>(index->mask + 1);
  if (slots == kMostSlots || names.count < slots / 2) return index;
  const std::uint32_t more = slots == 0 ? kFirstSlots : slots * 4;
  auto* larger = static_cast<Index*>(pages::map(sizeof(Index) + more * sizeof(Slot), pages::InChild::Gone));
  if (larger == nullptr) return names.count < slots / 4 * 3 ? index : nullptr;
  larger->mask = more - 1;
  for (std::uint32_t i = 0; i < slots; ++i) {
    const Slot& from = index->slots()[i];
    const std::uint64_t hash = from.hash.load(std::memory_order_relaxed);
    if (hash == 0) continue;
    Slot& to = slot_of(*larger, hash);
    to.id = from.id;
    to.hash.store(hash, std::memory_order_relaxed);
  }
  names.index.store(larger, std::memory_order_release);
  return larger;
}

bool describe(std::uint32_t id, NameKind kind, std::string_view name, std::string_view group) {
  const auto bytes = static_cast<std::uint32_t>((sizeof(NameRecord) + name.size() + group.size() + 7) / 8 * 8);
  char* room = append_room(g_names.value.chunk, ChunkType::Names, bytes);
  if (room == nullptr) return false;
  auto* r = reinterpret_cast<NameRecord*>(room);
  r->id = id;
  r->kind = static_cast<std::uint32_t>(kind);
  r->name_bytes = static_cast<std::uint32_t>(name.size());
  r->group_bytes = static_cast<std::uint32_t>(group.size());
  std::memcpy(room + sizeof(NameRecord), name.data(), name.size());
  std::memcpy(room + sizeof(NameRecord) + name.size(), group.data(), group.size());
  __atomic_store_n(&r->bytes, bytes, __ATOMIC_RELEASE);
  return true;
}

std::uint32_t insert(std::uint64_t hash, NameKind kind, std::string_view name, std::string_view group) {
  Names& names = g_names.value;
  Locked locked(names.lock);
  Index* index = roomy(names);
  if (index == nullptr) return 0;
  Slot& slot = slot_of(*index, hash);
  if (slot.hash.load(std::memory_order_relaxed) == hash) return slot.id;
  if (names.count >= kMost || !describe(names.count + 1, kind, name, group)) return 0;
  slot.id = ++names.count;
  names.by_kind[static_cast<std::uint32_t>(kind)].fetch_add(1, std::memory_order_relaxed);
  slot.hash.store(hash, std::memory_order_release);
  return slot.id;
}

}  // namespace

std::uint32_t name_id(const Guard&, NameKind kind, std::string_view name, std::string_view group) {
  if (header() == nullptr) return 0;
  name = first(name, kLongestName);
  group = first(group, kLongestGroup);
  const std::uint64_t hash = hash_of(kind, name, group);
  if (const std::uint32_t known = find(hash)) return known;
  const std::uint32_t id = insert(hash, kind, name, group);
  if (id == 0) count_loss(Loss::NameTableFull);
  return id;
}

std::uint32_t find_name(NameKind kind, std::string_view name, std::string_view group) {
  return find(hash_of(kind, first(name, kLongestName), first(group, kLongestGroup)));
}

std::uint32_t names_of(NameKind kind) {
  return g_names.value.by_kind[static_cast<std::uint32_t>(kind)].load(std::memory_order_relaxed);
}

void prepare_names() { pages::wipe_in_child(g_names); }

}  // namespace prof::log
