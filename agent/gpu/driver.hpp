// The little that is asked of the CUDA driver itself. All functions find it among the loaded objects and never load it;
// they give up where it is not there, or lacks what is needed. Ordinary code.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"

namespace prof::gpu::driver {

// Whether the program has initialised it (cuInit), and there is a device.
bool initialised();
// Its version, as 13000 for 13.0; 0: not known.
std::uint32_t version();
// What a device is: fills in the static fields of its record.
void describe(std::uint32_t device, log::DeviceRecord& record);
// Calls `visit` with each device on which the program has a primary context.
void each_active(void (*visit)(std::uint32_t device));
// Waits until the devices have done all that was given to them, for the contexts that most programs have: each device's
// primary one.
void synchronise();

// A call of it that changes nothing: cuCtxGetCurrent.
void call_quietly();

}  // namespace prof::gpu::driver
