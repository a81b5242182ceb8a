// Exactly counted lines, by function: line_profiler's tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/fold/selection.hpp"
#include "report/model/profile.hpp"

namespace prof::fold {

struct LineHits {
  std::uint32_t line = 0;
  model::LineMetric metric;
};

struct FunctionHits {
  std::string name;  // co_qualname, or co_name before Python 3.11
  std::string file;
  std::uint32_t first_line = 0;  // co_firstlineno
  std::int64_t ns = 0;           // of all its lines
  std::vector<LineHits> lines;   // ascending, unique
};

// Of the selected processes and threads, a function that several processes ran once; ordered by ns, descending. Focus
// and ignore mean nothing here.
std::vector<FunctionHits> line_hits(const model::Run& run, const Selection& selection);

}  // namespace prof::fold
