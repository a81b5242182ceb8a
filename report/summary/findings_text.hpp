// What is worth doing about a run, as paragraphs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/findings/rules/look.hpp"
#include "report/show/terminal.hpp"
#include "report/show/view.hpp"
#include "report/summary/remarks.hpp"

namespace prof::show {

// "Model.forward (model.py:42)"; whole paths when `wide`.
std::string place_text(const findings::Place& place, bool wide);

// "34.5 % of the steps' time (1.20 s)", "3.00 GiB", or both; empty where nothing is known to be saved.
std::string savings_text(const findings::Finding& finding, bool of_steps);

// That none of the known faults was found, in a sentence.
std::string none_found(const findings::Outcome& outcome);

// What stands below the findings, or in their place where there are none: of the remarks those that no finding is
// about, and what most of the time is before the sentence that nothing was found.
std::vector<std::string> beside_findings(const findings::Outcome& outcome, const std::vector<Remark>& remarks);

// What to do about the run: all findings, what was looked for and not found, and what could not be told. As sheets, and
// for people.
std::vector<Sheet> findings_view(const Subject& subject, const ViewOptions& options);
std::string findings_text(const Subject& subject, const ViewOptions& options, const Terminal& terminal);

// Of the summary: those that save most, as many as there are lines for, but one at least and six at most. Without any
// what the remarks say; of these also beside findings what is always said, where no finding is about its function.
// `tree`: fold::line_tree().
std::string findings_in_summary(const Subject& subject, const ViewOptions& options, const Terminal& terminal,
                                const fold::CallTree& tree, std::size_t lines, const std::vector<Remark>& remarks);

}  // namespace prof::show
