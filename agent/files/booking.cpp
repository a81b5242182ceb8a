// What calls did, added up by file: one record a thread and file.
#include <cerrno>

#include "agent/capture/window.hpp"
#include "agent/core/counter.hpp"
#include "agent/files/local.hpp"
#include "agent/files/state.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/threads.hpp"
#include "agent/tree/context.hpp"

namespace prof::files {
namespace {

using log::FileWords;

bool ready(const Guard& guard) {
  if (log::header() == nullptr) return false;
  ThreadState& t = guard.thread();
  if (t.record == &t.early) [[unlikely]]
    threads::settle(t);
  return true;
}

[[gnu::noinline]] FileWords* found(const Guard& guard, FileTable& files, FileId file) {
  constexpr std::uint64_t kFiles =
      log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(log::SpecialFrame::Files));
  const std::uint32_t name = files.name_in_log(guard, file);
  const std::uint32_t root = name != 0 ? tree::child_of(guard, 0, kFiles) : 0;
  const std::uint32_t node = root != 0 ? tree::child_of(guard, root, log::named_frame(name, 0)) : 0;
  return node == 0
             ? nullptr
             : reinterpret_cast<FileWords*>(tree::record_of(guard, node, log::RecordClass::File, log::kFileWordCount));
}

// The calling thread's figures of a file; null: there is no room.
FileWords* words_of(const Guard& guard, FileTable& files, FileId file) {
  ThreadState& t = guard.thread();
  if (FileWords* words = at_hand(t, file)) return words;
  if (!ready(guard)) return nullptr;
  FileWords* words = found(guard, files, file);
  if (words == nullptr) return nullptr;
  local(t).slot = t.slot + 1;
  local(t).room->known[file % kKnown] = {file, words};
  return words;
}

void add_timed(std::uint64_t& count, std::uint64_t& total, std::uint64_t ns) {
  add(count, 1);
  add(total, ns);
}

// Of storage: longer than memory can explain.
bool is_slow(std::uint64_t ns, const Use& use) {
  return ns > log::kSlowCallNs + (use.bytes > 0 ? static_cast<std::uint64_t>(use.bytes) : 0);
}

// What moves nothing.
[[gnu::noinline]] void add_other(FileWords& w, Use::What what, std::uint64_t ns) {
  switch (what) {
    case Use::What::Open:
      add_timed(w.opens, w.open_ns, ns);
      break;
    case Use::What::Sync:
      add_timed(w.syncs, w.sync_ns, ns);
      break;
    case Use::What::Seek:
      add(w.seeks, 1);
      break;
    case Use::What::Poll:
      add_timed(w.polls, w.poll_ns, ns);
      break;
    default:
      add_timed(w.others, w.other_ns, ns);
      break;
  }
}

[[gnu::always_inline]] inline void add_use(FileWords& w, const Use& use, std::uint64_t ns, bool file, bool sequential) {
  const std::uint64_t bytes = use.failed || use.bytes < 0 ? 0 : static_cast<std::uint64_t>(use.bytes);
  if (use.what == Use::What::Read) {
    add_timed(w.reads, w.read_ns, ns);
    add(w.read_bytes, bytes);
    if (ns > w.read_max_ns) w.read_max_ns = ns;
    if (sequential) add(w.sequential_reads, 1);
    if (file && is_slow(ns, use)) [[unlikely]]
      add_timed(w.slow_reads, w.slow_read_ns, ns);
  } else if (use.what == Use::What::Write) {
    add_timed(w.writes, w.write_ns, ns);
    add(w.write_bytes, bytes);
    if (ns > w.write_max_ns) w.write_max_ns = ns;
    if (sequential) add(w.sequential_writes, 1);
    if (file && is_slow(ns, use)) [[unlikely]]
      add_timed(w.slow_writes, w.slow_write_ns, ns);
  } else {
    add_other(w, use.what, ns);
  }
  if (use.failed) [[unlikely]]
    add(w.failed, 1);
}

[[gnu::noinline]] void set_sought(Descriptor& d, bool sought) {
  const What seen = d.get();
  What now = seen;
  now.sought = sought;
  d.learn(seen, now);
}

// Whether it went on where the last one ended; and where it ended itself.
inline bool follows(Descriptor& d, const What& seen, const Use& use) {
  if (use.failed || use.bytes < 0) return false;
  if (use.offset >= 0) {
    const bool yes = d.next.load(std::memory_order_relaxed) == use.offset;
    d.next.store(use.offset + use.bytes, std::memory_order_relaxed);
    return yes;
  }
  d.position.store(d.position.load(std::memory_order_relaxed) + use.bytes, std::memory_order_relaxed);
  if (!seen.sought) [[likely]]
    return true;
  set_sought(d, false);
  return false;
}

// Who connected asks by what is sent, who accepted is asked by what comes. What is asked on one connection before the
// last answer came counts from the last question on. The wall time is put together of answers as they come: of one that
// was awaited since before another one, what lies before that one's end is left out.
[[gnu::noinline]] void note_answer(FileWords& w, Descriptor& d, bool question, const wait::Call& call) {
  if (question) return d.next.store(static_cast<std::int64_t>(call.started()), std::memory_order_relaxed);
  const auto asked = static_cast<std::uint64_t>(d.next.load(std::memory_order_relaxed));
  if (asked == 0) return;
  d.next.store(0, std::memory_order_relaxed);
  const std::uint64_t ended = call.started() + call.ns();
  const std::uint64_t ns = capture::within(asked, ended);
  if (ns == 0) return;
  add_timed(w.answers, w.answer_ns, ns);
  const std::uint64_t fresh = ended > w.answered_until ? ended - w.answered_until : 0;
  add(w.answering_ns, ns < fresh ? ns : fresh);
  if (ended > w.answered_until) w.answered_until = ended;
}

// Without a descriptor: of what is written when it is closed, that goes on where the last write ended.
[[gnu::noinline]] void book(FileWords& words, const Tables& tables, FileId file, const wait::Call& call,
                            const Use& use) {
  add_use(words, use, call.ns(), tables.files.group(file) <= Group::Files, use.what == Use::What::Write);
}

[[gnu::always_inline]] inline void book(FileWords& words, Descriptor& d, const What& seen, const wait::Call& call,
                                        const Use& use) {
  if (use.what == Use::What::Seek) set_sought(d, true);
  const bool moves = use.what == Use::What::Read || use.what == Use::What::Write;
  const bool placed = moves && (seen.kind == Kind::File || seen.kind == Kind::Device);
  add_use(words, use, call.ns(), seen.kind == Kind::File, placed && follows(d, seen, use));
  const bool connected = seen.kind == Kind::Socket;
  if (moves && (connected || seen.kind == Kind::Accepted) && !use.failed && use.bytes > 0)
    note_answer(words, d, connected == (use.what == Use::What::Write), call);
}

// A short call that got a context has its descriptor looked at so often at most, by each thread: in a server there are
// ten thousand of them in a second.
constexpr std::uint64_t kLookEveryNs = 1'000'000;

bool wants_look(ThreadState& t, const wait::Call& call) {
  if (call.node() == 0) [[likely]]
    return false;
  const std::uint64_t now = call.started() + call.ns();
  if (call.ns() < log::kWaitSure && now < local(t).next_look) return false;
  local(t).next_look = now + kLookEveryNs;
  return true;
}

[[gnu::noinline]] void used_slowly(int fd, const wait::Call& call, const Use& use, bool look) {
  if (log::header() == nullptr) return;
  Tables* t = make_tables();
  Descriptor* d = t != nullptr ? t->descriptors.make(fd) : nullptr;
  if (d == nullptr) return;
  const HookGuard guard;
  if (!guard || !ready(guard)) return;
  const FileId file = file_of(guard, *t, *d, fd, look || (call.node() != 0 && d->get().file == 0));
  if (look && d->get().kind == Kind::File) note_mounts(guard);
  if (FileWords* words = file != 0 ? words_of(guard, t->files, file) : nullptr) book(*words, *d, d->get(), call, use);
}

}  // namespace

