#include "agent/calls/edges.hpp"

#include <cstring>

#include "agent/calls/c_names.hpp"
#include "agent/core/process.hpp"
#include "agent/log/conditions.hpp"
#include "agent/python/codes.hpp"
#include "agent/tree/context.hpp"

namespace prof::python::calls {
namespace {

constexpr unsigned kFirstCacheBits = 10, kMostCacheBits = 20;

constinit log::CallWords g_lost{};  // of what finds no room in the log

bool make_cache_of(Fresh& fresh, unsigned bits) {
  auto* cache = static_cast<Edge**>(pages::map(sizeof(Edge*) << bits, pages::InChild::Gone));
  if (cache == nullptr) return false;
  for (std::size_t i = 0; i < std::size_t{1} << bits; ++i) cache[i] = &g_nothing;
  fresh.cache = cache;
  fresh.cache_shift = 64 - bits;
  return true;
}

std::size_t slot_of(std::uintptr_t identity, std::uint32_t slots) {
  return static_cast<std::size_t>(identity * 0x9e3779b97f4a7c15ULL >> 32) & (slots - 1);
}
Function*& list_of(Kept& k, std::uintptr_t identity) { return k.functions[slot_of(identity, k.function_slots)]; }

void spread_functions(Kept& k) {
  const std::uint32_t slots = k.function_slots * 4;
  auto* wider = static_cast<Function**>(pages::map(slots * sizeof(Function*), pages::InChild::Kept));
  if (wider == nullptr) return;
  for (std::uint32_t i = 0; i < k.function_slots; ++i) {
    for (Function* f = k.functions[i]; f != nullptr;) {
      Function* next = f->next;
      Function*& list = wider[slot_of(f->identity, slots)];
      f->next = list;
      list = f;
      f = next;
    }
  }
  pages::unmap(k.functions, k.function_slots * sizeof(Function*));
  k.functions = wider;
  k.function_slots = slots;
}

Function* add_function(Kept& k, const Function& like, std::string_view name) {
  auto* made = static_cast<Function*>(k.arena.take(sizeof(Function) + (name.empty() ? 0 : name.size() + 1)));
  if (made == nullptr) return nullptr;
  *made = like;
  if (!name.empty()) {
    auto* copy = reinterpret_cast<char*>(made + 1);
    std::memcpy(copy, name.data(), name.size());
    made->name = copy;
  }
  if (++k.function_count > 2 * k.function_slots) spread_functions(k);
  Function*& list = list_of(k, made->identity);
  made->next = list;
  return list = made;
}

Function* find_function(Kept& k, std::uintptr_t identity, const void* text) {
  for (Function* f = list_of(k, identity); f != nullptr; f = f->next) {
    if (f->identity == identity && f->text == text) return f;
  }
  return nullptr;
}

// A C function is what it was when it was first seen, as with cProfile: others may see it through another type.
Function* c_function_of(const Guard& guard, Kept& k, const Callee& callee, const char* known_name) {
  const auto identity = reinterpret_cast<std::uintptr_t>(callee.key);
  if (Function* f = find_function(k, identity, callee.has[0])) return f;
  Text<512> name;
  if (known_name != nullptr) {
    name << known_name;
  } else {
    describe_c_function(callee.c_function, callee.self, name);
  }
  return add_function(k, {0, builtin_id(guard, name.view()), nullptr, identity, callee.has[0], nullptr}, name.view());
}

log::CallWords* words_of(const Guard& guard, const Function* caller, const Function& callee) {
  constexpr auto special = [](log::SpecialFrame f) {
    return log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(f));
  };
  const std::uint64_t path[] = {
      special(log::SpecialFrame::ExactCalls),
      caller != nullptr ? log::python_frame(caller->code, log::kWholeCode) : special(log::SpecialFrame::NoCaller),
      log::python_frame(callee.code, log::kWholeCode)};
  std::uint32_t node = 0;
  for (const std::uint64_t word : path) {
    node = tree::child_of(guard, node, word);
    if (node == 0) return nullptr;
  }
  return reinterpret_cast<log::CallWords*>(tree::record_of(guard, node, log::RecordClass::Calls, log::kCallWordCount));
}

void put_in_cache(Shadow& s, Edge* e) {
  const std::size_t size = cache_size(s.fresh);
  std::size_t i = cache_slot(e->key, e->caller, s.fresh.cache_shift);
  while (s.fresh.cache[i] != &g_nothing) i = (i + 1) % size;
  s.fresh.cache[i] = e;
}

// Room for one more: a quarter of the cache is used at most, so that most entries stand where they are looked for. A
// full cache is emptied down to what is on the stack; the counters are found again in the log's own index.
bool make_room(Shadow& s) {
  Kept& k = s.kept;
  if (k.used_edges < cache_size(s.fresh) / 4) return true;
  Fresh old = s.fresh;
  const std::size_t old_size = cache_size(s.fresh);
  const unsigned bits = 64 - old.cache_shift;
  const bool full = bits >= kMostCacheBits;
  if (!make_cache_of(s.fresh, full ? kFirstCacheBits : bits + 2)) return false;
  k.used_edges = 0;
  for (std::size_t i = 0; i < old_size; ++i) {
    Edge* e = old.cache[i];
    if (e == &g_nothing || (full && e->level == 0)) continue;
    if (k.used_edges >= cache_size(s.fresh) / 2) break;  // a deep stack of very many functions
    put_in_cache(s, e);
    ++k.used_edges;
  }
  pages::unmap(old.cache, old_size * sizeof(Edge*));
  return true;
}

}  // namespace

