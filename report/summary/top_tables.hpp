// The short tables of the summary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <string>

#include "report/fold/call_tree.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// Of a run that is made of processes, and has no code of the user's own: which commands took the CPU time. No rows
// where there are few.
Sheet top_commands(const Subject& subject);

// The functions with the most tottime; no rows when there is none with any.
Sheet top_functions(const Subject& subject, const ViewOptions& options);

// The kernels with the most time; no rows when there are none.
Sheet top_kernels(const Subject& subject, const ViewOptions& options);

// Where a script of a shell ran that does not say its lines, as dash does not, what does; empty: none did.
std::string script_without_lines(const model::Run& run);

}  // namespace prof::show
