// What exact modes counted, in the JSON document: "calls", "line_hits" and "imports"; and "loading" beside imports;
// "tasks".
#pragma once

#include "report/fold/call_tree.hpp"
#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// Arrays, or null where nothing of the kind was recorded. Focus and ignore mean nothing to them.
Json calls_json(const show::Subject& subject);      // functions, each with its callers
Json line_hits_json(const show::Subject& subject);  // lines, function by function
Json imports_json(const show::Subject& subject);    // in the order of their starts, thread by thread

// Array: what tasks took, by CPU time; null where none was seen.
Json tasks_json(const show::Subject& subject);

// CPU time of loading shared libraries; null without CPU samples.
Json loading_json(const fold::CallTree& tree);

}  // namespace prof::formats
