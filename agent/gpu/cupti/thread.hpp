// The one thread of ours in a process that uses a device: takes CUPTI's records twice a second, and when it is asked
// to.
#pragma once

#include <cstdint>

#include "agent/gpu/cupti/abi.hpp"
#include "agent/thread/guard.hpp"

namespace prof::gpu::cupti {

// Starts it. `functions` stay where they are. False: there can be no other thread. Ordinary code, inside a guard.
bool start_thread(const Functions& functions);

enum Wish : std::uint32_t {
  kTake = 0,              // what is complete
  kSynchronise = 1 << 0,  // what was given to the devices so far: waits for them
  kLast = 1 << 1,         // all that will ever come
};
// Has it take the records, and waits until they are in the log, for `most_ns` at most. False: it took longer, or there
// is no such thread. Ordinary code; not from that thread.
bool take_now(std::uint32_t wishes, std::uint64_t most_ns);

// Where that took too long, because the devices are at work for longer: the calling thread takes what there is, as the
// last of all. False: the other one is at it. Ordinary code.
bool take_here(const Guard& guard);

// Many buffers wait: it should look. Any context.
void hurry_thread();

// The process ends, and with it CUPTI: the thread leaves it alone, but for what it is asked to do. Until it is told
// that the program goes on after all.
void rest_thread(bool rest);

// Before anything else, once; again is harmless.
void prepare_thread();

}  // namespace prof::gpu::cupti
