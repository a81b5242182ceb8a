#include "agent/files/descriptors.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"
#include "agent/files/local.hpp"
#include "agent/files/state.hpp"
#include "agent/thread/feature.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::files {

PROF_WIPED_AT_START constinit pages::Wiped<std::atomic<Tables*>> current_tables{};

namespace {

log::WaitClass class_of(Kind kind) {
  constexpr log::WaitClass classes[] = {log::WaitClass::Other, log::WaitClass::File,    log::WaitClass::File,
                                        log::WaitClass::Pipe,  log::WaitClass::Network, log::WaitClass::Network,
                                        log::WaitClass::Poll,  log::WaitClass::Other,   log::WaitClass::Other};
  return classes[static_cast<unsigned>(kind)];
}

std::uint64_t identity_of(const struct stat& st) {
  return ((st.st_ino ^ st.st_dev << 48 ^ st.st_dev >> 16) * 0x9e3779b97f4a7c15ULL) | 1;
}

Kind kind_of(const struct stat& st) {
  switch (st.st_mode & S_IFMT) {
    case S_IFREG:
      return Kind::File;
    case S_IFDIR:
      return Kind::Directory;
    case S_IFIFO:
      return Kind::Pipe;
    case S_IFSOCK:
      return Kind::Socket;
    case S_IFCHR:
    case S_IFBLK:
      return Kind::Device;
    case 0:  // an inode without a file: eventfd and its kind
      return Kind::Event;
    default:
      return Kind::Other;
  }
}

// A path by which something was opened tells of devices as well: no file lies in /dev but where memory does.
Group group_of_path(std::string_view path) {
  return path.starts_with("/dev/") && !path.starts_with("/dev/shm/") && !path.starts_with("/dev/hugepages/")
             ? Group::Device
             : Group::File;
}

}  // namespace

bool followed() {
  const Process& p = process();
  return p.stage.load(std::memory_order_relaxed) == Stage::Ready && p.options.wait &&
         !(tls.vforked && wait::in_vfork_child());
}

Tables* make_tables() {
  Tables* known = tables();
  if (known == nullptr) {
    if (log::header() == nullptr) return nullptr;
    auto* made = static_cast<Tables*>(pages::map(sizeof(Tables), pages::InChild::Gone));
    if (made == nullptr) return nullptr;
    if (current_tables.value.compare_exchange_strong(known, made, std::memory_order_acq_rel))
      known = made;
    else
      pages::unmap(made, sizeof(Tables));
  }
  if (ThreadState& t = *tls.state; t.record != nullptr) local(t).tables = known;
  return known;
}

Answer ask(int fd) {
  struct stat st {};
  if (raw::call(SYS_fstat, fd, raw::word(&st)) != 0) return {Kind::Unknown, 0};
  return {kind_of(st), identity_of(st)};
}

std::uint64_t identity_of(const char* path) {
  struct stat st {};
  return raw::call(SYS_stat, raw::word(path), raw::word(&st)) == 0 ? identity_of(st) : 0;
}

// The class of one that is not known yet.
[[gnu::noinline]] log::WaitClass class_asked(int fd) {
  if (!followed()) return log::WaitClass::Other;
  Tables* t = make_tables();
  Descriptor* d = t != nullptr ? t->descriptors.make(fd) : nullptr;
  if (d == nullptr) return class_of(ask(fd).kind);
  const What seen = d->get();
  if (seen.kind != Kind::Unknown) return class_of(seen.kind);
  // A path leads to a file that has places in it, nearly always: that is asked at half the price.
  What now = seen;
  if (seen.file != 0 && t->files.group(seen.file) == Group::File && raw::call(SYS_lseek, fd, 0, SEEK_CUR) >= 0) {
    now.kind = Kind::File;
    d->learn(seen, now);
    return log::WaitClass::File;
  }
  const Answer answer = ask(fd);
  if (answer.kind == Kind::Unknown) return log::WaitClass::Other;
  now.kind = answer.kind;
  if (seen.file != 0 && !names_path_of(t->files.group(seen.file), answer.kind)) now.file = 0;
  if (d->learn(seen, now)) d->identity.store(answer.identity, std::memory_order_relaxed);
  return class_of(answer.kind);
}

