// The "lines" of the JSON document.
#pragma once

#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// An array with an object for each line of source that was on a selected stack; null when no line is known.
// `options.limit` bounds the list.
Json lines_json(const show::Subject& subject, const show::ViewOptions& options);

}  // namespace prof::formats
