// A DataLoader that starts its worker processes anew for each pass over its data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

struct WorkerRounds {
  std::int64_t rounds = 0;  // of workers that were started together
  std::int64_t workers = 0;
  std::int64_t starting_ns = 0;  // the loop made them
  std::int64_t usual_ns = 0;     // what it waited for all batches but the first ones
  // What all rounds but one took: making them, first batches, the ends of workers; not what recording them took.
  std::int64_t ns = 0, error_ns = 0;
  bool had_time = true;  // the workers
};

// What the loop of a loader lost by it; nothing: they were started once or a few times, or they had no time for more,
// and their rounds do not explain most of what the loop waited.
std::optional<WorkerRounds> worker_rounds(const Evidence& evidence, const fold::Loader& loader);

// Lines of the program's own at which they are started.
std::vector<Place> starting_lines(const Evidence& evidence);

}  // namespace prof::findings
