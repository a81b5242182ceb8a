// What a training loop computes without gradients, by the source: evaluation, which each training does now and then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/findings/thread_time.hpp"

namespace prof::findings {

// Whether line `number` (from 1) of a file of Python is in a block of torch.no_grad() or inference_mode(), or in a
// function that is decorated with one.
bool without_gradients(const std::vector<std::string>& lines, std::size_t number);

// CPU time of the thread below own lines of that kind.
std::int64_t evaluation_ns(const Evidence& evidence, const ThreadOf& thread);

}  // namespace prof::findings
