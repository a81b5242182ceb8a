// The files of report/page/web, which report/page/embed.cmake makes part of the program.
#pragma once

#include <string>
#include <string_view>

namespace prof::page {

std::string html_asset();    // the frame, with {{STYLE}} and so on for what goes into it
std::string style_asset();   // all of it
std::string script_asset();  // all files, in their order

// SHA-256 of the two, in hexadecimal.
extern const std::string_view kStyleHash, kScriptHash;

}  // namespace prof::page
