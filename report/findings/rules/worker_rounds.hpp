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
  std::int64_t ns = 0;           // with what it waited for the first batches and the ends of workers
};

// Of a loader whose workers had time: what its loop lost by it; nothing: they were started once or a few times.
std::optional<WorkerRounds> worker_rounds(const Evidence& evidence, const fold::Loader& loader);

// Lines of the program's own at which they are started.
std::vector<Place> starting_lines(const Evidence& evidence);

}  // namespace prof::findings
