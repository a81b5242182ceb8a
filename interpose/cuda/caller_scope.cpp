#include "interpose/cuda/caller_scope.hpp"

#include <link.h>

#include <cerrno>
#include <iterator>
#include <string_view>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/log/conditions.hpp"
#include "interpose/cuda/call.hpp"
#include "interpose/cuda/probe.hpp"

PROF_REAL(dlclose);

// The linker's bounds of this library.
extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));
extern "C" const char _end[] __attribute__((visibility("hidden")));

prof::gpu::Dlsym prof_real_dlsym = nullptr;

namespace prof::gpu {
namespace {

// Names of the libraries' files up to the first ".", "-" or "_", by Library: "libcudart.so.12", and in wheels that
// bring their own "libcudart-a7b20f20.so.11.0".
constexpr std::string_view kStems[] = {"libcudart", "libcuda",   "libcublas",   "libcublasLt", "libcudnn",
                                       "libcufft",  "libcurand", "libcusparse", "libcusolver", "libnccl"};
static_assert(sizeof(kStems) / sizeof(kStems[0]) == static_cast<std::size_t>(Library::Count));

std::string_view file_name(const char* path) {
  const std::string_view whole(path != nullptr ? path : "");
  std::size_t at = whole.size();
  while (at > 0 && whole[at - 1] != '/') --at;
  return {whole.data() + at, whole.size() - at};
}

bool is_of(std::string_view file, std::string_view stem) {
  return file.starts_with(stem) && file.size() > stem.size() &&
         (file[stem.size()] == '.' || file[stem.size()] == '-' || file[stem.size()] == '_');
}

link_map* map_of(const void* address) {
  Dl_info info{};
  void* map = nullptr;
  if (dladdr1(address, &info, &map, RTLD_DL_LINKMAP) == 0) return nullptr;
  return static_cast<link_map*>(map);
}

// The name in the object of that path and in what it needs; null: none but ours. The object is loaded already, and
// stays so no longer than without us.
void* in_object(const char* path, const char* name) {
  void* handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* found = real_dlsym()(handle, name);
  real_dlclose(handle);
  return is_ours(found) ? nullptr : found;
}

// Whether the function is of one of the libraries themselves, and not of another preload that stands before them.
bool of_library(const void* function) {
  const link_map* map = map_of(function);
  if (map == nullptr) return false;
  const std::string_view file = file_name(map->l_name);
  for (const std::string_view stem : kStems) {
    if (is_of(file, stem)) return true;
  }
  return false;
}

// For objects that do not name the library among those they need, and had the address from elsewhere. Paths are copied:
// another thread may unload what was listed.
void* in_loaded(Library library, const char* name) {
  struct Paths {
    std::string_view stem;
    std::size_t count;
    char path[4][1024];
  };
  Paths paths;
  paths.stem = kStems[static_cast<std::size_t>(library)];
  paths.count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& p = *static_cast<Paths*>(data);
        if (!is_of(file_name(info->dlpi_name), p.stem)) return 0;
        TextBuilder path(p.path[p.count], sizeof(p.path[0]));
        path << info->dlpi_name;
        if (!path.cut()) ++p.count;
        return p.count == std::size(p.path) ? 1 : 0;
      },
      &paths);
  void* found = nullptr;
  for (std::size_t i = 0; i < paths.count && found == nullptr; ++i) found = in_object(paths.path[i], name);
  return found;
}

// Rooms for Reached: a few objects call each of the functions that a program uses. Where they are all taken, and where
// a program loads its libraries elsewhere again and again, the way is looked for at every call.
constexpr std::uint32_t kRooms = 4096;
constexpr std::uint32_t kMostPerRow = 64;
PROF_LARGE constinit Reached g_rooms[kRooms]{};
constinit std::atomic<std::uint32_t> g_taken{0};

void remember(std::atomic<const Reached*>& row, const Object& object, void* function, std::uint32_t generation) {
  const std::uintptr_t bytes = object.end - object.start;
  const Reached* newest = row.load(std::memory_order_acquire);
  std::uint32_t count = 0;
  for (const Reached* r = newest; r != nullptr; r = r->next, ++count) {
    if (r->start != object.start || r->bytes != bytes || r->function != function) continue;
    const_cast<Reached*>(r)->generation.store(generation, std::memory_order_release);
    return;
  }
  if (count >= kMostPerRow || g_taken.load(std::memory_order_relaxed) >= kRooms) return;
  const std::uint32_t room = g_taken.fetch_add(1, std::memory_order_relaxed);
  if (room >= kRooms) return;
  Reached& r = g_rooms[room];
  r.start = object.start;
  r.bytes = bytes;
  r.function = function;
  r.generation.store(generation, std::memory_order_relaxed);
  r.next = newest;
  while (!row.compare_exchange_weak(r.next, &r, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

constexpr const char* kDlsymVersions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};

}  // namespace

Dlsym real_dlsym() {
  Dlsym real = prof_real_dlsym;
  if (real != nullptr) [[likely]]
    return real;
  void* next = nullptr;
  if (NextDefinitions().find("dlsym", next) && next != nullptr) return prof_real_dlsym = reinterpret_cast<Dlsym>(next);
  const RealCall nested;
  const int saved = errno;
  for (const char* version : kDlsymVersions) {
    real = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", version));
    if (real != nullptr) break;
    dlerror();
  }
  errno = saved;
  prof_real_dlsym = real;
  return real;
}

void* program() {
  // dladdr looks at every symbol of ours: in the program's own namespace it is not asked.
  auto* first = const_cast<link_map*>(own_map());
  if (first == nullptr) first = map_of(__ehdr_start);
  while (first != nullptr && first->l_prev != nullptr) first = first->l_prev;
  return first;
}

void* in_program(const char* name) { return real_dlsym()(program(), name); }

bool is_ours(const void* address) { return address >= __ehdr_start && address < _end; }

void* in_caller_scope(const char* name, const void* caller) {
  const RealCall nested;
  const int saved = errno;
  void* found = real_dlsym()(RTLD_NEXT, name);
  // What stands before the library in the order of the search keeps its place. Of several versions of the library
  // itself each object gets its own.
  if (found == nullptr || of_library(found)) {
    const link_map* map = map_of(caller);
    if (map != nullptr && map->l_name != nullptr && map->l_name[0] != '\0') {
      // Who stands before us calls us as the next one, and does not mean itself.
      void* own = in_object(map->l_name, name);
      if (own != nullptr && own != in_program(name)) found = own;
    }
  }
  dlerror();
  errno = saved;
  return found;
}

void* Row::look_up(const char* name, const void* caller) {
  const std::uint32_t generation = loader_generation();
  void* found = in_caller_scope(name, caller);
  if (found == nullptr) {
    const RealCall nested;
    const int saved = errno;
    found = in_loaded(api.library, name);
    dlerror();
    errno = saved;
  }
  if (found == nullptr) {
    count_loss(log::Loss::ApiUnresolved);
    return nullptr;
  }
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  Object object{};
  if (!object_at(at, object)) object = {at, at + 1, 0, "", nullptr};
  remember(reached, object, found, generation);
  return found;
}

}  // namespace prof::gpu
