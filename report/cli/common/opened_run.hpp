// A run, read and named: what every report and export begins with.
#pragma once

#include "report/cli/common/read_arguments.hpp"
#include "report/show/view.hpp"

namespace prof::cli {

struct OpenedRun {
  model::Run run;
  fold::Selection selection;
  symbols::Symbols symbols;

  show::Subject subject() const { return {run, symbols, selection}; }
};

// What --focus means: stacks to keep, or something that the view looks up itself.
enum class Focus { Stacks, Subject };

// Reads the run and looks up its symbols; warnings go to stderr. Throws model::LoadError when there is nothing to read,
// and UsageError when the selection can match nothing.
OpenedRun open_run(const ReadArguments& arguments, Focus focus = Focus::Stacks);

// Throws UsageError where stacks cannot have the measure as threads were selected: what one allocated another frees.
void check_measure(model::Measure measure, const fold::Selection& selection);

}  // namespace prof::cli
