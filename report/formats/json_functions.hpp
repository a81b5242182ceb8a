// The "functions" of the JSON document.
#pragma once

#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// An array with an object for each function on a selected stack. `options.limit` bounds the list, `options.sort` and
// `options.language` order and filter it.
Json functions_json(const show::Subject& subject, const show::ViewOptions& options);

}  // namespace prof::formats
