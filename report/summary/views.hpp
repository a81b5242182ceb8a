// The views of `prof report`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/show/view.hpp"

namespace prof::show {

// All of them, the summary first.
std::span<const View* const> views();

// The one of that name; null: there is none.
const View* view_named(std::string_view name);

// What `prof report --list-views` prints: each with what it shows, by topic.
std::string list_of_views();

// The commands for what this run holds, a line a topic, the most telling first: "prof report RUN --view blocking |
// files | locks".
std::vector<std::string> next_views(const Subject& subject);

}  // namespace prof::show
