// What is worth doing about the run, as a part of the JSON document.
#pragma once

#include "report/fold/call_tree.hpp"
#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

Json findings_json(const show::Subject& subject);

}  // namespace prof::formats
