// What is said above a table: how its figures were measured, what they leave out, what was lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/show/view.hpp"

namespace prof::show {

// The samples of CPU time: on average one in "5.31 ms", and "2,920 samples"; no period where none were taken.
struct CpuSamples {
  std::string period, count;
};
CpuSamples cpu_samples(const Subject& subject);
// So few that they tell next to nothing of where CPU time went: the run was too short.
bool too_few_samples(const Subject& subject);

// How CPU time was measured in the selected processes: "CPU time is sampled about every 10 ms (3,214 samples)".
std::string cpu_sampling(const Subject& subject);

// How memory contexts were measured: "estimated from samples, one in 512 KiB on average".
std::string heap_sampling(const Subject& subject);

// How figures of that measure came to be, and what they are of: "CPU time is sampled ...", "GPU time: exact".
std::string measuring(const Subject& subject, model::Measure measure);

// What was lost, each with its count, and in what conditions; nothing when there is nothing to say.
struct LossSentences {
  std::vector<std::string> lost;
  std::vector<std::string> conditions;
};
// `but`: conditions that are not told.
LossSentences losses(const model::Run& run, std::uint64_t but = 0);

// The same as captions of a table: "Lost: ..." and "Note: ...".
std::vector<std::string> loss_captions(const model::Run& run);

// What the selection leaves out; empty when it leaves out nothing.
std::vector<std::string> filters(const Subject& subject, const ViewOptions& options);

// "20 of 345 functions shown; --limit 0 shows all." or nothing when all are shown.
std::vector<std::string> left_out(std::size_t shown, std::size_t all, const char* what);

}  // namespace prof::show
