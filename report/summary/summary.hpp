// The summary of one screen: what ran, where its time and memory went, what was lost, and what to look at next.
#pragma once

#include <string>

#include "report/show/terminal.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// Ends in a line feed.
std::string summary(const Subject& subject, const ViewOptions& options, const Terminal& terminal);

// The same figures as rows of (section, item, value, unit), for CSV.
Sheet summary_sheet(const Subject& subject);

}  // namespace prof::show
