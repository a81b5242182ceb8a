// Why a loop waits for its data: the rules, and their thresholds.
#pragma once

#include <cstddef>
#include <optional>

#include "report/fold/training/loading_data.hpp"

namespace prof::fold {

// Of the loop's time: what waits less is not worth anybody's work, and the first batch of an epoch alone takes that.
inline constexpr double kFastEnough = 0.05;
// Of the workers' time at work: what has at least half of it is the cause, since nothing else can have more.
inline constexpr double kNamed = 0.5;
// Of the workers' time: who waits for orders longer than it works is not what the loop waits for.
inline constexpr double kMostlyIdle = 0.5;
// Of the time that workers wanted a processor: as long as a processor is free a thread waits a few percent, for others
// that the kernel has put on the same one.
inline constexpr double kQueued = 0.2;
// Of the processors: the main loop, other processes and the kernel take the rest.
inline constexpr double kAllUsed = 0.85;

// From all other figures of the loader.
Loader::Cause cause_of(const Loader& loader);

// How many workers would keep the loop from waiting if each loaded as fast as now. Nothing where there is nothing to
// compare with.
std::optional<std::size_t> workers_needed(const Loader& loader);

}  // namespace prof::fold
