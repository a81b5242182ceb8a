#include "agent/unwind/objects.hpp"

#include <dlfcn.h>

#include <atomic>

#include "agent/unwind/object_snapshot.hpp"

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

FindObject g_find = nullptr;
std::atomic<std::uint32_t> g_generation{1}, g_loader_generation{1};

}  // namespace

bool object_at(std::uintptr_t address, Object& object) {
  if (g_find == nullptr) return object_snapshot::find(address, loader_generation(), object);
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
  if (g_find == nullptr) object_snapshot::refresh(loader_generation());
}

std::uint32_t module_generation() { return g_generation.load(std::memory_order_acquire); }

void modules_closing() {
  if (g_find == nullptr) object_snapshot::closing(false);
}

void modules_closed() {
  modules_changed();
  if (g_find == nullptr) object_snapshot::closing(true);
}

std::uint32_t loader_generation() { return g_loader_generation.load(std::memory_order_acquire); }

void modules_changed() {
  g_loader_generation.fetch_add(1, std::memory_order_acq_rel);
  made_code_changed();
}

void made_code_changed() { g_generation.fetch_add(1, std::memory_order_acq_rel); }

void prepare_objects(bool hide_own, bool may_find) {
  g_find = may_find ? reinterpret_cast<FindObject>(dlsym(RTLD_DEFAULT, "_dl_find_object")) : nullptr;
  if (g_find == nullptr) object_snapshot::prepare(loader_generation());
  Object own{};
  if (hide_own && object_at(reinterpret_cast<std::uintptr_t>(&prepare_objects), own)) {
    own_code = {own.start, own.end};
  }
}

}  // namespace prof
