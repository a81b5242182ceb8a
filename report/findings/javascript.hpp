// Programs of JavaScript: what runs them, and whether it was asked to name what it compiles.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "report/model/profile.hpp"
#include "report/model/text.hpp"

namespace prof::findings {

inline bool runs_javascript(const model::Process& process) {
  const std::string_view program = base_name(process.exe);
  return program == "node" || program == "nodejs";
}

// Without that nobody knows a line of the program (report/symbols/perf_map.hpp).
inline bool names_javascript(const model::Process& process) {
  return std::any_of(process.argv.begin(), process.argv.end(), [](const std::string& argument) {
    return argument.find("--perf-basic-prof") != std::string::npos;
  });
}

}  // namespace prof::findings
