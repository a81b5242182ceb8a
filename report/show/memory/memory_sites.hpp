// Memory by the stack that allocated it, as a table.
#pragma once

#include "report/fold/memory/heap.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// The columns are the same for every kind. `tree` has Granularity::Line.
Sheet sites_sheet(const Subject& subject, const ViewOptions& options, const fold::CallTree& tree,
                  fold::MemoryKind kind);

}  // namespace prof::show
