// The memory that CUPTI writes its records into. Made before it is asked for, since the thread that asks is in the
// middle of a launch; never given back while CUPTI has it; bounded in all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::gpu::cupti {

// CUPTI's documentation advises 1 to 10 MB. But it hands out no buffer in which a record waits for the end of its work,
// and of a thread that launches ahead of the device, which is all of them, that is so until the buffer is full: a small
// one is so sooner. It holds some hundred launches.
inline constexpr std::size_t kBufferBytes = 128 << 10;
// From CUDA 13 on each thread that calls CUDA has one of its own.
inline constexpr std::uint32_t kMostBuffers = 1024;

// A buffer with records that wait for being read.
struct Filled {
  std::uint8_t* start;
  std::size_t bytes;  // of records
};

// A zeroed buffer of kBufferBytes; null: all are in use. Any thread, lock-free.
std::uint8_t* take_buffer();
// Whether it is one of these.
bool is_buffer(const std::uint8_t* buffer);
// CUPTI has filled one of them: it waits for `next_filled`. Any thread, lock-free.
void put_filled(std::uint8_t* buffer, std::size_t valid_bytes);

// The oldest filled buffer; false: there is none. One thread, which gives it back by `drop_filled`.
bool next_filled(Filled& filled);
void drop_filled(const Filled& filled);
// How many wait.
std::uint32_t filled_count();

// Sees to it that some buffers are there to be taken. Ordinary code, now and then.
void refill_buffers();

// Before anything else, once; again is harmless.
void prepare_buffers();

}  // namespace prof::gpu::cupti
