// How often functions were called, where exact calls were counted.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "report/fold/time/functions.hpp"

namespace prof::fold {

// Calls by function id, of the selected processes and threads, every edge that leads to the function added up. A
// function that is not in the map was not counted, which is not the same as never called.
std::unordered_map<std::uint32_t, std::int64_t> call_counts(const model::Run& run, const symbols::Symbols& symbols,
                                                            const Selection& selection);

}  // namespace prof::fold
