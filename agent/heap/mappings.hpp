// Memory that the program maps itself (mmap, munmap, mremap), exact: every mapping has its context, parts that are
// unmapped or mapped over are taken from the context that mapped them. Mappings that libc and the loader make
// internally are not seen.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/thread/guard.hpp"

namespace prof::heap {

// What is mapped later is younger than this. Any context.
std::uint64_t mappings_so_far();

// mmap returned `start` for `length` bytes. `reserved`: addresses that nothing stands behind yet, as allocators take
// them for gigabytes of which they will use some: no figure has them.
void mapped(void* start, std::size_t length, bool reserved = false);
// munmap of the range succeeded. `before`: as of before it was called, since another thread may have got the addresses
// in between.
void unmapped(void* start, std::size_t length, std::uint64_t before);
// mremap succeeded; likewise.
void remapped(void* from, std::size_t old_length, void* to, std::size_t new_length, std::uint64_t before);

struct AddressRange {
  std::uintptr_t start, end;
};
// What the program has mapped itself and ends behind `from`, in its order: `room` of it at most. False: somebody is
// changing the table right now. Any context.
bool program_ranges(std::uintptr_t from, AddressRange* to, std::uint32_t room, std::uint32_t& count);

// Books what other threads left to whoever comes next. Process events.
void settle_mappings(const Guard& guard);

void prepare_mappings();

}  // namespace prof::heap
