#include "agent/stack/modules.hpp"

#include <elf.h>

#include <atomic>
#include <cstring>
#include <string_view>

#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/text.hpp"
#include "agent/log/append.hpp"
#include "agent/log/file.hpp"
#include "agent/process/process.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/stack/objects.hpp"

namespace prof {
namespace {

constexpr std::uint32_t kEntries = 8192;  // known modules by start address, open addressing
constexpr std::uint32_t kMostProbes = 64;

struct Known {
  std::atomic<std::uintptr_t> start;  // 0: empty. Claimed by CAS, usable once id is not 0
  std::atomic<std::uint32_t> id;
  std::atomic<std::uint32_t> generation;  // the entry was right then
  std::uintptr_t bias;
  std::uint64_t identity;  // of the file: tells a re-used address range from the old module
};

struct Modules {
  Known known[kEntries];
  log::AppendChunk chunk;
};
PROF_WIPED constinit pages::Wiped<Modules> g_modules{};

struct BuildId {
  std::uint8_t bytes[20];
  std::uint8_t size;
};

// From the notes that are mapped with the module; size 0 when it has none.
BuildId build_id_of(const Object& o) {
  BuildId id{};
  const auto* ehdr = reinterpret_cast<const Elf64_Ehdr*>(o.start);
  if (o.end - o.start < 4096 || std::memcmp(ehdr->e_ident, ELFMAG, SELFMAG) != 0) return id;
  if (ehdr->e_phentsize != sizeof(Elf64_Phdr) || ehdr->e_phoff > 4096 ||
      ehdr->e_phoff + std::uint64_t{ehdr->e_phnum} * sizeof(Elf64_Phdr) > 4096) {
    return id;
  }
  const auto* phdr = reinterpret_cast<const Elf64_Phdr*>(o.start + ehdr->e_phoff);
  for (unsigned i = 0; i < ehdr->e_phnum; ++i) {
    if (phdr[i].p_type != PT_NOTE) continue;
    std::uintptr_t at = o.bias + phdr[i].p_vaddr;
    const std::uintptr_t end = at + phdr[i].p_memsz;
    if (at < o.start || end > o.end || end < at) continue;
    while (at + sizeof(Elf64_Nhdr) <= end) {
      const auto* note = reinterpret_cast<const Elf64_Nhdr*>(at);
      const std::uintptr_t name = at + sizeof(*note);
      const std::uintptr_t description = name + ((note->n_namesz + 3U) & ~3U);
      if (description > end || note->n_descsz > end - description) break;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
          std::memcmp(reinterpret_cast<void*>(name), "GNU", 4) == 0) {
        id.size = static_cast<std::uint8_t>(note->n_descsz < sizeof(id.bytes) ? note->n_descsz : sizeof(id.bytes));
        std::memcpy(id.bytes, reinterpret_cast<void*>(description), id.size);
        return id;
      }
      at = description + ((note->n_descsz + 3U) & ~3U);
    }
  }
  return id;
}

std::uint64_t identity_of(const Object& o, const BuildId& id) {
  std::uint64_t h = 0xcbf29ce484222325ULL ^ (o.end - o.start);
  for (const char* c = o.name; *c != '\0'; ++c) h = (h ^ static_cast<std::uint8_t>(*c)) * 0x100000001b3ULL;
  for (unsigned i = 0; i < id.size; ++i) h = (h ^ id.bytes[i]) * 0x100000001b3ULL;
  return h;
}

// The path under which a reader can find the file: absolute, "[vdso]" for the kernel's own.
void path_of(const Object& o, TextBuilder& path, char* room, std::size_t bytes) {
  const std::string_view name = o.name;
  if (name.empty()) {
    const long n =
        raw::call(SYS_readlinkat, AT_FDCWD, raw::word("/proc/self/exe"), raw::word(room), static_cast<long>(bytes));
    if (n > 0) path << std::string_view(room, static_cast<std::size_t>(n));
    return;
  }
  if (name.starts_with("linux-vdso") || name.starts_with("linux-gate")) {
    path << "[vdso]";
    return;
  }
  if (name[0] != '/' && name.find('/') != std::string_view::npos) {
    const long n = raw::call(SYS_getcwd, raw::word(room), static_cast<long>(bytes));
    if (n > 1) path << std::string_view(room, static_cast<std::size_t>(n) - 1) << '/';
  }
  path << name;
}

// Writes the record; its id, 0 when there is no room.
std::uint32_t write_record(const Object& o, const BuildId& build_id, std::uint32_t generation) {
  log::Header* h = log::header();
  if (h == nullptr || __atomic_load_n(&h->modules, __ATOMIC_RELAXED) >= log::kMaxModules) return 0;
  char link[1024];
  Text<1024> path;
  path_of(o, path, link, sizeof(link));
  const auto bytes = static_cast<std::uint32_t>((sizeof(log::ModuleRecord) + path.size() + 8) / 8 * 8);
  auto* r =
      reinterpret_cast<log::ModuleRecord*>(log::append_room(g_modules.value.chunk, log::ChunkType::Modules, bytes));
  if (r == nullptr) return 0;
  const std::uint32_t id = __atomic_fetch_add(&h->modules, 1, __ATOMIC_RELAXED);
  r->id = id;
  r->start = o.start;
  r->end = o.end;
  r->bias = o.bias;
  r->generation = generation;
  r->build_id_bytes = build_id.size;
  std::memcpy(r->build_id, build_id.bytes, build_id.size);
  r->path_bytes = static_cast<std::uint16_t>(path.size());
  std::memcpy(r + 1, path.c_str(), path.size());
  __atomic_store_n(&r->bytes, bytes, __ATOMIC_RELEASE);
  return id;
}

// The id for the object, by the known entry or a new record. 0: none to be had.
std::uint32_t module_id(const Object& o, std::uint32_t generation) {
  Modules& m = g_modules.value;
  std::uint32_t i = static_cast<std::uint32_t>((o.start >> 12) * 0x9e3779b1U) % kEntries;
  for (std::uint32_t probes = 0; probes < kMostProbes; ++probes, i = (i + 1) % kEntries) {
    Known& k = m.known[i];
    std::uintptr_t start = k.start.load(std::memory_order_acquire);
    if (start == 0 && k.start.compare_exchange_strong(start, o.start)) start = o.start;
    if (start != o.start) continue;
    const std::uint32_t id = k.id.load(std::memory_order_acquire);
    if (id != 0 && k.generation.load(std::memory_order_relaxed) == generation) return id;
    const BuildId build_id = build_id_of(o);
    const std::uint64_t identity = identity_of(o, build_id);
    if (id != 0 && k.identity == identity && k.bias == o.bias) {
      k.generation.store(generation, std::memory_order_relaxed);
      return id;
    }
    // Two contexts may both come here and write a record each: readers merge modules by path and build-id.
    const std::uint32_t made = write_record(o, build_id, generation);
    if (made == 0) return 0;
    python::module_seen(o);
    k.identity = identity;
    k.bias = o.bias;
    k.generation.store(generation, std::memory_order_relaxed);
    k.id.store(made, std::memory_order_release);
    return made;
  }
  return 0;
}

}  // namespace

std::uint64_t native_frame_word(std::uintptr_t address) {
  Object o{};
  if (!object_at(address, o)) return log::frame_word(log::FrameKind::Anonymous, address & 0xffffffffffffULL);
  const std::uint32_t id = module_id(o, module_generation());
  if (id == 0) {
    count_loss(log::Loss::ModuleTableFull);
    return log::frame_word(log::FrameKind::Anonymous, address & 0xffffffffffffULL);
  }
  return log::native_frame(id, address - o.bias);
}

void prepare_modules() { pages::wipe_in_child(g_modules); }

}  // namespace prof
