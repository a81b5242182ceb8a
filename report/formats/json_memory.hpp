// The "heap" and "mappings" of the JSON document.
#pragma once

#include "report/fold/heap.hpp"
#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// null where no process recorded memory of that kind.
Json memory_json(const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& line_tree,
                 fold::MemoryKind kind);

}  // namespace prof::formats
