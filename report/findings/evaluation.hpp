// What a training loop computes without gradients, by the source: evaluation, which each training does now and then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/thread_time.hpp"

namespace prof::findings {

// Whether line `number` (from 1) of a file of Python is in a block of torch.no_grad() or inference_mode(), or in a
// function that is decorated with one.
bool without_gradients(const std::vector<std::string>& lines, std::size_t number);

// The same, in a function that sets a model to evaluate (eval()): agents that act and targets that are computed without
// gradients are no evaluation.
bool evaluates(const std::vector<std::string>& lines, std::size_t number);

// Whether it is in a function that goes through backward passes, and is no evaluation.
bool trains(const std::vector<std::string>& lines, std::size_t number);

// Whether a backward pass follows in its function: what is computed there may be what the training learns from.
bool is_before_backward(const std::vector<std::string>& lines, std::size_t number);

using IsLine = bool (*)(const std::vector<std::string>& lines, std::size_t number);

// By what the thread does on CPUs below own lines for which `is` holds: calls see(node, ns) with the outermost such
// node of Evidence::lines(). Not for stacks that have a line for which `unless` holds.
void below_lines(const Evidence& evidence, const ThreadOf& thread, IsLine is,
                 const std::function<void(std::uint32_t node, std::int64_t cpu_ns)>& see, IsLine unless = nullptr);

// CPU time of the thread below own lines without gradients.
std::int64_t evaluation_ns(const Evidence& evidence, const ThreadOf& thread);

// Of the CPU time of the thread in operators with these names, the part below own lines without gradients: 0 to 1.
double part_without_gradients(const Evidence& evidence, const ThreadOf& thread,
                              const std::function<bool(std::string_view name)>& is_one);

}  // namespace prof::findings
