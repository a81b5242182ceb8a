#include "agent/jit/debugger_images.hpp"

#include <atomic>

#include "agent/core/checked_copy.hpp"
#include "agent/jit/file_symbol.hpp"
#include "agent/unwind/elf_symbols.hpp"
#include "agent/unwind/objects.hpp"

namespace prof::jit {
namespace {

constexpr char kName[] = "__jit_debug_descriptor";
constexpr unsigned kMostImages = 256;  // newer ones than that of code whose maker is at work with it

struct Descriptor {
  std::uint32_t version, action;
  std::uintptr_t relevant, first;
};
struct ListEntry {
  std::uintptr_t next, previous, image;
  std::uint64_t bytes;
};

// Makers of code, and where their descriptors are.
struct Maker {
  std::atomic<std::uintptr_t> start;  // of its object; 0: nobody's
  std::uintptr_t end, descriptor;     // 0: it has none
  std::atomic<bool> known;
};
constinit Maker g_makers[16]{};

std::uintptr_t descriptor_in(const Object& object) {
  if (const Symbol exported = exported_symbol(object, kName); exported.address != 0) return exported.address;
  return symbol_in_file(object, kName);
}

// Its file is read once: the symbol table of a library with all of LLVM in it is tens of megabytes.
std::uintptr_t descriptor_of(const Object& object) {
  for (Maker& m : g_makers) {
    std::uintptr_t start = m.start.load(std::memory_order_acquire);
    if (start == 0 && m.start.compare_exchange_strong(start, object.start)) {
      m.end = object.end;
      m.descriptor = descriptor_in(object);
      m.known.store(true, std::memory_order_release);
      return m.descriptor;
    }
    if (start != object.start || !m.known.load(std::memory_order_acquire) || m.end != object.end) continue;
    return m.descriptor;
  }
  return 0;
}

}  // namespace

bool image_of_code(std::uintptr_t address, const void* caller, ElfImage& image) {
  Object object{};
  if (!object_at(reinterpret_cast<std::uintptr_t>(caller), object)) return false;
  Descriptor descriptor{};
  const std::uintptr_t at = descriptor_of(object);
  if (at == 0 || !copy_checked(descriptor, at) || descriptor.version != 1) return false;
  ListEntry entry{};
  std::uintptr_t next = descriptor.first;
  for (unsigned i = 0; i < kMostImages && next != 0; ++i, next = entry.next) {
    if (!copy_checked(entry, next)) return false;
    if (image.read(entry.image, entry.bytes, address)) return true;
  }
  return false;
}

}  // namespace prof::jit
