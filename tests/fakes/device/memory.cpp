// Memory: device memory is the process's own, so that copies really copy; a table says what each address is.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "tests/fakes/device/fakegpu.hpp"

namespace fakegpu {
namespace {

struct Block {
  std::size_t bytes;
  Place place;
  int device;
};
struct Table {
  std::mutex mutex;
  std::map<std::uintptr_t, Block> blocks;
  std::map<int, std::uint64_t> used;
};
Table& table() {
  static auto& made = *new Table;
  return made;
}

// The block that holds an address; null: none. With the table locked.
const std::pair<const std::uintptr_t, Block>* holder(const void* address) {
  auto next = table().blocks.upper_bound(reinterpret_cast<std::uintptr_t>(address));
  if (next == table().blocks.begin()) return nullptr;
  --next;
  return reinterpret_cast<std::uintptr_t>(address) < next->first + next->second.bytes ? &*next : nullptr;
}

constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 4095) & ~std::size_t{4095}; }

const char* to_string(Place place) {
  switch (place) {
    case Place::Pinned:
      return "pinned";
    case Place::Managed:
      return "managed";
    default:
      return "device";
  }
}

}  // namespace

void* allocate(std::size_t bytes, Place place) {
  const int device = current()->device;
  const std::size_t size = rounded(bytes == 0 ? 1 : bytes);
  const std::lock_guard lock(table().mutex);
  std::uint64_t& used = table().used[device];
  if (place == Place::Device && (size > kDeviceBytes || used + size > kDeviceBytes)) return nullptr;
  // Past the interposed mmap: a driver's device memory is no memory of the host.
  const long at =
      syscall(SYS_mmap, nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == -1) return nullptr;
  table().blocks[static_cast<std::uintptr_t>(at)] = {bytes == 0 ? 1 : bytes, place, device};
  if (place != Place::Pinned) used += size;
  write_ledger(R"({"t":"alloc","pid":%d,"address":%ld,"bytes":%zu,"place":"%s","device":%d})", getpid(), at, bytes,
               to_string(place), device);
  return reinterpret_cast<void*>(at);
}

bool release(void* block) {
  if (block == nullptr) return true;
  const std::lock_guard lock(table().mutex);
  const auto found = table().blocks.find(reinterpret_cast<std::uintptr_t>(block));
  if (found == table().blocks.end()) return false;
  const std::size_t size = rounded(found->second.bytes);
  if (found->second.place != Place::Pinned) table().used[found->second.device] -= size;
  table().blocks.erase(found);
  write_ledger(R"({"t":"free","pid":%d,"address":%ld})", getpid(), reinterpret_cast<long>(block));
  syscall(SYS_munmap, block, size);
  return true;
}

bool pin(void* block, std::size_t bytes) {
  const std::lock_guard lock(table().mutex);
  return table().blocks.emplace(reinterpret_cast<std::uintptr_t>(block), Block{bytes, Place::Pinned, 0}).second;
}

bool unpin(void* block) {
  const std::lock_guard lock(table().mutex);
  return table().blocks.erase(reinterpret_cast<std::uintptr_t>(block)) != 0;
}

Place place_of(const void* address) {
  const std::lock_guard lock(table().mutex);
  const auto* found = holder(address);
  return found != nullptr ? found->second.place : Place::Pageable;
}

int device_of(const void* address) {
  const std::lock_guard lock(table().mutex);
  const auto* found = holder(address);
  return found != nullptr ? found->second.device : current()->device;
}

std::uint64_t used_bytes(int device) {
  const std::lock_guard lock(table().mutex);
  return table().used[device];
}

}  // namespace fakegpu
