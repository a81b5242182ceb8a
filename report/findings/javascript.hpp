// Programs of JavaScript: what runs them, and whether it was asked to name what it compiles.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"
#include "report/findings/source_words.hpp"
#include "report/model/profile.hpp"
#include "report/model/text.hpp"

namespace prof::findings {

inline bool runs_javascript(const model::Process& process) {
  const std::string_view program = base_name(process.exe);
  return program == "node" || program == "nodejs";
}

// Without that nobody knows a line of the program (report/symbols/perf_map.hpp).
inline bool names_javascript(const model::Process& process) {
  return process.options.find("PROF_JS=on") != std::string::npos ||
         std::any_of(process.argv.begin(), process.argv.end(), [](const std::string& argument) {
           return argument.find("--perf-basic-prof") != std::string::npos;
         });
}

// The scripts of the program: the one that it was started with, and those that its named functions lie in.
std::vector<std::string> scripts_of(const Evidence& evidence, const model::Process& process);

// The same, and the files of the program that these load ("./users", "../lib/db.js"), as they are found; no more than
// kMostScripts.
inline constexpr std::size_t kMostScripts = 64;
std::vector<std::string> own_scripts(const Evidence& evidence, const model::Process& process);

// The lines of the program's scripts for which `is` holds, if all code of the program is in them; the text that it is
// given has no comments. None where there are more than twenty.
std::vector<Place> lines_where(const Evidence& evidence, const model::Process& process,
                               const std::function<bool(std::string_view)>& is);

// The one of them, where there is just one.
std::optional<Place> sole_line(const Evidence& evidence, const model::Process& process,
                               const std::function<bool(std::string_view)>& is);

// Whether the line stands in a function that is called for others, by what it is given or since it is asynchronous;
// lines are told apart by how far they are indented.
bool answers_others(const Lines& lines, std::int64_t number);

// Whether any process that is selected runs it.
inline bool any_javascript(const Evidence& evidence) {
  const std::vector<model::Process>& processes = evidence.run().processes;
  return std::any_of(processes.begin(), processes.end(), [&](const model::Process& process) {
    return evidence.selection().includes(process) && runs_javascript(process);
  });
}

}  // namespace prof::findings
