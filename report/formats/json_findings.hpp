// What is worth doing about the run, as a part of the JSON document.
#pragma once

#include "report/fold/call_tree.hpp"
#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// `line_tree`: a tree by lines, of any frames.
Json findings_json(const show::Subject& subject, const fold::CallTree& line_tree);

}  // namespace prof::formats
