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

}  // namespace prof::cli
