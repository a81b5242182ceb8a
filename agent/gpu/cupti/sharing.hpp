// What the program's own calls of CUPTI mean where CUPTI is, or will be, ours as well. `real` is the function that the
// program means: nothing is done where it is of another libcupti than ours. Ordinary code, not inside CUPTI's
// callbacks.
#pragma once

#include "agent/gpu/cupti/abi.hpp"

namespace prof::gpu::cupti {

// The program registers its callbacks. True: it is served by us, CUPTI is not to be told.
bool take_client(const void* real, RequestBuffer request, CompleteBuffer complete);
// It enables a kind. True: CUPTI records it already. Else `enabled_by_client` after CUPTI was told with success.
bool enable_for_client(const void* real, Kind kind);
void enabled_by_client(const void* real, Kind kind);
// CUPTI was told, with success, to enable a kind and to tell at once of what there is.
void dumped_by_client(const void* real, Kind kind);
// It disables a kind. True: we need it, CUPTI is not to be told. Else `disabled_by_client` after CUPTI was.
bool disable_for_client(const void* real, Kind kind);
void disabled_by_client(const void* real, Kind kind);
// It has flushed: it gets what it asked for.
void flushed_by_client(const void* real);
// It says how CUPTI is to use buffers. True: they are ours, and CUPTI is not to be told (a change in the middle of a
// session is undefined).
bool keeps_attribute(const void* real, std::uint32_t attribute);
// It says by which clock its records are to be. True: CUPTI keeps ours and is not to be told. Else
// `clock_set_by_client` after CUPTI was told with success.
bool keeps_clock(const void* real, Timestamp clock);
void clock_set_by_client(const void* real, Timestamp clock);
// It asks how many records were lost: those of which we were told.
std::size_t losses_for_client(const void* real);
// It asks for the time. True: CUPTI's is ours, and `time` is that of its own clock.
bool time_for_client(const void* real, std::uint64_t& time);
// It wants CUPTI's callbacks, of which there is one set.
void leave_callbacks(const void* real);
// Likewise, by cuptiSubscribe_v2. Where that is how subscribers get records of their own, CUPTI has no records for us
// besides (from CUDA 13.2 on it refuses either, after the other): it is left to the program. True: it was ours until
// then.
bool leave_to_subscriber(const void* real);
// Then, when CUPTI has answered `result`: whether the program's function is to be called once more, since CUPTI holds
// our use of it against the program. Now it does not any longer.
bool subscribe_again(Result result, Subscriber subscriber);
// It ends CUPTI for the whole process.
void before_finalize(const void* real);

}  // namespace prof::gpu::cupti
