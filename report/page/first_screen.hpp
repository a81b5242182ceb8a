// What the report's first screen says, in its order.
#pragma once

#include "report/fold/call_tree.hpp"
#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::page {

using formats::Json;

// `lines`: fold::line_tree() of the same.
Json first_screen_json(const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& lines);

}  // namespace prof::page
