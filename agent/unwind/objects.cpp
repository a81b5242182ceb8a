#include "agent/unwind/objects.hpp"

#include <dlfcn.h>

#include <atomic>

#include "agent/core/pages.hpp"

namespace prof {

OwnCode own_code{};

namespace {

// Layout of glibc's struct dl_find_object (<dlfcn.h> since 2.35), spelled out so that building with an older one works.
struct FoundObject {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  link_map* map;
  void* eh_frame;
  unsigned long long reserved[7];
};
using FindObject = int (*)(void*, FoundObject*);

constexpr std::uint32_t kSnapshotRoom = 1024;
struct Snapshot {
  std::atomic<std::uint32_t> count;
  unsigned long long adds, subs;
  Object objects[kSnapshotRoom];
};

FindObject g_find = nullptr;
PROF_LARGE constinit Snapshot g_snapshots[2]{};
std::atomic<Snapshot*> g_current{nullptr};
std::atomic<std::uint32_t> g_generation{1};

int add_object(dl_phdr_info* info, std::size_t, void* data) {
  auto& s = *static_cast<Snapshot*>(data);
  s.adds = info->dlpi_adds;
  s.subs = info->dlpi_subs;
  const std::uint32_t n = s.count.load(std::memory_order_relaxed);
  if (n == kSnapshotRoom) return 1;
  Object o{UINTPTR_MAX, 0, info->dlpi_addr, info->dlpi_name, nullptr};
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    const std::uintptr_t start = info->dlpi_addr + p.p_vaddr;
    if (p.p_type == PT_LOAD) {
      if (start < o.start) o.start = start;
      if (start + p.p_memsz > o.end) o.end = start + p.p_memsz;
    } else if (p.p_type == PT_GNU_EH_FRAME) {
      o.eh_frame_hdr = reinterpret_cast<const std::uint8_t*>(start);
    }
  }
  s.objects[n] = o;
  s.count.store(n + 1, std::memory_order_relaxed);
  return 0;
}

int counters_moved(dl_phdr_info* info, std::size_t, void* data) {
  const auto& s = *static_cast<const Snapshot*>(data);
  return info->dlpi_adds == s.adds && info->dlpi_subs == s.subs ? 1 : 2;  // never 0: one entry is enough
}

bool find_in_snapshot(std::uintptr_t address, Object& object) {
  const Snapshot* s = g_current.load(std::memory_order_acquire);
  if (s == nullptr) return false;
  const std::uint32_t n = s->count.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (address >= s->objects[i].start && address < s->objects[i].end) {
      object = s->objects[i];
      return true;
    }
  }
  return false;
}

}  // namespace

bool object_at(std::uintptr_t address, Object& object) {
  if (g_find == nullptr) return find_in_snapshot(address, object);
  FoundObject found{};
  if (g_find(reinterpret_cast<void*>(address), &found) != 0) return false;
  object.start = reinterpret_cast<std::uintptr_t>(found.map_start);
  object.end = reinterpret_cast<std::uintptr_t>(found.map_end);
  object.bias = found.map->l_addr;
  object.name = found.map->l_name != nullptr ? found.map->l_name : "";
  object.eh_frame_hdr = static_cast<const std::uint8_t*>(found.eh_frame);
  return address >= object.start && address < object.end;
}

void refresh_objects() {
  if (g_find != nullptr) return;
  Snapshot* now = g_current.load(std::memory_order_acquire);
  if (now != nullptr && dl_iterate_phdr(counters_moved, now) == 1) return;
  // Two buffers: a reader that is still in the old one finds it whole, since the next refresh is far away.
  Snapshot* next = now == &g_snapshots[0] ? &g_snapshots[1] : &g_snapshots[0];
  next->count.store(0, std::memory_order_relaxed);
  dl_iterate_phdr(add_object, next);
  g_current.store(next, std::memory_order_release);
}

std::uint32_t module_generation() { return g_generation.load(std::memory_order_acquire); }

void modules_changed() { g_generation.fetch_add(1, std::memory_order_acq_rel); }

void prepare_objects(bool hide_own) {
  g_find = reinterpret_cast<FindObject>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
  refresh_objects();
  Object own{};
  if (hide_own && object_at(reinterpret_cast<std::uintptr_t>(&prepare_objects), own)) {
    own_code = {own.start, own.end};
  }
}

}  // namespace prof