[[gnu::hot]] void used(int fd, const wait::Call& call, const Use& use) {
  if (!call) return;
  ThreadState& state = *tls.state;
  const Tables* t = local(state).tables;
  Descriptor* d = t != nullptr ? t->descriptors.find(fd) : nullptr;
  const bool look = wants_look(state, call);
  if (d != nullptr && !look) [[likely]] {
    const What seen = d->get();
    if (FileWords* words = at_hand(state, seen.file)) [[likely]] {
      const HookGuard guard(state);
      __atomic_signal_fence(__ATOMIC_SEQ_CST);  // the guard is entered for all that is stored
      if (guard) book(*words, *d, seen, call, use);
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      return;
    }
  }
  used_slowly(fd, call, use, look);
}

void used(const Closing& closing, const wait::Call& call, const Use& use) {
  Tables* t = tables_at_hand();
  if (!call || closing.file == 0 || t == nullptr) return;
  ThreadState& state = *tls.state;
  if (FileWords* words = at_hand(state, closing.file)) [[likely]] {
    const HookGuard guard(state);
    if (guard) book(*words, *t, closing.file, call, use);
    return;
  }
  const HookGuard guard;
  if (!guard || !ready(guard)) return;
  if (FileWords* words = words_of(guard, t->files, closing.file)) book(*words, *t, closing.file, call, use);
}

void used(int directory, const char* path, const wait::Call& call, const Use& use) {
  if (!call || path == nullptr || log::header() == nullptr) return;
  Tables* t = make_tables();
  const HookGuard guard;
  if (t == nullptr || !guard || !ready(guard)) return;
  const std::string_view name = absolute(guard, *t, directory, path);
  const FileId file =
      name.empty() ? t->files.intern(guard, Group::Other, "(other files)") : t->files.intern_passing(guard, name);
  if (FileWords* words = file != 0 ? words_of(guard, t->files, file) : nullptr) book(*words, *t, file, call, use);
}

void sought(int fd, std::int64_t offset) {
  if (offset < 0 || tls.suppressed != 0 || !followed()) return;
  Tables* t = tables_at_hand();
  Descriptor* d = t != nullptr ? t->descriptors.find(fd) : nullptr;
  if (d == nullptr || d->position.load(std::memory_order_relaxed) == offset) return;
  d->position.store(offset, std::memory_order_relaxed);
  set_sought(*d, true);
  const FileId file = d->get().file;
  if (file == 0) return;
  ThreadState& state = *tls.state;
  if (FileWords* words = at_hand(state, file)) [[likely]] {
    const HookGuard guard(state);
    if (guard) add(words->seeks, 1);
    return;
  }
  const HookGuard guard;
  if (!guard || !ready(guard)) return;
  if (FileWords* words = words_of(guard, t->files, file)) add(words->seeks, 1);
}

}  // namespace prof::files
