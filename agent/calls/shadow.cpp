#include "agent/calls/shadow.hpp"

#include <cstring>

#include "agent/calls/edges.hpp"
#include "agent/core/lock.hpp"
#include "agent/core/process.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"

namespace prof::python::calls {

namespace {

constexpr std::uint32_t kFirstFrames = 254;
constexpr std::uint32_t kMostFrames = 1U << 20;
constexpr std::uint32_t kFirstFunctions = 256;

struct Shadows {
  Lock lock;
  Shadow* first;
};
PROF_WIPED constinit pages::Wiped<Shadows> g_shadows{};

// --- making and dropping -----------------------------------------------------------------------------------------

bool make_frames(Shadow& s, std::uint32_t room) {
  auto* frames = static_cast<Frame*>(pages::map(room * sizeof(Frame), pages::InChild::Kept));
  if (frames == nullptr) return false;
  Kept& k = s.kept;
  const auto open = static_cast<std::size_t>(k.top - k.frames);
  if (k.frames != nullptr) {
    std::memcpy(frames, k.frames, (open + 1) * sizeof(Frame));
    pages::unmap(k.frames, k.room * sizeof(Frame));
  } else {
    frames[0] = {&g_nothing, nullptr, 0, 0};
  }
  k.frames = frames;
  k.top = frames + open;
  k.room = room;
  s.fresh.last = frames + room - 1;
  return true;
}

void give_back(Shadow& s) {
  Kept& k = s.kept;
  if (s.fresh.cache != nullptr) pages::unmap(s.fresh.cache, cache_size(s.fresh) * sizeof(Edge*));
  if (k.frames != nullptr) pages::unmap(k.frames, k.room * sizeof(Frame));
  if (k.functions != nullptr) pages::unmap(k.functions, k.function_slots * sizeof(Function*));
  k.arena.give_back();
  pages::unmap(&s, sizeof(s));
}

Shadow* new_shadow() {
  auto* s = static_cast<Shadow*>(pages::map(sizeof(Shadow), pages::InChild::Kept));
  if (s == nullptr) return nullptr;
  pages::wipe_in_child(&s->fresh, pages::kPage);
  Kept& k = s->kept;
  k.function_slots = kFirstFunctions;
  k.functions = static_cast<Function**>(pages::map(kFirstFunctions * sizeof(Function*), pages::InChild::Kept));
  if (k.functions == nullptr || !make_cache(s->fresh) || !make_frames(*s, kFirstFrames)) {
    give_back(*s);
    return nullptr;
  }
  s->fresh.rate = counter_rate();
  Shadows& all = g_shadows.value;
  {
    const HeldLock locked(all.lock);
    if (locked) {
      s->next = all.first;
      if (all.first != nullptr) all.first->previous = s;
      all.first = s;
      return s;
    }
  }
  count_loss(log::Loss::Contended);
  give_back(*s);
  return nullptr;
}

// False: it stays among the others, with nothing open in it.
bool unlink(Shadow& s) {
  Shadows& all = g_shadows.value;
  const HeldLock locked(all.lock);
  if (!locked) return false;
  if (s.next != nullptr) s.next->previous = s.previous;
  (s.previous != nullptr ? s.previous->next : all.first) = s.next;
  return true;
}

bool has_room(Shadow& s) {
  if (s.kept.top < s.fresh.last) return true;
  return s.kept.room < kMostFrames && make_frames(s, (s.kept.room + 2) * 2 - 2);
}

void add_call(const Guard& guard, Shadow& s, Function* caller, const Callee& callee, const char* known_name) {
  if (!has_room(s)) return count_loss(log::Loss::CallTableFull);
  Edge* stale = nullptr;
  Edge* e = find_edge(s, caller, callee, stale);
  if (e == nullptr) e = make_edge(guard, s, caller, callee, known_name, stale);
  if (e == nullptr) return count_loss(log::Loss::CallTableFull);
  push(s.kept, *e);
}

// --- forked children ---------------------------------------------------------------------------------------------

// What was open at the fork is open here too: a fork returns twice, and both returns have a caller.
void inherit(const Guard& guard, const Kept& parent, Shadow& s) {
  for (const Frame* f = parent.frames + 1; f <= parent.top; ++f) {
    const Edge& e = *f->edge;
    add_call(guard, s, s.kept.top->function, {e.key, {e.has[0], e.has[1], e.has[2]}, e.first_line, nullptr, nullptr},
             f->function->name);
  }
}

void book(Shadow& s) {
  const std::uint64_t at = now();
  for (Frame* f = s.kept.top; f > s.kept.frames; --f) {
    Edge& e = *f->edge;
    const std::uint64_t total = at > f->start ? at - f->start : 0;
    const std::uint64_t total_ns = nanoseconds(total, s.fresh.rate);
    e.words->self_ns += nanoseconds(total > f->nested ? total - f->nested : 0, s.fresh.rate);
    if (--e.callee->level == 0) e.words->outer_ns += total_ns;
    if (--e.level == 0) e.words->edge_outer_ns += total_ns;
    f->start = at;
    f->nested = 0;
    (f - 1)->nested += total;
  }
  for (Frame* f = s.kept.top; f > s.kept.frames; --f) {
    ++f->function->level;
    ++f->edge->level;
  }
}

}  // namespace

Shadow* own_shadow(const Guard& guard) {
  Shadow& before = shadow();
  if (before.fresh.rate != 0) return &before;
  if (!log::ensure_created()) return nullptr;
  Shadow* s = new_shadow();
  if (s == nullptr) return nullptr;
  tls.exact = s;
  if (&before != &no_shadow()) {
    inherit(guard, before.kept, *s);
    before.fresh.cache = nullptr;
    give_back(before);
  }
  return s;
}

void enter_from(const Callee* caller, const Callee& callee) {
  const HookGuard guard;
  if (!guard) return;
  Shadow* s = own_shadow(guard);
  if (s == nullptr) return;
  add_call(guard, *s, caller != nullptr ? code_function_of(guard, s->kept, *caller) : nullptr, callee, nullptr);
}

void enter_slowly(const Callee& callee) {
  Shadow& s = shadow();
  if (s.fresh.rate != 0 && s.kept.top < s.fresh.last) {
    Edge* stale = nullptr;
    if (Edge* e = find_edge(s, s.kept.top->function, callee, stale)) return push(s.kept, *e);
  }
  const HookGuard guard;
  if (!guard) return;
  if (Shadow* own = own_shadow(guard)) add_call(guard, *own, own->kept.top->function, callee, nullptr);
}

void leave_slowly(const void* key, bool raised) {
  if (shadow().fresh.rate == 0) {
    if (&shadow() == &no_shadow()) return;  // the end of a call that began unseen
    const HookGuard guard;
    if (!guard || own_shadow(guard) == nullptr) return;
  }
  // Ends that were not told lie above the call that ends now: a coroutine library switched stacks. The end of a call
  // whose beginning was not seen is in no frame.
  constexpr unsigned kMostSearched = 256;
  Shadow& s = shadow();
  const std::uint64_t ended = now();
  const Frame* found = s.kept.top;
  for (unsigned i = 0; found->edge->key != key; ++i, --found) {
    if (found == s.kept.frames || i == kMostSearched) return;
  }
  while (s.kept.top > found) pop(s.kept, ended, s.fresh.rate, false);
  pop(s.kept, ended, s.fresh.rate, raised);
}

void book_open_calls() {
  Shadow& s = shadow();
  if (s.fresh.rate != 0) book(s);
}

void book_all_open_calls() {
  const HeldLock locked(g_shadows.value.lock);
  if (!locked) return count_loss(log::Loss::Contended);
  for (Shadow* s = g_shadows.value.first; s != nullptr; s = s->next) book(*s);
}

void close_open_calls() {
  Shadow& s = shadow();
  if (s.fresh.rate == 0) return;
  const std::uint64_t ended = now();
  while (s.kept.top > s.kept.frames) pop(s.kept, ended, s.fresh.rate, false);
}

void drop_shadow() {
  Shadow& s = shadow();
  if (&s == &no_shadow()) return;
  close_open_calls();
  tls.exact = &no_shadow();
  if (s.fresh.rate == 0 || unlink(s)) give_back(s);
}

void prepare_shadows() { pages::wipe_in_child(g_shadows); }

}  // namespace prof::python::calls
