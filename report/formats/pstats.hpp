// The file that cProfile writes, for `python -m pstats` and snakeviz.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "report/fold/call_tree.hpp"
#include "report/fold/python/exact_calls.hpp"
#include "report/formats/write.hpp"

namespace prof::formats {

enum class PythonNames {
  Plain,      // co_name, as cProfile has it: "run"
  Qualified,  // co_qualname: "Worker.run"
};

struct PstatsFigures {
  std::int64_t calls = 0, primitive = 0;
  std::int64_t self_ns = 0, cumulative_ns = 0;

  PstatsFigures& operator+=(const PstatsFigures& other);
};
using PstatsKey = std::tuple<std::string, std::int64_t, std::string>;  // file, line, name
struct PstatsFunction {
  PstatsFigures total;
  std::map<PstatsKey, PstatsFigures> callers;
};
// What has one key is one function.
using PstatsTable = std::map<PstatsKey, PstatsFunction>;

// Of exact calls: what cProfile itself would have found, over all selected processes and threads.
PstatsTable pstats_table(const fold::ExactCalls& calls, PythonNames names);

// Of CPU samples: times are CPU time, and the numbers of calls are numbers of samples (at least 1: readers divide by
// them). Native functions have the file they were compiled from, or that of their module.
PstatsTable pstats_table(const fold::CallTree& tree, PythonNames names);

// `table` must not be empty: pstats refuses such a file.
void pstats(const PstatsTable& table, const Write& write);

}  // namespace prof::formats
