// `prof export [RUN]`: the run in the formats of other programs.
#pragma once

#include "report/cli/common/read_arguments.hpp"
#include "report/model/metrics.hpp"

namespace prof::cli {

struct Export;

struct ExportArguments : ReadArguments {
  const Export* format = nullptr;  // never null once parsed
  model::Measure metric = model::Measure::CpuTime;
  bool wide = false;      // whole names
  bool merge = false;     // speedscope: one profile of all processes and threads
  bool qualname = false;  // pstats: "Class.method" instead of "method"
};

// Returns the exit status. Throws model::LoadError when there is nothing to export, and UsageError.
int export_command(const ExportArguments& arguments);

}  // namespace prof::cli