[[gnu::hot]] log::WaitClass class_of(int fd) {
  const ThreadState& state = *tls.state;
  const Tables* t = local(state).tables;
  const Descriptor* d = t != nullptr ? t->descriptors.find(fd) : nullptr;
  if (d == nullptr) return class_asked(fd);
  const What seen = d->get();
  if (seen.kind == Kind::Unknown) return class_asked(fd);
  // What is going to be written when the call is over, is brought near meanwhile.
  if (const log::FileWords* words = at_hand(state, seen.file)) {
    __builtin_prefetch(&words->reads, 1);
    __builtin_prefetch(&words->writes, 1);
  }
  return class_of(seen.kind);
}

void told_regular(int fd) {
  const Tables* t = tables_at_hand();
  Descriptor* d = t != nullptr && followed() ? t->descriptors.find(fd) : nullptr;
  if (d == nullptr) return;
  const What seen = d->get();
  if (seen.kind != Kind::Unknown || seen.file == 0 || t->files.group(seen.file) != Group::File) return;
  What now = seen;
  now.kind = Kind::File;
  d->learn(seen, now);
}

// The name is kept as it is; what kind of file it is, is asked when it is first used.
void opened(int fd, int directory, const char* path, int flags) {
  if (fd < 0 || path == nullptr || !followed()) return;
  Tables* t = make_tables();
  Descriptor* d = t != nullptr ? t->descriptors.make(fd) : nullptr;
  if (d == nullptr) return;
  const HookGuard guard;
  FileId file = 0;
  const bool nameless = (flags & O_TMPFILE) == O_TMPFILE, listed = !nameless && (flags & O_DIRECTORY) != 0;
  if (guard) {
    const std::string_view name = absolute(guard, *t, directory, path);
    if (!name.empty()) file = t->files.intern(guard, nameless || listed ? Group::Files : group_of_path(name), name);
  }
  d->begin(file, nameless ? Kind::File : listed ? Kind::Directory : Kind::Unknown, nameless && file != 0);
}

void made(int fd, Kind kind) {
  if (fd < 0 || !followed()) return;
  Tables* t = make_tables();
  if (Descriptor* d = t != nullptr ? t->descriptors.make(fd) : nullptr) d->begin(0, kind, false);
}

void duplicated(int from, int to) {
  if (from == to || to < 0 || !followed()) return;
  Tables* t = tables();
  if (t == nullptr) return;
  const Descriptor* source = t->descriptors.find(from);
  if (source == nullptr || !source->known())
    closed(to);
  else if (Descriptor* d = t->descriptors.make(to))
    d->copy(*source);
}

void closed(int fd) {
  Tables* t = tables_at_hand();
  if (t == nullptr || !followed()) return;
  Descriptor* d = t->descriptors.find(fd);
  if (d != nullptr && d->known()) d->forget();
}

void closed_range(unsigned first, unsigned last) {
  Tables* t = tables();
  if (t != nullptr && followed()) t->descriptors.forget(first, last);
}

Closing closing(int fd, bool ask) {
  if (!followed()) return {0, log::WaitClass::Other};
  if (ask) class_of(fd);
  Tables* t = tables_at_hand();
  Descriptor* d = t != nullptr ? t->descriptors.find(fd) : nullptr;
  if (d == nullptr || !d->known()) return {0, log::WaitClass::Other};
  const What what = d->get();
  FileId file = what.file;
  if (file == 0 && ask) {
    const HookGuard guard;
    if (guard) file = file_of(guard, *t, *d, fd, false);
  }
  d->forget();
  // What was opened and never used: files, nearly always.
  return {file, class_of(what.kind == Kind::Unknown ? Kind::File : what.kind)};
}

void renamed(int fd) {
  Tables* t = tables();
  if (t == nullptr || !followed()) return;
  if (Descriptor* d = t->descriptors.find(fd)) {
    const What seen = d->get();
    if (seen.file == 0) return;
    What now = seen;
    now.file = 0;
    now.checked = false;
    d->learn(seen, now);
  }
}

void begin_thread(ThreadState& t) {
  Local& local = files::local(t);
  local.tables = tables();
  if (local.slot == 0 || local.slot == t.slot + 1) return;
  for (Known& k : local.room->known) k = {};
  local.slot = 0;
}

void prepare_descriptors() {
  pages::wipe_in_child(current_tables);
  prepare_names_of_files();
  prepare_mounts();
}

extern constinit const Feature feature{
    .prepare = prepare_descriptors,
    .begin_thread = begin_thread,
    .room = {sizeof(Room), [](ThreadState& t, void* room) { local(t).room = static_cast<Room*>(room); }}};

}  // namespace prof::files
