// The report as JSON: a contract that other programs rely on.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/formats/json_fwd.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// A member of the document: all of them but "schema", which is always there.
struct JsonSection {
  std::string_view name;
  Json (*value)(const show::Subject& subject, const show::ViewOptions& options);
};

// In the order of the document.
std::span<const JsonSection> json_sections();

// One document of ASCII text (everything else is escaped), ending in a line feed. Times are seconds, sizes bytes; what
// was not measured is null. `options.limit` bounds the lists of functions and of heap sites, `options.sort` orders
// them. `sections`: these alone, in the order of the document, and nothing else is computed; none: all of them.
std::string json(const show::Subject& subject, const show::ViewOptions& options,
                 std::span<const JsonSection* const> sections = {});

}  // namespace prof::formats
