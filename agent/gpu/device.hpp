// The device side of a process: CUPTI, found and started when the program first uses CUDA, and the one thread of ours
// that takes its records into the tree. A process that never touches CUDA has none of it.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"

namespace prof::gpu {

// The program is about to use CUDA: starts what is not started yet. Cheap when it is. Ordinary code, before the real
// function is called and with no lock held.
void begin_device();

// The driver calls us from its own initialisation, by way of CUDA_INJECTION64_PATH. Ordinary code.
void driver_begins();

// Names libprof.so in CUDA_INJECTION64_PATH. Process event: start.
void offer_device_door();

// What CUPTI is told of a call of the calling thread: its node and, in the upper half, that of the operator it is made
// in. Ordinary code.
std::uint64_t external_id(std::uint32_t node);
inline std::uint32_t call_of(std::uint64_t external_id) { return static_cast<std::uint32_t>(external_id); }
inline std::uint32_t operator_of(std::uint64_t external_id) { return static_cast<std::uint32_t>(external_id >> 32); }

// Around a call that gives the device work: what the device does for it is to hang below `node`. False: nobody listens.
// Ordinary code, the calling thread's own calls, properly nested.
bool push_context(std::uint32_t node);
void pop_context();
// Whether any context was pushed so. Any thread.
bool has_pushed();
// Likewise for the call in which the driver was initialised, after its end: before the thread's next one.
void pop_late();

// Whether the call that the calling thread is in was told of by callbacks that there are no longer: nobody will tell of
// its end, and it is the thread's outermost call no more. Any context that has a guard.
bool leave_lost_call();

// The process is about to end, or to exec: takes what the device has done so far. `may_wait`: the program's work may be
// waited for, as the real functions would. Process events.
void end_device(bool may_wait);

// It goes on after all. Cheap when it did not end.
void resume_device();

// As at the end, for what is about to be dropped with a context or a device; before the real function. `may_wait`: for
// the work of all devices' primary contexts. Ordinary code.
void flush_device(bool may_wait);

// The record of a device in the log; null: no room, or an index that is none. Ordinary code.
log::DeviceRecord* device_record(std::uint32_t index);

// Likewise of a device that is used: with what the driver says of it. Of the agent's GPU thread.
log::DeviceRecord* used_device(std::uint32_t index);
// Looks for devices that are used, as far as the driver can tell. Of the agent's GPU thread.
void find_used_devices();

// Once at start.
void prepare_device();

}  // namespace prof::gpu
