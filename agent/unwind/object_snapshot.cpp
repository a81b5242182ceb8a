#include "agent/unwind/object_snapshot.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstring>

#include "agent/core/pages.hpp"
#include "agent/core/readable.hpp"

namespace prof::object_snapshot {
namespace {

constexpr std::uint32_t kRoom = 1024;

// Written by one thread at a time. `version` is odd while it is; a reader that saw two versions saw no object.
struct Snapshot {
  std::atomic<std::uint32_t> version, count, generation;
  const link_map* maps[kRoom];
  Object objects[kRoom];
};

PROF_LARGE constinit Snapshot g_snapshots[2]{};
std::atomic<Snapshot*> g_current{nullptr};
std::atomic_flag g_busy;
std::atomic<std::uint32_t> g_closing{0};  // calls of dlclose under way
std::atomic<std::uint32_t> g_first{0};    // objects of the first snapshot, which lead all others and never go
const r_debug* g_list = nullptr;
std::uint32_t g_generation = 0;

void add_segment(Object& o, const ElfW(Phdr) & p) {
  const std::uintptr_t start = o.bias + p.p_vaddr;
  if (p.p_type == PT_LOAD) {
    if (start < o.start) o.start = start;
    if (start + p.p_memsz > o.end) o.end = start + p.p_memsz;
  } else if (p.p_type == PT_GNU_EH_FRAME) {
    o.eh_frame_hdr = reinterpret_cast<const std::uint8_t*>(start);
  }
}

Object without_segments(std::uintptr_t bias, const char* name) { return {UINTPTR_MAX, 0, bias, name, nullptr}; }

// The list of dl_iterate_phdr is that of the loader, in its order: so each entry's link_map is known, too.
struct First {
  Snapshot* to;
  const link_map* map;
};
int add_first(dl_phdr_info* info, std::size_t, void* data) {
  First& f = *static_cast<First*>(data);
  const std::uint32_t n = f.to->count.load(std::memory_order_relaxed);
  if (n == kRoom) return 1;
  Object o = without_segments(info->dlpi_addr, info->dlpi_name);
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) add_segment(o, info->dlpi_phdr[i]);
  f.to->objects[n] = o;
  const bool same = f.map != nullptr && f.map->l_addr == info->dlpi_addr;
  f.to->maps[n] = same ? f.map : nullptr;
  f.map = same ? f.map->l_next : nullptr;
  f.to->count.store(n + 1, std::memory_order_relaxed);
  return 0;
}

template <class T>
bool all_readable(const T* at, std::size_t count = 1) {
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  const std::uintptr_t end = begin + count * sizeof(T) - 8;
  return begin != 0 && begin % alignof(T) == 0 && readable(begin) && readable(end);
}

// From the file's header, which the first segment begins with.
bool read_object(const link_map& map, Object& o) {
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(map.l_addr);
  if (!all_readable(header) || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return false;
  const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(map.l_addr + header->e_phoff);
  if (header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phnum == 0 || header->e_phnum > 64) return false;
  if (!all_readable(segments, header->e_phnum)) return false;
  o = without_segments(map.l_addr, map.l_name);
  for (unsigned i = 0; i < header->e_phnum; ++i) add_segment(o, segments[i]);
  return o.start < o.end;
}

bool known(const Snapshot& s, const link_map* map, Object& o) {
  const std::uint32_t n = s.count.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (s.maps[i] == map && s.objects[i].bias == map->l_addr && s.objects[i].name == map->l_name) {
      o = s.objects[i];
      return true;
    }
  }
  return false;
}

bool something_new(const Snapshot& s) {
  const std::uint32_t n = s.count.load(std::memory_order_relaxed);
  const link_map* last = n > 0 ? s.maps[n - 1] : nullptr;
  return last == nullptr || (all_readable(last) && last->l_next != nullptr);
}

bool at_rest() { return g_list->r_state == r_debug::RT_CONSISTENT; }

bool copy_list(const Snapshot& old, bool keep, Snapshot& to) {
  std::uint32_t n = 0;
  for (const link_map* map = g_list->r_map; map != nullptr && n < kRoom; map = map->l_next) {
    if (!all_readable(map)) return false;
    Object o{};
    // vdso and prelinked objects have no header where it is looked for: they were there at the start.
    if (!(keep && known(old, map, o)) && !read_object(*map, o) && !known(old, map, o)) continue;
    to.maps[n] = map;
    to.objects[n++] = o;
  }
  to.count.store(n, std::memory_order_relaxed);
  return n > 0 && at_rest();
}

}  // namespace

void prepare(std::uint32_t generation) {
  g_generation = generation;
  g_list = static_cast<const r_debug*>(dlsym(RTLD_DEFAULT, "_r_debug"));
  Snapshot* first = &g_snapshots[0];
  first->count.store(0, std::memory_order_relaxed);
  First f{first, g_list != nullptr ? g_list->r_map : nullptr};
  dl_iterate_phdr(add_first, &f);
  first->generation.store(generation, std::memory_order_relaxed);
  g_first.store(first->count.load(std::memory_order_relaxed), std::memory_order_relaxed);
  g_current.store(first, std::memory_order_release);
}

void refresh(std::uint32_t generation) {
  if (g_list == nullptr || g_busy.test_and_set(std::memory_order_acquire)) return;
  Snapshot* now = g_current.load(std::memory_order_acquire);
  if (at_rest() && (generation != g_generation || something_new(*now))) {
    Snapshot* next = now == &g_snapshots[0] ? &g_snapshots[1] : &g_snapshots[0];
    next->version.fetch_add(1, std::memory_order_acq_rel);
    const bool whole = copy_list(*now, generation == g_generation, *next);
    next->generation.store(generation, std::memory_order_relaxed);
    next->version.fetch_add(1, std::memory_order_acq_rel);
    if (whole) {
      g_current.store(next, std::memory_order_release);
      g_generation = generation;
    }
  }
  g_busy.clear(std::memory_order_release);
}

void closing(bool ended) {
  if (ended) {
    g_closing.fetch_sub(1, std::memory_order_acq_rel);
  } else {
    g_closing.fetch_add(1, std::memory_order_acq_rel);
  }
}

bool find(std::uintptr_t address, std::uint32_t generation, Object& object) {
  const Snapshot* s = g_current.load(std::memory_order_acquire);
  if (s == nullptr) return false;
  const std::uint32_t version = s->version.load(std::memory_order_acquire);
  const bool sure =
      g_closing.load(std::memory_order_acquire) == 0 && s->generation.load(std::memory_order_relaxed) == generation;
  const std::uint32_t n = sure ? s->count.load(std::memory_order_relaxed) : g_first.load(std::memory_order_relaxed);
  bool found = false;
  for (std::uint32_t i = 0; i < n && i < kRoom && !found; ++i) {
    found = address >= s->objects[i].start && address < s->objects[i].end;
    if (found) object = s->objects[i];
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return found && version % 2 == 0 && s->version.load(std::memory_order_relaxed) == version;
}

}  // namespace prof::object_snapshot
