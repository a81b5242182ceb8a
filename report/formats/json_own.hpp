// The "own" of the JSON document.
#pragma once

#include "report/fold/call_tree.hpp"
#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// An array with an object for each line of the user's own code that led to anything; null when none was seen.
// `options.limit` bounds the list.
Json own_json(const show::Subject& subject, const show::ViewOptions& options);

}  // namespace prof::formats
