// The log of this process image: made when a program starts, or at the first thing that a forked child has to tell;
// grown in place, never closed.
//
// One window of address space is mapped over the file, mostly beyond its end: address = window + file offset for ever,
// and growing needs no new mapping. Disk space is taken before it is touched (a sparse page on a full disk would be
// SIGBUS in the host). No descriptor is kept: the file is opened again by its path to grow, and compared by device and
// inode. Everything here is async-signal-safe and lock-free unless said otherwise.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/core/pages.hpp"

namespace prof::log {

// The header of this process's log; null while there is none (not yet made, or it could not be made).
extern pages::Wiped<std::atomic<Header*>> current_header;
inline Header* header() { return current_header.value.load(std::memory_order_acquire); }

// Makes the log if there is none. False when it cannot be made, or another thread is at it right now. A failure is
// final for this process image: it is said once on stderr and nothing more is recorded.
bool ensure_created();

// Takes more than the first few pages: before there are other threads, whose calls would wait while the log is opened
// apart from their descriptors.
void make_room();

// Whether `address` lies in the log's window. Any context.
bool in_window(std::uintptr_t address);

// A new chunk of `bytes` (rounded up to the granule), published and zero behind its header; null when the log is full.
ChunkHeader* take_chunk(ChunkType type, std::uint32_t owner, std::uint64_t first, std::size_t bytes);
// Gives up a chunk that nobody can have seen in use (a lost race for the same ids).
void give_up_chunk(ChunkHeader* chunk);

template <class T>
T* content(ChunkHeader* chunk) {
  return reinterpret_cast<T*>(chunk + 1);
}

// Once at start.
void prepare_file();

}  // namespace prof::log
