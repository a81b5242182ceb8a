// When something was seen: parts of the run, where the logs tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// Of many spans those are told, the longest first, that make up this much of the time that a finding is about.
inline constexpr double kMostOfTheTime = 0.9;

// From the end of the warm-up to the last step; of a table without such steps an empty one.
Span steady_span(const fold::StepTable& table);
// Of every process that has steps.
std::vector<Span> steady_spans(const Evidence& evidence);

// The moment at which the process with the most memory of malloc had most of it; none where nobody looked.
std::vector<Span> at_heap_peak(const Evidence& evidence);

// The `seconds` before `end_ns`, a monotonic time, of a process (an index into Run::processes).
Span last_seconds(const model::Run& run, std::size_t process, std::uint64_t end_ns, double seconds);

// As far as the processes lived: damaged logs have times that never were.
void keep_to_lives(const model::Run& run, std::vector<Span>& spans);

}  // namespace prof::findings
