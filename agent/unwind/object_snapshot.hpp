// Loaded objects for a glibc without _dl_find_object (before 2.35): a copy of the loader's list, taken now and then.
// Nobody tells of a dlopen, into which no frame may be put, so that refresh() looks.
#pragma once

#include <cstdint>

#include "agent/unwind/objects.hpp"

namespace prof::object_snapshot {

// The first snapshot, by dl_iterate_phdr: waits for the loader's lock. Once at start; ordinary code.
void prepare(std::uint32_t generation);

// A new one if an object was added, or `generation` is another one than at the last (raised by each dlclose). Reads the
// list without the loader's lock, and not while the loader says that it is changing it; what cannot be read ends the
// attempt. Any context; one thread at a time, others do nothing.
// Source: <link.h>, struct r_debug and the public head of struct link_map.
void refresh(std::uint32_t generation);

// Around each dlclose: objects that may go away meanwhile, or have gone since the last snapshot, are not found until
// the next one. `ended`: it is over. Any context.
void closing(bool ended);

// The object mapped at `address` when the snapshot was taken, unless it may be gone: all that were not there at the
// start may, while an object is being closed or `generation` is another one than the snapshot's. Any context.
bool find(std::uintptr_t address, std::uint32_t generation, Object& object);

}  // namespace prof::object_snapshot
