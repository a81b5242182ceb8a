// The events of a run with --trace, as the page shows them over time.
#pragma once

#include <cstddef>

#include "report/page/bundle.hpp"
#include "report/show/view.hpp"

namespace prof::page {

// {"lanes": [{"title", "begin", "ns", "name", "kind", "bytes"}], "events", "left_out", "overwritten"}: a lane for each
// thread and stream, in the order of processes, threads before devices; at most `most` events (one or more), the
// longest. "begin" holds differences from the event before, the first from the start of the run; outer events come
// before those within. "kind" is log::TraceKind, "name" a text of the bundle. Null: no selected process has a trace.
Json trace_json(const show::Subject& subject, std::size_t most, Bundle& bundle);

}  // namespace prof::page
