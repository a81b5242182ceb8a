// `prof export [RUN]`: the run in the formats of other programs.
#pragma once

#include "report/cli/choices.hpp"
#include "report/cli/read_arguments.hpp"

namespace prof::cli {

struct ExportArguments : ReadArguments {
  ExportFormat format = ExportFormat::Folded;
  model::Measure metric = model::Measure::CpuTime;
  bool wide = false;      // whole names
  bool merge = false;     // speedscope: one profile of all processes and threads
  bool qualname = false;  // pstats: "Class.method" instead of "method"
};

// Returns the exit status. Throws model::LoadError when there is nothing to export, and UsageError.
int export_command(const ExportArguments& arguments);

}  // namespace prof::cli
