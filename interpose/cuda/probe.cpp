#include "interpose/cuda/probe.hpp"

#include <elf.h>
#include <link.h>

#include <cerrno>
#include <cstring>

#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"
#include "interpose/cuda/caller_scope.hpp"
#include "interpose/cuda/cupti_lookup.hpp"
#include "interpose/hook/hook.hpp"

#include <sys/mman.h>

namespace prof::gpu {
namespace {

bool may_be_cuda(const char* name) {
  return std::strncmp(name, "cu", 2) == 0 || std::strncmp(name, "nccl", 4) == 0 || std::strncmp(name, "__cu", 4) == 0;
}

bool set_access(const void* at, int access) {
  const auto page = reinterpret_cast<std::uintptr_t>(at) & ~(pages::kPage - 1);
  return raw::call(SYS_mprotect, static_cast<long>(page), pages::kPage, access) == 0;
}

// Has dlsym fail as it would without us, for dlerror to tell: our definition is none for that long. Who is bound to it
// meanwhile in another thread has no other one either.
void leave_message(const char* name, const void* ours) {
  Dl_info info{};
  void* entry = nullptr;
  if (dladdr1(ours, &info, &entry, RTLD_DL_SYMENT) == 0 || entry == nullptr) return;
  auto* symbol = static_cast<Elf64_Sym*>(entry);
  if (!set_access(&symbol->st_value, PROT_READ | PROT_WRITE)) return;
  const Elf64_Addr value = symbol->st_value;
  symbol->st_value = 0;
  in_program(name);
  symbol->st_value = value;
  set_access(&symbol->st_value, PROT_READ);
}

// The dynamic section of one object.
struct Wants {
  std::uintptr_t bias = 0;
  std::uintptr_t relro = 0, relro_bytes = 0;
  const Elf64_Sym* symbols = nullptr;
  const char* strings = nullptr;
  const Elf64_Rela* relocations[2] = {};  // of data, of jump slots
  std::size_t relocation_count[2] = {};
  std::uint32_t undefined_end = 0;  // undefined symbols stand before it; 0: in an object without others it is not told

  Wants() = default;
  explicit Wants(const dl_phdr_info& object) : bias(object.dlpi_addr) {
    const Elf64_Dyn* dynamic = nullptr;
    for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
      const Elf64_Phdr& p = object.dlpi_phdr[i];
      if (p.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const Elf64_Dyn*>(bias + p.p_vaddr);
      if (p.p_type == PT_GNU_RELRO) {
        relro = bias + p.p_vaddr;
        relro_bytes = ((relro + p.p_memsz) & ~(pages::kPage - 1)) - relro;  // its last page is sealed when it is full
      }
    }
    if (dynamic == nullptr) return;
    const std::uint32_t *gnu_hash = nullptr, *hash = nullptr;
    for (const Elf64_Dyn* d = dynamic; d->d_tag != DT_NULL; ++d) {
      // The loader relocates these entries in place.
      const std::uintptr_t at = d->d_un.d_ptr < bias ? bias + d->d_un.d_ptr : d->d_un.d_ptr;
      if (d->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const Elf64_Sym*>(at);
      if (d->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(at);
      if (d->d_tag == DT_GNU_HASH) gnu_hash = reinterpret_cast<const std::uint32_t*>(at);
      if (d->d_tag == DT_HASH) hash = reinterpret_cast<const std::uint32_t*>(at);
      if (d->d_tag == DT_RELA) relocations[0] = reinterpret_cast<const Elf64_Rela*>(at);
      if (d->d_tag == DT_RELASZ) relocation_count[0] = d->d_un.d_val / sizeof(Elf64_Rela);
      if (d->d_tag == DT_JMPREL) relocations[1] = reinterpret_cast<const Elf64_Rela*>(at);
      if (d->d_tag == DT_PLTRELSZ) relocation_count[1] = d->d_un.d_val / sizeof(Elf64_Rela);
    }
    if (gnu_hash != nullptr && gnu_hash[1] > 1)
      undefined_end = gnu_hash[1];
    else if (gnu_hash == nullptr && hash != nullptr)
      undefined_end = hash[1];
  }

  bool is_weak_cuda(std::uint32_t symbol) const {
    const Elf64_Sym& s = symbols[symbol];
    return s.st_shndx == SHN_UNDEF && ELF64_ST_BIND(s.st_info) == STB_WEAK && may_be_cuda(strings + s.st_name);
  }
};

void write_null(const Wants& w, std::uintptr_t slot) {
  auto* const place = reinterpret_cast<std::uintptr_t*>(slot);
  const bool sealed = slot >= w.relro && slot < w.relro + w.relro_bytes;
  if (sealed && !set_access(place, PROT_READ | PROT_WRITE)) return;
  *place = 0;
  if (sealed) set_access(place, PROT_READ);
}

void clear_in(const Wants& w) {
  for (unsigned table = 0; table < 2; ++table) {
    for (std::size_t i = 0; i < w.relocation_count[table]; ++i) {
      const Elf64_Rela& r = w.relocations[table][i];
      const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(r.r_info));
      if (type != R_X86_64_GLOB_DAT && type != R_X86_64_JUMP_SLOT && type != R_X86_64_64) continue;
      const auto symbol = static_cast<std::uint32_t>(ELF64_R_SYM(r.r_info));
      if (symbol == 0 || !w.is_weak_cuda(symbol)) continue;
      const std::uintptr_t slot = w.bias + r.r_offset;
      if (!is_ours(*reinterpret_cast<const void* const*>(slot))) continue;
      const char* name = w.strings + w.symbols[symbol].st_name;
      if (in_caller_scope(name, reinterpret_cast<const void*>(slot)) == nullptr) write_null(w, slot);
    }
  }
}

// Objects that have weak references to CUDA, or may have: few.
struct Found {
  static constexpr std::size_t kRoom = 64;
  Wants objects[kRoom];
  std::size_t count = 0;
};

int look_at(dl_phdr_info* object, std::size_t, void* data) {
  auto& found = *static_cast<Found*>(data);
  const Wants w(*object);
  if (w.symbols == nullptr || w.strings == nullptr) return 0;
  bool any = w.undefined_end == 0;
  for (std::uint32_t i = 1; i < w.undefined_end && !any; ++i) any = w.is_weak_cuda(i);
  if (any) found.objects[found.count++] = w;
  return found.count == Found::kRoom ? 1 : 0;
}

}  // namespace

void clear_weak_references() {
  const RealCall nested;
  Found found;
  dl_iterate_phdr(look_at, &found);
  for (std::size_t i = 0; i < found.count; ++i) clear_in(found.objects[i]);
}

}  // namespace prof::gpu

using namespace prof::gpu;

namespace {

void* const kNothing = reinterpret_cast<void*>(1);

}  // namespace

void* prof_find_dlsym() { return reinterpret_cast<void*>(real_dlsym()); }

void* prof_answer(void* handle, const char* name, const void* caller) {
  if (!may_be_cuda(name)) return nullptr;
  if (handle != RTLD_DEFAULT && handle != RTLD_NEXT && handle != program()) return instead_of(handle, name, caller);
  const prof::RealCall nested;
  const int saved = errno;
  const void* ours = in_program(name);
  const bool hidden = is_ours(ours) && in_caller_scope(name, caller) == nullptr;
  if (hidden) leave_message(name, ours);
  errno = saved;
  return hidden ? kNothing : nullptr;
}
