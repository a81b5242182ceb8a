#include "agent/unwind/modules.hpp"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/readable.hpp"
#include "agent/core/text.hpp"
#include "agent/log/append.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/unwind/made_code.hpp"
#include "agent/unwind/made_inlines.hpp"
#include "agent/unwind/objects.hpp"
#include "agent/unwind/second_mapping.hpp"

namespace prof {
namespace {

constexpr std::uint32_t kEntries = 8192;  // known modules by start address, open addressing
constexpr std::uint32_t kMostProbes = 64;
// Modules that took turns at one address are known again: the log must not grow with each dlopen of a plugin. Of more
// than these, the one that was there the longest ago is forgotten.
constexpr std::uint32_t kMostAtOnePlace = 16;

struct ModuleEntry {
  std::atomic<std::uintptr_t> start;  // 0: empty. Claimed by CAS, usable once id is not 0
  std::atomic<std::uint32_t> id;
  std::atomic<std::uint32_t> generation;  // the entry was right then
  std::uintptr_t bias;
  std::uint64_t identity;  // of the file: tells a re-used address range from the old module
};

struct Modules {
  ModuleEntry entries[kEntries];
  log::AppendChunk chunk;
};
PROF_WIPED constinit pages::Wiped<Modules> g_modules{};
void (*g_listener)(const Object&) = nullptr;

struct BuildId {
  std::uint8_t bytes[20];
  std::uint8_t size;
};

struct Headers {
  const Elf64_Phdr* first;
  std::size_t count;
  bool elsewhere;  // notes may lie outside of the object's range
};

// The executable's are where the kernel says: where its segments have gaps between them, each is an object of its own
// to the loader, and what is asked about may be one without the file's beginning.
Headers headers_of(const Object& o) {
  if (o.name[0] == '\0') {
    if (const unsigned long at = getauxval(AT_PHDR))
      return {reinterpret_cast<const Elf64_Phdr*>(at), getauxval(AT_PHNUM), true};
  }
  const auto* ehdr = reinterpret_cast<const Elf64_Ehdr*>(o.start);
  if (o.end - o.start < 4096 || std::memcmp(ehdr->e_ident, ELFMAG, SELFMAG) != 0) return {};
  if (ehdr->e_phentsize != sizeof(Elf64_Phdr) || ehdr->e_phoff > 4096 ||
      ehdr->e_phoff + std::uint64_t{ehdr->e_phnum} * sizeof(Elf64_Phdr) > 4096) {
    return {};
  }
  return {reinterpret_cast<const Elf64_Phdr*>(o.start + ehdr->e_phoff), ehdr->e_phnum, false};
}

// From the notes that are mapped with the module; size 0 when it has none.
BuildId build_id_of(const Object& o) {
  BuildId id{};
  const Headers headers = headers_of(o);
  for (std::size_t i = 0; i < headers.count; ++i) {
    const Elf64_Phdr& header = headers.first[i];
    if (header.p_type != PT_NOTE) continue;
    std::uintptr_t at = o.bias + header.p_vaddr;
    const std::uintptr_t end = at + header.p_memsz;
    if (end < at || (headers.elsewhere ? !readable(at) || !readable(end - 8) : at < o.start || end > o.end)) continue;
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
  const auto mix = [&h](std::uint64_t v) { h = (h ^ v) * 0x9e3779b97f4a7c15ULL; };
  // Without a build id another file may have come to stand there under the same name.
  struct stat st {};
  if (id.size == 0 && o.name[0] == '/' && raw::call(SYS_stat, raw::word(o.name), raw::word(&st)) == 0) {
    mix(st.st_dev);
    mix(st.st_ino);
    mix(static_cast<std::uint64_t>(st.st_mtim.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(st.st_mtim.tv_nsec));
  }
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
      reinterpret_cast<log::ModuleRecord*>(log::append_record(g_modules.value.chunk, log::ChunkType::Modules, bytes));
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

std::uint32_t first_place(const Object& o) {
  return static_cast<std::uint32_t>((o.start >> 12) * 0x9e3779b1U) % kEntries;
}

// Calls `with(entry)` for the places where the object may be known, up to and with a free one, until it says true.
template <class With>
void each_entry(const Object& o, With with) {
  std::uint32_t i = first_place(o);
  for (std::uint32_t probes = 0; probes < kMostProbes; ++probes, i = (i + 1) % kEntries) {
    ModuleEntry& k = g_modules.value.entries[i];
    const std::uintptr_t start = k.start.load(std::memory_order_acquire);
    if (start != 0 && start != o.start) continue;
    if (with(k) || k.start.load(std::memory_order_relaxed) == 0) return;
  }
}

// A free entry, or one whose making came to nothing, made the object's; else the one that was right the longest ago.
// Null: there is neither.
ModuleEntry* entry_for(const Object& o) {
  ModuleEntry* oldest = nullptr;
  ModuleEntry* claimed = nullptr;
  std::uint32_t at_this_place = 0;
  each_entry(o, [&](ModuleEntry& k) {
    std::uintptr_t start = 0;
    if (at_this_place < kMostAtOnePlace) k.start.compare_exchange_strong(start, o.start);
    const bool ours = k.start.load(std::memory_order_relaxed) == o.start;
    if (ours && k.id.load(std::memory_order_relaxed) == 0) claimed = &k;
    if (!ours || claimed != nullptr) return claimed != nullptr;
    ++at_this_place;
    if (oldest == nullptr ||
        k.generation.load(std::memory_order_relaxed) < oldest->generation.load(std::memory_order_relaxed))
      oldest = &k;
    return false;
  });
  return claimed != nullptr ? claimed : oldest;
}

// The id for the object that nobody has asked for since the loader's last change: that of the module which was there
// before, or a new record's. 0: none to be had.
[[gnu::noinline]] std::uint32_t settled_id(const Object& o, std::uint32_t generation) {
  const BuildId build_id = build_id_of(o);
  const std::uint64_t identity = identity_of(o, build_id);
  std::uint32_t found = 0;
  each_entry(o, [&](ModuleEntry& k) {
    const std::uint32_t id = k.id.load(std::memory_order_acquire);
    if (id == 0 || k.identity != identity || k.bias != o.bias) return false;
    k.generation.store(generation, std::memory_order_relaxed);
    found = id;
    return true;
  });
  if (found != 0) return found;
  ModuleEntry* k = entry_for(o);
  if (k == nullptr) return 0;
  // Two contexts may both come here and write a record each: readers merge modules by path and build-id.
  const std::uint32_t made = write_record(o, build_id, generation);
  if (made == 0) return 0;
  if (g_listener != nullptr) g_listener(o);
  k->id.store(0, std::memory_order_release);
  k->identity = identity;
  k->bias = o.bias;
  k->generation.store(generation, std::memory_order_relaxed);
  k->id.store(made, std::memory_order_release);
  return made;
}

// The id for the object, by the known entry or a new record. 0: none to be had.
std::uint32_t module_id(const Object& o, std::uint32_t generation) {
  std::uint32_t found = 0;
  each_entry(o, [&](const ModuleEntry& k) {
    if (k.start.load(std::memory_order_relaxed) == 0 || k.generation.load(std::memory_order_relaxed) != generation)
      return false;
    found = k.id.load(std::memory_order_acquire);
    return found != 0;
  });
  return found != 0 ? found : settled_id(o, generation);
}

}  // namespace

std::uint64_t native_frame_word(std::uintptr_t address) {
  Object o{};
  if (!object_at(address, o)) {
    if (const std::uint64_t made = made_code::frame_at(address); made != 0) return made;
    if (std::uint64_t frame = 0; made_inlines::frame_at(address, frame)) return frame;
    std::uintptr_t original = 0;
    if (!second_mapping::original_of(address, original) || !object_at(original, o))
      return log::frame_word(log::FrameKind::Anonymous, address & 0xffffffffffffULL);
    address = original;
  }
  const std::uint32_t id = module_id(o, loader_generation());
  if (id == 0) {
    count_loss(log::Loss::ModuleTableFull);
    return log::frame_word(log::FrameKind::Anonymous, address & 0xffffffffffffULL);
  }
  return log::native_frame(id, address - o.bias);
}

void on_new_module(void (*listener)(const Object&)) { g_listener = listener; }

void prepare_modules() { pages::wipe_in_child(g_modules); }

}  // namespace prof
