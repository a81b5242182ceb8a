// "timeline", "memory", "leaks" and "sizes" of the JSON document.
#pragma once

#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// null where nothing of the kind was recorded; see docs/json.md.
Json timeline_json(const show::Subject& subject);
Json resident_json(const show::Subject& subject);
// options.limit bounds the list, options.steps adds growth by step.
Json leaks_json(const show::Subject& subject, const show::ViewOptions& options);

}  // namespace prof::formats
