// The whole report as JSON: a contract that other programs rely on.
#pragma once

#include <string>

#include "report/show/view.hpp"

namespace prof::formats {

// One document of ASCII text (everything else is escaped), ending in a line feed. Times are seconds, sizes bytes; what
// was not measured is null. `options.limit` bounds the lists of functions and of heap sites, `options.sort` orders
// them.
std::string json(const show::Subject& subject, const show::ViewOptions& options);

}  // namespace prof::formats
