// Takes CUPTI's records into the tree: joins the work of devices with the calls that asked for it, and books it. One
// thread at a time: ours.
#pragma once

#include <cstdint>

#include "agent/gpu/cupti/abi.hpp"
#include "agent/thread/guard.hpp"

namespace prof::gpu::cupti {

// Before the first record. False: there is no memory for the tables; then work is booked, but without its calls.
bool begin_consumer();

// Takes all buffers that are filled by now. `last`: nothing is waited for any longer. Ordinary code.
void consume(const Guard& guard, const Functions& functions, bool last);

// Device work whose call was not seen, so far.
std::uint64_t unlinked_so_far();

// Whether CUPTI keeps from us who made calls, for some seconds now: much work comes whose call has no record, or none
// at all comes with a record that joins it with what we said of it.
bool links_fail_to_come();
// Whether most work comes without its times, for some seconds now.
bool times_fail_to_come();

// Before anything else, once; again is harmless.
void prepare_consumer();

}  // namespace prof::gpu::cupti
