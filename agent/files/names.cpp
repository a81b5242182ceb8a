// How a descriptor gets its name: from the path that it was opened by, or from the kernel.
#include <fcntl.h>

#include <cstring>
#include <initializer_list>

#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"
#include "agent/files/local.hpp"
#include "agent/files/path.hpp"
#include "agent/files/sockets.hpp"
#include "agent/files/state.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::files {
namespace {

// The working directory. Readers copy it and look at the turn again; a writer that finds another one at work lets it.
struct WorkingDirectory {
  std::atomic<std::uint64_t> turn;   // odd: being written
  std::atomic<std::uint64_t> moves;  // how often it was changed
  std::uint64_t asked;               // `moves` when it was asked for
  std::uint32_t length;              // 0: not known
  char text[4096];
};
PROF_WIPED constinit pages::Wiped<WorkingDirectory> g_directory{};

// The number of uses without a context after which a socket is asked for its name: most are closed before.
constexpr std::int64_t kUsesUnnamed = 4;

// Into `to`, which has room for 4096; 0: it cannot be told.
std::size_t working_directory(char* to) {
  WorkingDirectory& w = g_directory.value;
  const std::uint64_t moves = w.moves.load(std::memory_order_acquire);
  std::uint64_t turn = w.turn.load(std::memory_order_acquire);
  if (turn % 2 == 0) {
    const std::uint32_t length = w.length;
    if (length > 0 && length < sizeof(w.text) && w.asked == moves) {
      std::memcpy(to, w.text, length);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (w.turn.load(std::memory_order_relaxed) == turn) return length;
    }
  }
  const long n = raw::call(SYS_getcwd, raw::word(to), sizeof(w.text));
  // One that lies beyond the root begins otherwise.
  if (n < 2 || to[0] != '/') return 0;
  const auto length = static_cast<std::uint32_t>(n - 1);
  turn = w.turn.load(std::memory_order_relaxed);
  if (turn % 2 == 0 && w.turn.compare_exchange_strong(turn, turn + 1, std::memory_order_acquire)) {
    std::memcpy(w.text, to, length);
    w.length = length;
    w.asked = moves;
    w.turn.store(turn + 2, std::memory_order_release);
  }
  return length;
}

std::string_view link_of(int fd, char* to, std::size_t room) {
  Text<40> link;
  link << "/proc/self/fd/" << static_cast<std::uint32_t>(fd);
  const long n = raw::call(SYS_readlinkat, AT_FDCWD, raw::word(link.c_str()), raw::word(to), static_cast<long>(room));
  return {to, n > 0 ? static_cast<std::size_t>(n) : 0};
}

// "anon_inode:[eventfd]" and "anon_inode:inotify" without all that.
std::string_view event_name(std::string_view link) {
  constexpr std::string_view kPrefix = "anon_inode:";
  if (!link.starts_with(kPrefix)) return link;
  link = from(link, kPrefix.size());
  if (link.size() > 2 && link[0] == '[') link = first(from(link, 1), link.size() - 2);
  return link;
}

bool is_waited_for(std::string_view event) {
  for (const std::string_view known : {"eventpoll", "eventfd", "timerfd", "inotify", "signalfd", "io_uring", "pidfd"}) {
    if (event == known) return true;
  }
  return false;
}

// `lasting`: it need not be asked again.
FileId from_socket(const Guard& guard, FileTable& files, Kind kind, int fd, bool& lasting) {
  Room& room = *local(guard.thread()).room;
  TextBuilder name(room.path, sizeof(room.path));
  const Naming naming = name_socket(fd, kind == Kind::Accepted, name);
  lasting = naming == Naming::Lasting;
  return files.intern(guard, Group::Socket, naming == Naming::NoSocket ? "socket" : name.view());
}

FileId from_kernel(const Guard& guard, FileTable& files, Kind kind, int fd) {
  Room& room = *local(guard.thread()).room;
  std::string_view link = link_of(fd, room.path, sizeof(room.path) - 1);
  constexpr std::string_view kDeleted = " (deleted)";
  if (link.size() > kDeleted.size() && link.ends_with(kDeleted)) link = first(link, link.size() - kDeleted.size());
  switch (kind) {
    case Kind::File:
      return link.empty() ? files.intern(guard, Group::Other, "(other files)") : files.intern(guard, Group::File, link);
    case Kind::Directory:
      return link.empty() ? files.intern(guard, Group::Other, "(other files)")
                          : files.intern(guard, Group::Files, link);
    case Kind::Pipe:
      return link.empty() ? files.intern(guard, Group::Other, "(other pipes)") : files.intern(guard, Group::Pipe, link);
    case Kind::Device:
      return link.empty() ? files.intern(guard, Group::Other, "(other devices)")
                          : files.intern(guard, Group::Device, link);
    default: {
      const std::string_view event = event_name(link);
      if (event.empty()) return files.intern(guard, Group::Other, "(others)");
      return files.intern(guard, is_waited_for(event) ? Group::Event : Group::Other, event);
    }
  }
}

// Whether the path leads to what the descriptor is: not, when the file was replaced, or never was that one.
bool still_leads(const Guard& guard, const FileTable& files, FileId file, std::uint64_t identity) {
  Room& room = *local(guard.thread()).room;
  const std::string_view name = files.name(file);
  if (name.size() >= sizeof(room.path)) return false;
  std::memcpy(room.path, name.data(), name.size());
  room.path[name.size()] = '\0';
  return identity_of(room.path) == identity;
}

// Whether the name of that group is a path that leads to what is told by it.
bool is_path(Group group, Kind kind) {
  return group == Group::File || group == Group::Device || (group == Group::Files && kind == Kind::Directory);
}

bool is_socket(Kind kind) { return kind == Kind::Socket || kind == Kind::Accepted; }

// Asks what the descriptor is now, and names it anew if it is not what it was.
[[gnu::noinline]] FileId asked(const Guard& guard, Tables& tables, Descriptor& d, int fd, bool check) {
  const What seen = d.get();
  // Most sockets are closed before they are asked.
  if (is_socket(seen.kind) && seen.file == 0 && !check &&
      d.position.fetch_add(1, std::memory_order_relaxed) < kUsesUnnamed)
    return tables.files.intern(guard, Group::Socket, "socket");
  What now = seen;
  Answer answer{seen.kind, d.identity.load(std::memory_order_relaxed)};
  if (check || seen.kind == Kind::Unknown || answer.identity == 0) {
    const std::uint64_t before = answer.identity;
    answer = ask(fd);
    if (answer.kind == Kind::Unknown) return seen.file;  // closed meanwhile
    const bool other = before != 0 && before != answer.identity;
    if (other) now.file = 0;
    if (!(is_socket(answer.kind) && is_socket(seen.kind)) || other) now.kind = answer.kind;
  }
  if (now.file != 0 && !seen.checked) {
    const Group group = tables.files.group(now.file);
    const bool opened_by_path = group == Group::File || group == Group::Files || group == Group::Device;
    if (opened_by_path && (!names_path_of(group, now.kind) ||
                           (is_path(group, now.kind) && !still_leads(guard, tables.files, now.file, answer.identity))))
      now.file = 0;
  }
  now.checked = true;
  if (is_socket(now.kind)) {
    if (now.file == 0 || !seen.checked) now.file = from_socket(guard, tables.files, now.kind, fd, now.checked);
  } else if (now.file == 0) {
    now.file = from_kernel(guard, tables.files, now.kind, fd);
  }
  if (d.learn(seen, now)) d.identity.store(answer.identity, std::memory_order_relaxed);
  return now.file;
}

}  // namespace

