// What the rules about devices share.
#pragma once

#include <cstdint>
#include <string_view>

#include "report/findings/evidence.hpp"

namespace prof::findings {

// Why rules about CUDA cannot tell; null: they can. The second of the times of work on devices.
const char* no_cuda(const Evidence& evidence);
const char* no_device_times(const Evidence& evidence);

// Time from the first to the last work of the devices that were at work for one process each, and of it without work.
struct DeviceTime {
  std::int64_t span_ns = 0, idle_ns = 0;
  double idle() const { return span_ns > 0 ? static_cast<double>(idle_ns) / static_cast<double>(span_ns) : 0; }
};
DeviceTime device_time(const Evidence& evidence);

// Evidence::share of a time in which a device that worked for `busy_ns` had nothing to do: what it worked stays, and a
// device is idle before the steps, too.
double share_of_idle(const Evidence& evidence, std::int64_t idle_ns, std::int64_t busy_ns);

// Calls of the host that return only once the device has done what it was told: those that synchronise, copies that do
// so, and copies into pageable memory.
bool waits_for_device(const fold::CallTree& tree, std::uint32_t node);

// By node, whether it is in the driver or in a library above it, or below one: they load their code when it is called
// first, and what they allocate and map for that is not the program's.
std::vector<bool> in_device_libraries(const fold::CallTree& tree);

// Whether a node is a call of an API whose name has `part` in it.
bool is_call(const fold::CallTree& tree, std::uint32_t node, std::string_view part);

// A node's calls: the name says what, the figures are of the node alone.
const model::ApiMetric& calls_at(const fold::CallTree& tree, std::uint32_t node);

}  // namespace prof::findings
