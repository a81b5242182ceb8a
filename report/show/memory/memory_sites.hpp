// Memory by the stack that allocated it: as a table, and its figures.
#pragma once

#include "report/fold/memory/heap.hpp"
#include "report/show/figures.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// The columns are the same for every kind. `tree` has Granularity::Line.
Sheet sites_sheet(const Subject& subject, const ViewOptions& options, const fold::CallTree& tree,
                  fold::MemoryKind kind);

// What only exact mode adds is nothing for kinds that it says nothing of.
Figures<fold::HeapSite> site_figures(const ViewOptions& options, const fold::CallTree& tree, fold::MemoryKind kind);

}  // namespace prof::show
