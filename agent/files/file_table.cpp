#include "agent/files/file_table.hpp"

#include <cstring>

#include "agent/core/process.hpp"
#include "agent/files/path.hpp"
#include "agent/log/conditions.hpp"
#include "agent/tree/names.hpp"

namespace prof::files {
namespace {

constexpr std::string_view kGroups[] = {"file", "files", "pipe", "socket", "event", "device", "other"};
// For each group, the name of the entry that files share for which there is none of their own.
constexpr std::string_view kSharedNames[] = {"(other files)",  "(other files)",   "(other pipes)", "(other sockets)",
                                             "(other events)", "(other devices)", "(others)"};

// Which bound it is under.
constexpr unsigned bound_of(Group group) { return group == Group::File ? 0 : group == Group::Files ? 1 : 2; }
constexpr std::uint32_t kBounds[] = {FileTable::kMostFiles, FileTable::kMostDirectories, FileTable::kMostOthers};

// 64 bits: a name is known by its hash alone, as in tree/names.cpp.
std::uint64_t hash_of(std::string_view name) {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t h = 0x9e3779b97f4a7c15ULL ^ name.size();
  const auto mix = [&h](std::uint64_t word) {
    const auto product = static_cast<Wide>(h ^ 0x9e3779b97f4a7c15ULL) * (word ^ 0xe7037ed1a0b428dbULL);
    h = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  std::size_t i = 0;
  for (; i + 8 <= name.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, name.data() + i, 8);
    mix(word);
  }
  std::uint64_t rest = 0;
  for (; i < name.size(); ++i) rest = rest << 8 | static_cast<unsigned char>(name[i]);
  mix(rest);
  return h;
}
std::uint64_t hash_of(Group group, std::uint64_t hash_of_name) {
  return (hash_of_name ^ (static_cast<std::uint64_t>(group) + 1) * 0xd6e8feb86659fd93ULL) | 1;
}
std::uint64_t hash_of(Group group, std::string_view name) { return hash_of(group, hash_of(name)); }

}  // namespace

std::string_view to_string(Group group) { return kGroups[static_cast<unsigned>(group)]; }

FileId FileTable::find(std::uint64_t hash) const {
  for (std::uint64_t i = hash >> 20;; ++i) {
    const FileId id = slots_[i % kSlots].load(std::memory_order_acquire);
    if (id == 0 || files_[id].hash == hash) return id;
  }
}

FileId FileTable::find(Group group, std::string_view name) const { return find(hash_of(group, name)); }

FileId FileTable::insert(std::uint64_t hash, Group group, std::string_view name) {
  constexpr unsigned kTurns = 100;  // a file that is not named now is one of the others for ever
  const HeldLock locked(lock_, kTurns);
  if (!locked) return 0;
  std::uint64_t at = hash >> 20;
  for (;; ++at) {
    const FileId id = slots_[at % kSlots].load(std::memory_order_relaxed);
    if (id == 0) break;
    if (files_[id].hash == hash) return id;
  }
  // Shared names always have room, and are under no bound.
  const bool shared = group == Group::Other && !name.empty() && name[0] == '(';
  const unsigned bound = bound_of(group);
  if (used_ + 1 >= kRooms || name.size() > kTexts - text_used_) return 0;
  if (!shared) {
    if (counts_[bound].load(std::memory_order_relaxed) >= kBounds[bound] || name.size() > kTexts - 256 - text_used_)
      return 0;
    counts_[bound].fetch_add(1, std::memory_order_relaxed);
  }
  const FileId id = ++used_;
  File& f = files_[id];
  f.hash = hash;
  f.text = text_used_;
  f.length = static_cast<std::uint32_t>(name.size());
  f.group = group;
  std::memcpy(texts_ + text_used_, name.data(), name.size());
  text_used_ += f.length;
  slots_[at % kSlots].store(static_cast<std::uint16_t>(id), std::memory_order_release);
  return id;
}

FileId FileTable::intern(const Guard&, Group group, std::string_view name) {
  const std::uint64_t hash = hash_of(group, name);
  if (const FileId known = find(hash)) return known;
  // The lock is only for those who can get in; who does not get it is told of like those for whom there is no room.
  const unsigned bound = bound_of(group);
  if (counts_[bound].load(std::memory_order_relaxed) < kBounds[bound]) {
    if (const FileId made = insert(hash, group, name)) return made;
  }
  count_loss(log::Loss::FileTableFull);
  if (group == Group::File) {
    const std::string_view directory = directory_of(name);
    if (const FileId known = find(Group::Files, directory)) return known;
    if (counts_[bound_of(Group::Files)].load(std::memory_order_relaxed) < kMostDirectories) {
      if (const FileId made = insert(hash_of(Group::Files, directory), Group::Files, directory)) return made;
    }
  }
  const std::string_view shared = kSharedNames[static_cast<unsigned>(group)];
  const std::uint64_t other = hash_of(Group::Other, shared);
  const FileId known = find(other);
  return known != 0 ? known : insert(other, Group::Other, shared);
}

FileId FileTable::intern_passing(const Guard& guard, std::string_view path) {
  const std::uint64_t hash = hash_of(path);
  if (const FileId file = find(hash_of(Group::File, hash))) return file;
  if (const FileId directory = find(hash_of(Group::Files, hash))) return directory;
  return intern(guard, Group::Files, directory_of(path));
}

std::uint32_t FileTable::name_in_log(const Guard& guard, FileId id) {
  File& f = files_[id];
  std::uint32_t known = f.name.load(std::memory_order_relaxed);
  if (known == 0) {
    known = log::name_id(guard, log::NameKind::File, name(id), to_string(f.group));
    f.name.store(known, std::memory_order_relaxed);
  }
  return known;
}

}  // namespace prof::files
