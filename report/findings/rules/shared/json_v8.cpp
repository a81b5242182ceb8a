#include "report/findings/rules/shared/json_v8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/javascript.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/shared/javascript_place.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace json_v8 {
namespace {

bool is_of_v8(const symbols::Function& function, std::string_view part) {
  return function.language == symbols::Language::Native && function.name.find("v8::internal::") != std::string::npos &&
         function.name.find(part) != std::string::npos;
}
bool reads(const symbols::Function& function) { return is_of_v8(function, "JsonParse"); }
bool writes(const symbols::Function& function) { return is_of_v8(function, "JsonStringif"); }

std::int64_t cpu_below(const Evidence& evidence, bool (*is)(const symbols::Function&)) {
  const std::vector<bool> nodes = all_below(evidence.lines(), is);
  return cpu_at(evidence, [&](std::uint32_t node) { return nodes[node]; }).ns;
}

// Whether the line calls the function of that name, but in texts and patterns.
bool calls(std::string_view code, std::string_view name) {
  const std::string text = without_texts(code);
  const std::size_t at = find_word(text, name);
  return at != std::string::npos && text.compare(at + name.size(), 1, "(") == 0 && (at == 0 || text[at - 1] != '/');
}
// Whether it gives one of them another name.
bool renames(std::string_view code) {
  const std::string text = without_texts(code);
  for (const std::string_view name : {"JSON.parse", "JSON.stringify"}) {
    const std::size_t at = find_word(text, name);
    if (at != std::string::npos && text.compare(at + name.size(), 1, "(") != 0) return true;
  }
  return contains(text, "} = JSON");
}

}  // namespace
}  // namespace json_v8

void tell_of_v8(const Evidence& evidence, Finding& finding) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return;
  const model::Process& process = evidence.run().processes[program->process];
  if (!runs_javascript(process)) return;
  const std::int64_t reading_ns = json_v8::cpu_below(evidence, json_v8::reads),
                     writing_ns = json_v8::cpu_below(evidence, json_v8::writes), both_ns = reading_ns + writing_ns;
  if (both_ns <= 0) return;
  if (reading_ns > 0 && writing_ns > 0)
    finding.seen += fmt::format(" JSON.parse took {}, JSON.stringify {}.", show::duration(real(reading_ns)),
                                show::duration(real(writing_ns)));
  else
    finding.title = reading_ns > 0 ? "JSON is read" : "JSON is written";
  finding.advice =
      "Convert once and keep the result, write only what has changed (a line for each change in place of the whole), "
      "or use a binary format (v8.serialize).";
  const bool both = real(std::min(reading_ns, writing_ns)) >= kMuchOfALine * real(both_ns);
  const bool parses = both || reading_ns > writing_ns, prints = both || writing_ns > reading_ns;
  const std::size_t places = finding.places.size();
  // What has a name of its own may be called anywhere.
  const bool renamed = !lines_where(evidence, process, json_v8::renames).empty();
  name_calls(finding, evidence, program->process, [&](std::string_view code) {
    return !renamed &&
           ((parses && json_v8::calls(code, "JSON.parse")) || (prints && json_v8::calls(code, "JSON.stringify")));
  });
  // What is written and read again stayed in the program: as a rule it is how objects are copied.
  if (both && finding.places.size() < places + 2) {
    finding.advice =
        "JSON.parse(JSON.stringify(object)) copies all of it: copy only what changes ({...object, part: {...}}). " +
        finding.advice;
  }
}

const char* no_json_seen(const Evidence& evidence) {
  return any_javascript(evidence) ? nullptr : no_python_frames(evidence);
}

}  // namespace prof::findings
