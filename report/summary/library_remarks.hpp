// What libraries do with much of the CPU time that another setting, or another library, would spare.
#pragma once

#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/summary/remarks.hpp"

namespace prof::show {

// Threads of OpenMP that wait in a loop, and products of matrices by the reference BLAS; where each is worth it.
std::vector<Remark> library_remarks(const fold::CallTree& lines);

}  // namespace prof::show
