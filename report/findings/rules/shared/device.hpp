// What the rules about devices share.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "report/findings/evidence.hpp"
#include "report/fold/training/device_steps.hpp"

namespace prof::findings {

// Why rules about CUDA cannot tell; null: they can. The second of the times of work on devices.
const char* no_cuda(const Evidence& evidence);
const char* no_device_times(const Evidence& evidence);

// Time in steps, and of it without work: see fold::DeviceInSteps. Where there are none, from the first to the last
// work.
struct DeviceTime {
  bool in_steps = false;
  std::int64_t span_ns = 0, idle_ns = 0;
  double idle() const { return span_ns > 0 ? static_cast<double>(idle_ns) / static_cast<double>(span_ns) : 0; }
  // "from its first to its last work", or of the steps.
  const char* words() const { return in_steps ? "the steps' time" : "the time from its first to its last work"; }
};
DeviceTime device_time(const fold::DeviceInSteps& device);
// Of all devices that were at work for one process each: of several processes each sees its own gaps.
DeviceTime device_time(const Evidence& evidence);

// Of the time that savings are told of, what part it is that devices had nothing to do for `idle_ns`, 0 to 1: what they
// worked stays.
double share_of_idle(const Evidence& evidence, std::int64_t idle_ns, const DeviceTime& device);

// What devices idled again and again: where there are no steps, without the longest gaps of each context, in which it
// was set up.
std::int64_t recurring_idle_ns(const Evidence& evidence, const DeviceTime& device);

// Of what devices idled, what can lie within steps: all of it where there are none.
model::IdleMetric idle_within_steps(const Evidence& evidence);

// Of what devices idled in steps, what went by between one launch and the next of contexts in which they follow each
// other closely. Where the host does something else before it launches, that is what the device waits for.
std::map<std::uint32_t, model::IdleMetric> gaps_between_launches(const Evidence& evidence);  // by node of lines()
model::IdleMetric idle_between_launches(const Evidence& evidence);                           // of all
// Of idle time, what the host ran and launched for.
std::int64_t host_ns(const model::IdleMetric& idle);

// Whether it brings a model's parameters to a device: as often as there are parameters, and once.
bool moves_model(const symbols::Function& function);

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
