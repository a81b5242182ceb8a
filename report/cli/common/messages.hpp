// What prof says about itself: on stderr, one line each, led by "prof: ", made printable.
#pragma once

#include <string>
#include <string_view>

namespace prof::cli {

// Sets up the messages; with `verbose` say_detail() is heard too.
void start_messages(bool verbose);

void say(std::string_view text);          // "prof: ..."
void say_warning(std::string_view text);  // "prof: warning: ..."
void say_error(std::string_view text);    // "prof: error: ..."
void say_detail(std::string_view text);

// "what: 0.42 s of CPU time so far, at most 137 MiB of memory", as a detail.
void say_cost_so_far(std::string_view what);

}  // namespace prof::cli
