// What took most of a run, for where no finding says more.
#pragma once

#include <string>
#include <vector>

#include "report/findings/finding.hpp"
#include "report/fold/call_tree.hpp"
#include "report/fold/own/own_lines.hpp"
#include "report/show/view.hpp"

namespace prof::show {

struct Remark {
  std::string text;
  findings::Place place;
  // So much of the CPU time or of the memory that it is said beside findings, too, as long as none is about its line or
  // function.
  bool always = false;
  double share = 0;  // of the CPU time, where that is what it is about: a finding that could save as much explains it
};

// The user's own lines with most CPU time, waiting and memory, as far as each is worth a sentence; with what could be
// tried where what a line spends its time in is known. None where no own code was seen. `lines`: fold::line_tree(), of
// which `own` was made.
std::vector<Remark> remarks(const Subject& subject, const ViewOptions& options, const fold::CallTree& lines,
                            const fold::OwnLines& own);

}  // namespace prof::show
