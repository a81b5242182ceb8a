// What the parts of this folder share: the tables, and how the kernel is asked.
#pragma once

#include <string_view>

#include "agent/core/pages.hpp"
#include "agent/core/text.hpp"
#include "agent/files/descriptor_table.hpp"
#include "agent/files/file_table.hpp"
#include "agent/files/local.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::files {

struct Tables {
  DescriptorTable descriptors;
  FileTable files;
};

// Whether descriptors are followed here and now: recording of blocking calls is on, and this is no vfork child.
bool followed();

// Null: nothing is kept. There are none in a forked child that has no log yet: it closes and duplicates descriptors and
// is another program at once, mostly.
extern pages::Wiped<std::atomic<Tables*>> current_tables;
inline Tables* tables() { return current_tables.value.load(std::memory_order_acquire); }
// Makes them if there is a log. The calling thread, if it is registered, has them at hand from then on.
Tables* make_tables();
// The same as tables(), of what the thread has at hand where it can be.
inline Tables* tables_at_hand() {
  Tables* t = local(*tls.state).tables;
  return t != nullptr ? t : tables();
}

// The thread's figures of a file, if they are at hand for the quick door; null: they are not.
inline log::FileWords* at_hand(const ThreadState& t, FileId file) {
  if (local(t).room == nullptr) [[unlikely]]
    return nullptr;
  const Known& known = local(t).room->known[file % kKnown];
  return known.file == file ? known.words : nullptr;  // of file 0, null
}

// As the kernel says it.
struct Answer {
  Kind kind;               // Unknown: no such descriptor
  std::uint64_t identity;  // hash of device and inode
};
Answer ask(int fd);
// The same of what a path leads to, links followed.
std::uint64_t identity_of(const char* path);

// Whether the path that a descriptor was opened by is the name of what it turned out to be: a FIFO, say, was taken for
// a file, and is told among pipes.
inline bool names_path_of(Group group, Kind kind) {
  if (kind == Kind::Directory) return group == Group::Files;
  if (kind == Kind::Device) return group == Group::Device;
  return kind == Kind::File && group != Group::Device;
}

// What is told of `d`, which is `fd`; asks whatever is not known yet, and with `check` whether it is still the same.
FileId file_of(const Guard& guard, Tables& tables, Descriptor& d, int fd, bool check);

// The absolute path of `path` as openat has it, in the thread's Room::path; empty: it cannot be told.
std::string_view absolute(const Guard& guard, const Tables& tables, int directory, std::string_view path);

// Writes InfoKey::Mounts, once.
void note_mounts(const Guard& guard);

// Once at start.
void prepare_names_of_files();
void prepare_mounts();

}  // namespace prof::files
