// The files, pipes, sockets... that are told one by one, by number: a bounded number of names. What there is no room
// for is told together: a file by its directory, all else by its kind.
//
// Look-ups are lock-free. A forked child finds the table gone and begins a new one.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "agent/core/lock.hpp"
#include "agent/thread/guard.hpp"

namespace prof::files {

// Groups of names, see FileWords in contract/format_wait.hpp.
enum class Group : std::uint8_t { File, Files, Pipe, Socket, Event, Device, Other };
std::string_view to_string(Group group);

using FileId = std::uint32_t;  // from 1 on; 0: none

class FileTable {
 public:
  static constexpr std::uint32_t kMostFiles = 2000;
  static constexpr std::uint32_t kMostDirectories = 1000;
  static constexpr std::uint32_t kMostOthers = 1000;  // of all other kinds together

  // The number that a name has; 0: none.
  FileId find(Group group, std::string_view name) const;
  // The number that tells of a path which nobody opens: of the file or directory of that name, if there is one by
  // itself, or of its directory.
  FileId intern_passing(const Guard& guard, std::string_view path);
  // The number for a name: its own, or where there is no room for it, which is counted, that of what tells of it
  // together with others. 0: not even that had room. Hook contexts; holds signals for a new name.
  FileId intern(const Guard& guard, Group group, std::string_view name);

  Group group(FileId id) const { return files_[id].group; }
  std::string_view name(FileId id) const { return {texts_ + files_[id].text, files_[id].length}; }
  // The name's id in the log, which describes it there if need be; 0: no room.
  std::uint32_t name_in_log(const Guard& guard, FileId id);
  // Of regular files, how many there are by themselves.
  std::uint32_t files() const { return counts_[0].load(std::memory_order_relaxed); }

 private:
  struct File {
    std::uint64_t hash;
    std::uint32_t text, length;
    std::atomic<std::uint32_t> name;
    Group group;
  };
  static constexpr std::uint32_t kSlots = 8192;
  static constexpr std::uint32_t kRooms = 4096;
  static constexpr std::uint32_t kTexts = 1U << 20;

  FileId find(std::uint64_t hash) const;
  // 0: there is no room of its own.
  FileId insert(std::uint64_t hash, Group group, std::string_view name);

  Lock lock_;  // of insertions
  std::uint32_t used_, text_used_;
  std::atomic<std::uint32_t> counts_[3];
  std::atomic<std::uint16_t> slots_[kSlots];
  File files_[kRooms];
  char texts_[kTexts];
};

}  // namespace prof::files
