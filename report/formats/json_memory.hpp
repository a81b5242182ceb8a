// The "heap", "python_heap", "mappings" and "copied" of the JSON document.
#pragma once

#include <span>

#include "report/fold/memory/heap.hpp"
#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// null where no process recorded memory of that kind.
Json memory_json(const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& line_tree,
                 fold::MemoryKind kind);

// What memcpy and its family copied; null where that was not counted.
Json copied_json(const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& line_tree);

// The "sites" of a kind of memory, with "sites_count" and "sites_rest", into `out`.
void add_sites(Json& out, const show::Subject& subject, const show::ViewOptions& options, const fold::CallTree& tree,
               fold::MemoryKind kind);

// A location; one that may be fold::kNobody: then null; locations leaf first.
Json frame_json(const symbols::Symbols& symbols, std::uint32_t location);
Json place_json(const symbols::Symbols& symbols, std::uint32_t location);
Json stack_json(const symbols::Symbols& symbols, std::span<const std::uint32_t> stack);

}  // namespace prof::formats