FileId file_of(const Guard& guard, Tables& tables, Descriptor& d, int fd, bool check) {
  const What seen = d.get();
  if (seen.file != 0 && !check) [[likely]]
    return seen.file;
  return asked(guard, tables, d, fd, check);
}

std::string_view absolute(const Guard& guard, const Tables& tables, int directory, std::string_view path) {
  if (path.empty()) return {};
  Room& room = *local(guard.thread()).room;
  std::string_view base;
  bool real = true;
  if (path[0] == '/') {
    real = false;
  } else if (directory == AT_FDCWD) {
    base = {room.base, working_directory(room.base)};
  } else {
    const Descriptor* d = tables.descriptors.find(directory);
    const FileId file = d != nullptr ? d->get().file : 0;
    real = file == 0 || tables.files.group(file) > Group::Files;
    base = real ? link_of(directory, room.base, sizeof(room.base)) : tables.files.name(file);
  }
  if (path[0] != '/' && (base.empty() || base[0] != '/' || base.size() == sizeof(room.base))) return {};
  return {room.path, put_path(room.path, sizeof(room.path), base, real, path)};
}

void moved() {
  if (followed()) g_directory.value.moves.fetch_add(1, std::memory_order_acq_rel);
}

void prepare_names_of_files() { pages::wipe_in_child(g_directory); }

}  // namespace prof::files
