// Device memory by context: segments that the program gets from the driver, and the blocks that a framework's caching
// allocator makes of them. Every block is recorded, whatever the heap mode: they are few. Of `Kind::Segment` and
// `Kind::Tensor`, see heap/kinds.hpp; live, peak and growth as for malloc (heap/book.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/heap/kinds.hpp"

namespace prof::gpu {

inline constexpr std::uint32_t kUnknownDevice = UINT32_MAX;

// Where a segment's memory is. PinnedHost is the host's and not booked here: the driver gets it by mmap, which is.
enum class Place : std::uint8_t { Device, Managed, PinnedHost, Pool };

// A block was handed out; `device` may be kUnknownDevice: then that of the calling thread's last cudaSetDevice counts.
// Booked on the API call that the thread is in, else on the calling function's stack. Ordinary code, after the real
// function.
void segment_allocated(const void* block, std::size_t bytes, Place place, std::uint32_t device);
// Before the real function gives it back (another thread may get the same address). An unknown block is counted as
// Loss::DeviceForeignFree, a null one is none.
void segment_freed(const void* block, Place place = Place::Device);

// A framework's caching allocator hands out (bytes > 0) or takes back (bytes < 0) a block of `device`; `allocated` and
// `reserved` are its own totals after that. Runs under the framework's lock: asks the driver
// once what the device is, and calls nothing else of CUDA's.
void tensor_event(const void* block, std::int64_t bytes, std::uint64_t allocated, std::uint64_t reserved,
                  std::uint32_t device);

// The allocator found no memory for `bytes`: said in the log, the first few times. Likewise under the lock.
void out_of_memory(std::uint64_t bytes, std::uint64_t allocated, std::uint64_t reserved, std::uint32_t device);

// The device that the calling thread chose last; 0 at first.
void device_chosen(std::uint32_t device);
std::uint32_t chosen_device();

// Once at start.
void prepare_memory();

}  // namespace prof::gpu
