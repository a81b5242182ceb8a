// A profile in callgrind's format, for callgrind_annotate, KCachegrind and whatever else reads it.
#pragma once

#include "report/formats/write.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// Every measure that the selected processes have, as an event: self cost by function and line, and inclusive cost of
// calls by caller, line and callee, each stack once however often the call is on it. All processes together. Functions
// have short names, or whole ones when `whole_names`. Returns false, and writes nothing, where no measure has a value.
bool callgrind(const show::Subject& subject, bool whole_names, const Write& write);

}  // namespace prof::formats
