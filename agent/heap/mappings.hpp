// Memory that the program maps itself (mmap, munmap, mremap), exact: every mapping has its context, parts that are
// unmapped or mapped over are taken from the context that mapped them. Mappings that libc and the loader make
// internally are not seen.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::heap {

// mmap returned `start` for `length` bytes.
void mapped(void* start, std::size_t length);
// munmap of the range succeeded.
void unmapped(void* start, std::size_t length);
// mremap succeeded.
void remapped(void* from, std::size_t old_length, void* to, std::size_t new_length);

// The first part of [range.start, range.end) that the program has mapped itself: in `range`, empty if there is none.
// False: somebody is changing the table right now. Any context.
struct AddressRange {
  std::uintptr_t start, end;
};
bool program_range(AddressRange& range);

void prepare_mappings();

}  // namespace prof::heap
