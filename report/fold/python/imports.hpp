// Imports as a tree: what each module took, and what it imported in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/fold/selection.hpp"
#include "report/model/profile.hpp"

namespace prof::fold {

struct ImportRow {
  std::size_t process = 0;                // index into Run::processes
  const model::Import* import = nullptr;  // in that process
  std::uint32_t depth = 0;                // below imports of this list: 0 has no parent in it
};

// Of the selected processes and threads: process by process, thread by thread, in the order of their starts, so that
// each stands before what it imported.
std::vector<ImportRow> imports(const model::Run& run, const Selection& selection);

}  // namespace prof::fold
