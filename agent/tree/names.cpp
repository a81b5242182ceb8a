#include "agent/tree/names.hpp"

#include <atomic>
#include <cstring>

#include "agent/core/hash_tree.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/log/append.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"

namespace prof::log {
namespace {

constexpr std::size_t kLongestName = 4000, kLongestGroup = 1000;
constexpr std::uint32_t kMost = 49152;
constexpr std::uint32_t kKinds = static_cast<std::uint32_t>(NameKind::LuaTrace) + 1;

struct Names {
  std::atomic<std::uint32_t> count;
  std::atomic<std::uint32_t> by_kind[kKinds];
  AppendChunk chunk;
  // A name is known by its hash alone: with 64 bits, two of 50,000 names have the same one once in 10^10 processes.
  HashTree ids;
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

bool describe(std::uint32_t id, NameKind kind, std::string_view name, std::string_view group) {
  const auto bytes = static_cast<std::uint32_t>((sizeof(NameRecord) + name.size() + group.size() + 7) / 8 * 8);
  char* room = append_record(g_names.value.chunk, ChunkType::Names, bytes);
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

// Of two threads that are at the same name, one describes it for nobody: nobody waits.
std::uint32_t insert(std::uint64_t hash, NameKind kind, std::string_view name, std::string_view group) {
  Names& names = g_names.value;
  if (names.count.load(std::memory_order_relaxed) >= kMost) return 0;
  const std::uint32_t mine = names.count.fetch_add(1, std::memory_order_relaxed) + 1;
  if (mine > kMost || !describe(mine, kind, name, group)) return 0;
  const std::uint32_t id = names.ids.insert(hash, mine);
  if (id == mine) names.by_kind[static_cast<std::uint32_t>(kind)].fetch_add(1, std::memory_order_relaxed);
  return id;
}

}  // namespace

std::uint32_t name_id(const Guard&, NameKind kind, std::string_view name, std::string_view group) {
  if (header() == nullptr) return 0;
  name = first(name, kLongestName);
  group = first(group, kLongestGroup);
  const std::uint64_t hash = hash_of(kind, name, group);
  if (const std::uint32_t known = g_names.value.ids.find(hash)) return known;
  const std::uint32_t id = insert(hash, kind, name, group);
  if (id == 0) count_loss(Loss::NameTableFull);
  return id;
}

std::uint32_t find_name(NameKind kind, std::string_view name, std::string_view group) {
  return g_names.value.ids.find(hash_of(kind, first(name, kLongestName), first(group, kLongestGroup)));
}

std::uint32_t names_of(NameKind kind) {
  return g_names.value.by_kind[static_cast<std::uint32_t>(kind)].load(std::memory_order_relaxed);
}

void prepare_names() { pages::wipe_in_child(g_names); }

}  // namespace prof::log