constinit Edge g_nothing{nullptr, nullptr, {}, 0, 0, nullptr, &g_lost};

bool make_cache(Fresh& fresh) { return make_cache_of(fresh, kFirstCacheBits); }

Function* code_function_of(const Guard& guard, Kept& k, const Callee& callee) {
  const std::uint32_t code = code_id(guard, callee.key);
  if (Function* f = find_function(k, code, nullptr)) return f;
  return add_function(k, {0, code, nullptr, code, nullptr, nullptr}, {});
}

Edge* find_edge(const Shadow& s, const Function* caller, const Callee& callee, Edge*& stale) {
  const std::size_t size = cache_size(s.fresh);
  for (std::size_t i = cache_slot(callee.key, caller, s.fresh.cache_shift); s.fresh.cache[i] != &g_nothing;
       i = (i + 1) % size) {
    Edge* e = s.fresh.cache[i];
    if (e->caller != caller || e->key != callee.key) continue;
    if (callee.is(*e)) return e;
    if (e->level == 0) stale = e;
  }
  return nullptr;
}

Edge* make_edge(const Guard& guard, Shadow& s, Function* caller, const Callee& callee, const char* known_name,
                Edge* stale) {
  Function* function = callee.c_function != nullptr || known_name != nullptr
                           ? c_function_of(guard, s.kept, callee, known_name)
                           : code_function_of(guard, s.kept, callee);
  if (function == nullptr) return nullptr;
  Edge* e = stale;
  if (e == nullptr) {
    e = make_room(s) ? static_cast<Edge*>(s.kept.arena.take(sizeof(Edge))) : nullptr;
    if (e == nullptr) return nullptr;
  }
  e->key = callee.key;
  e->caller = caller;
  std::memcpy(e->has, callee.has, sizeof(e->has));
  e->first_line = callee.first_line;
  e->level = 0;
  e->callee = function;
  e->words = words_of(guard, e->caller, *function);
  if (e->words == nullptr) {
    count_loss(log::Loss::CallTableFull);
    e->words = &g_lost;
  }
  if (stale == nullptr) {
    put_in_cache(s, e);
    ++s.kept.used_edges;
  }
  return e;
}

}  // namespace prof::python::calls
