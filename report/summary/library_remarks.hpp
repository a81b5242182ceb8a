// What libraries do with much of the CPU time that another setting, or another library, would spare.
#pragma once

#include <cstdint>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/summary/remarks.hpp"

namespace prof::show {

// Threads of OpenMP that wait in a loop, and products of matrices by the reference BLAS; where each is worth it of the
// CPU time `cpu_ns` that all lines have together.
std::vector<Remark> library_remarks(const fold::CallTree& lines, std::int64_t cpu_ns);

}  // namespace prof::show
