// The "processes" of the JSON document.
#pragma once

#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// An array with an object for each selected process image, in order of their starts.
Json processes_json(const show::Subject& subject);

}  // namespace prof::formats
