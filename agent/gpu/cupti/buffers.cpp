#include "agent/gpu/cupti/buffers.hpp"

#include <atomic>
#include <cstring>

#include "agent/core/pages.hpp"

namespace prof::gpu::cupti {
namespace {

constexpr std::uint32_t kReserve = 16;  // free buffers to have at hand
constexpr std::uint32_t kQueue = kMostBuffers;

constexpr std::uint32_t kWords = kMostBuffers / 64;

// A set of small numbers, one bit each: what is in it is free. Taking and giving are one instruction, and a thread that
// stops in between holds up nobody.
struct Pool {
  std::atomic<std::uint64_t> free[kWords];
  std::atomic<std::uint32_t> made;
  std::atomic<std::uint8_t*> buffers[kMostBuffers];
};

// Many threads put, one takes: a place is claimed by its number and is full when its mark says so.
struct Queue {
  struct Place {
    std::atomic<std::uint64_t> mark;  // number of the entry in it, plus 1
    Filled filled;
  };
  std::atomic<std::uint64_t> put;
  std::atomic<std::uint64_t> taken;
  Place places[kQueue];
};

struct Buffers {
  Pool pool;
  Queue queue;
};
static_assert(kMostBuffers % 64 == 0 && kQueue >= kMostBuffers);
PROF_WIPED constinit pages::Wiped<Buffers> g_buffers{};

std::uint32_t index_of(const std::uint8_t* buffer) {
  const Pool& pool = g_buffers.value.pool;
  for (std::uint32_t i = 0; i < kMostBuffers; ++i) {
    if (pool.buffers[i].load(std::memory_order_relaxed) == buffer) return i;
  }
  return kMostBuffers;
}

void give(std::uint32_t i) {
  g_buffers.value.pool.free[i / 64].fetch_or(std::uint64_t{1} << i % 64, std::memory_order_release);
}

// kMostBuffers: none is free.
std::uint32_t take() {
  Pool& pool = g_buffers.value.pool;
  for (std::uint32_t word = 0; word < kWords; ++word) {
    std::uint64_t free = pool.free[word].load(std::memory_order_acquire);
    while (free != 0) {
      const std::uint64_t lowest = free & (~free + 1);
      if (pool.free[word].compare_exchange_weak(free, free & ~lowest, std::memory_order_acquire))
        return word * 64 + static_cast<std::uint32_t>(__builtin_ctzll(lowest));
    }
  }
  return kMostBuffers;
}

bool make_buffer() {
  Pool& pool = g_buffers.value.pool;
  const std::uint32_t i = pool.made.fetch_add(1, std::memory_order_relaxed);
  if (i >= kMostBuffers) {
    pool.made.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  auto* buffer = static_cast<std::uint8_t*>(pages::map(kBufferBytes, pages::InChild::Gone));
  if (buffer == nullptr) return false;  // the number is lost, which only makes the pool smaller
  pool.buffers[i].store(buffer, std::memory_order_relaxed);
  give(i);
  return true;
}

}  // namespace

std::uint8_t* take_buffer() {
  for (;;) {
    const std::uint32_t i = take();
    if (i != kMostBuffers) return g_buffers.value.pool.buffers[i].load(std::memory_order_relaxed);
    if (!make_buffer()) return nullptr;
  }
}

bool is_buffer(const std::uint8_t* buffer) { return index_of(buffer) != kMostBuffers; }

void put_filled(std::uint8_t* buffer, std::size_t valid_bytes) {
  Queue& queue = g_buffers.value.queue;
  // There are as many places as buffers, and none is in the queue twice: the place is free.
  const std::uint64_t number = queue.put.fetch_add(1, std::memory_order_relaxed);
  Queue::Place& place = queue.places[number % kQueue];
  place.filled = {buffer, valid_bytes < kBufferBytes ? valid_bytes : kBufferBytes};
  place.mark.store(number + 1, std::memory_order_release);
}

bool next_filled(Filled& filled) {
  Queue& queue = g_buffers.value.queue;
  const std::uint64_t number = queue.taken.load(std::memory_order_relaxed);
  const Queue::Place& place = queue.places[number % kQueue];
  if (place.mark.load(std::memory_order_acquire) != number + 1) return false;
  filled = place.filled;
  queue.taken.store(number + 1, std::memory_order_release);
  return true;
}

void drop_filled(const Filled& filled) {
  std::memset(filled.start, 0, kBufferBytes);
  give(index_of(filled.start));
}

std::uint32_t filled_count() {
  const Queue& queue = g_buffers.value.queue;
  return static_cast<std::uint32_t>(queue.put.load(std::memory_order_relaxed) -
                                    queue.taken.load(std::memory_order_relaxed));
}

void refill_buffers() {
  const auto at_hand = [] {
    std::uint32_t count = 0;
    for (const auto& word : g_buffers.value.pool.free)
      count += static_cast<std::uint32_t>(__builtin_popcountll(word.load(std::memory_order_relaxed)));
    return count;
  };
  while (at_hand() < kReserve && make_buffer()) {
  }
}

void prepare_buffers() { pages::wipe_in_child(g_buffers); }

}  // namespace prof::gpu::cupti
