// What findings about growing memory have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"
#include "report/fold/memory/leaks.hpp"

namespace prof::findings {

inline constexpr double kSecondsOfDay = 24 * 3600;
inline constexpr double kAnotherRate = 0.1;  // from the mean one, that is worth a word

// Of the process with that many steps in its life: seconds from one to the next; nothing without steps.
std::optional<double> step_seconds(const Evidence& evidence, std::size_t process);

// "1.2 MiB a step (3.0 MiB a second), 250 GiB in a day": of the later half of what grew, which may have grown faster
// before.
std::string growth_rate(const Evidence& evidence, std::size_t process, const fold::Trend& trend);

// Puts the line that may keep what grows behind the first that allocates it, and what it does is the advice; `more` is
// said behind that.
void name_keeper(const Evidence& evidence, Finding& finding, const char* more = "");

// `bytes`, but no more than the process ever had: estimates of single lines may add up to more.
std::int64_t held_at_most(const model::Process& process, std::int64_t bytes);

// The lines of exact mode that grow.
std::vector<Finding> growth_of_lines(const Evidence& evidence);

// The growth of the program's process over its whole life, without its beginning and its end, of runs without steps.
std::optional<Finding> growth_of_life(const Evidence& evidence);

}  // namespace prof::findings
