// Who starts the many short processes of a run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/rules/shared/process_tree.hpp"

namespace prof::findings {

// One process, or several that run the same, as a script that is run for each file.
struct Starters {
  const Whole* shown = nullptr;  // of several, the one that waited longest
  std::vector<const Whole*> all;
  std::vector<std::uint32_t> children;  // pids
  std::int64_t waited_ns = 0;           // for children and at pipes
};

// What its main thread waited for children and at pipes.
std::int64_t waited_of(const Whole& one);

// The process with most children; where none has many, those of one command that have most together. None: there is no
// process.
std::optional<Starters> starters(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all);

}  // namespace prof::findings
