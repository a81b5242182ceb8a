// The processes of a run as a tree: who made whom.
#pragma once

#include <cstddef>
#include <vector>

#include "report/show/view.hpp"

namespace prof::show {

struct ProcessRow {
  std::size_t process;  // index in Run::processes
  std::size_t depth;    // 0: made by nobody who was recorded
};

// The selected processes, each before those that it made; images of one process come one after the other, at the same
// depth.
std::vector<ProcessRow> process_tree(const Subject& subject);

// Leaves those that matter: the `wanted` with the most CPU time, and whoever made them. The many short helpers of a
// build or a shell script would hide them.
void keep_heaviest(std::vector<ProcessRow>& rows, const model::Run& run, std::size_t wanted);

}  // namespace prof::show
