#include "interpose/in_front.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "agent/thread/guard.hpp"
#include "interpose/cuda/caller_scope.hpp"

namespace prof {
namespace {

const link_map* map_of(const void* address) {
  Dl_info info{};
  void* map = nullptr;
  return dladdr1(address, &info, &map, RTLD_DL_LINKMAP) != 0 ? static_cast<const link_map*>(map) : nullptr;
}

// An executable at a fixed address that takes a function's address has a stub of its own for it, which dlsym then finds
// although the executable does not define the function.
bool is_callers_stub(const void* address) {
  Dl_info info{};
  void* symbol = nullptr;
  if (dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) == 0 || symbol == nullptr) return false;
  return static_cast<const ElfW(Sym)*>(symbol)->st_shndx == SHN_UNDEF;
}

// Whether one of the objects between the executable and us defines the name.
bool defined_before_us(const char* name, const link_map* program, const link_map* own) {
  for (const link_map* m = program->l_next; m != nullptr && m != own; m = m->l_next) {
    void* found = gpu::real_dlsym()(const_cast<link_map*>(m), name);
    if (found == nullptr) dlerror();
    if (found != nullptr && map_of(found) == m) return true;
  }
  return false;
}

}  // namespace

bool comes_to_us(const char* name, const void* ours) {
  const RealCall nested;
  const void* first = gpu::in_program(name);
  if (first == ours) return true;
  if (first == nullptr || !is_callers_stub(first)) return false;
  const link_map *program = map_of(first), *own = map_of(ours);
  return program != nullptr && own != nullptr && !defined_before_us(name, program, own);
}

}  // namespace prof
