#include "report/findings/brace_lines.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "report/findings/places.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace brace_lines {
namespace {

bool is_brace(const std::string& line) {
  const std::string_view code = code_of(line, "//");
  const std::size_t begin = indent_of(code);
  if (begin == code.size() || code[begin] != '}') return false;
  return code.find_first_not_of("}); \t\r", begin) == std::string_view::npos;
}

bool is_at(const Place& place, symbols::SourceFiles& files) {
  if (place.file.ends_with(".py")) return false;
  const Lines& lines = files.file(place.file).lines;
  return place.line > 0 && static_cast<std::size_t>(place.line) <= lines.size() &&
         is_brace(lines[static_cast<std::size_t>(place.line) - 1]);
}

// What the lines of the place's function took, with all that they call.
std::map<std::int64_t, std::int64_t> lines_around(const Evidence& evidence, const Place& place) {
  const fold::CallTree& tree = evidence.lines();
  const symbols::Symbols& symbols = evidence.symbols();
  std::map<std::int64_t, std::int64_t> out;
  for (const std::uint32_t node : evidence.timed()) {
    const std::int64_t ns = tree.self().cpu[node].ns;
    for (std::uint32_t at = node; at != 0 && ns > 0; at = tree.nodes()[at].parent) {
      const symbols::Location& location = symbols.location(tree.nodes()[at].location);
      const symbols::Function& function = symbols.function(location.function);
      if (function.language != symbols::Language::Native || location.line == 0 || location.file != place.file ||
          place_of(symbols, tree.nodes()[at].location).function != place.function)
        continue;
      std::int64_t& sum = out[location.line];
      sum = model::saturated_sum(sum, ns);
      break;
    }
  }
  return out;
}

}  // namespace
}  // namespace brace_lines

void name_lines_before_braces(const Evidence& evidence, std::vector<Finding>& findings) {
  symbols::SourceFiles& files = evidence.sources();
  for (Finding& finding : findings) {
    // The finding may name such a line itself.
    const std::vector<Place> all = finding.places;
    std::erase_if(finding.places, [&](const Place& place) {
      return brace_lines::is_at(place, files) && std::any_of(all.begin(), all.end(), [&](const Place& other) {
               return other.file == place.file && other.function == place.function && other.line < place.line &&
                      !brace_lines::is_at(other, files);
             });
    });
    for (Place& place : finding.places) {
      if (place.file.empty() || !brace_lines::is_at(place, files)) continue;
      const std::map<std::int64_t, std::int64_t> lines = brace_lines::lines_around(evidence, place);
      const auto here = lines.find(place.line);
      std::int64_t most = 0, line = 0;
      for (const auto& [number, ns] : lines) {
        Place other = place;
        other.line = number;
        if (number >= place.line || ns <= most || brace_lines::is_at(other, files)) continue;
        most = ns;
        line = number;
      }
      if (line > 0 && here != lines.end() && real(most) >= kBesideBrace * real(here->second)) place.line = line;
    }
  }
}

}  // namespace prof::findings
