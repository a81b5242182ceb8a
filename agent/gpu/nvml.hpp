// What the driver says of the devices as a whole, whoever uses them: memory, utilisation, power, energy, temperature
// and clocks, by NVML. Asked on the agent's own GPU thread, which exists only where a device is in use; the library is
// loaded by the first look and not before.
#pragma once

#include <cstdint>

#include "agent/thread/guard.hpp"

namespace prof::gpu {

// Looks at all devices whose records are in use, and adds a point to each one's series; `now` is CLOCK_MONOTONIC. The
// first look also fills in what their records lack. Where NVML cannot be used this is told once, and nothing is done
// from then on. Ordinary code, always of the same thread.
void nvml_poll(const Guard& guard, std::uint64_t now);

// Once at start.
void prepare_nvml();

}  // namespace prof::gpu
