#include "report/findings/class_heads.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/source_words.hpp"
#include "report/fold/memory/program_memory.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace class_heads {
namespace {

bool begins_class(const Place& place, symbols::SourceFiles& files) {
  if (place.file.empty() || place.file.ends_with(".py") || place.line <= 0) return false;
  const std::string line = files.line(place.file, static_cast<std::uint32_t>(place.line));
  const std::string_view code = trimmed(code_of(line, "//"));
  return (code.starts_with("class ") || code.starts_with("struct ")) &&
         code.find_first_of("(=;") == std::string_view::npos;
}

// The own lines that led to most there, innermost first: by time, and by memory where there is none.
std::vector<Place> callers_of(const Evidence& evidence, const Place& place) {
  const fold::CallTree& tree = evidence.lines();
  std::map<std::vector<std::uint32_t>, std::pair<std::int64_t, std::int64_t>> paths;
  std::map<std::uint32_t, bool> there;  // by location
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const std::uint32_t location = evidence.own_location(node);
    const auto [known, is_new] = there.try_emplace(location, false);
    if (is_new && location != 0) known->second = place_of(evidence.symbols(), location) == place;
    if (!known->second) continue;
    auto& [ns, bytes] = paths[evidence.own_callers(node)];
    ns = model::saturated_sum(ns, tree.self().cpu[node].ns);
    bytes = model::saturated_sum(bytes, fold::program_memory(tree, node).peak_bytes);
  }
  paths.erase(std::vector<std::uint32_t>());
  const auto most =
      std::max_element(paths.begin(), paths.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<Place> out;
  if (most != paths.end())
    std::transform(most->first.begin(), most->first.end(), std::back_inserter(out),
                   [&](std::uint32_t location) { return place_of(evidence.symbols(), location); });
  return out;
}

}  // namespace
}  // namespace class_heads

void name_callers_of_class_heads(const Evidence& evidence, std::vector<Finding>& findings) {
  symbols::SourceFiles& files = evidence.sources();
  for (Finding& finding : findings) {
    for (std::size_t i = 0; i < finding.places.size(); ++i) {
      Place& place = finding.places[i];
      if (!class_heads::begins_class(place, files)) continue;
      std::vector<Place> callers = class_heads::callers_of(evidence, place);
      // A class within another is copied with that.
      const auto line = std::find_if(callers.begin(), callers.end(),
                                     [&](const Place& one) { return !class_heads::begins_class(one, files); });
      if (line == callers.end()) continue;
      finding.instead_of.push_back(place);
      Place caller = std::move(*line);
      callers.erase(callers.begin(), line + 1);
      caller.callers = std::move(callers);
      if (std::find(finding.places.begin(), finding.places.end(), caller) == finding.places.end()) {
        place = std::move(caller);
      } else {
        finding.places.erase(finding.places.begin() + static_cast<std::ptrdiff_t>(i));
        --i;
      }
    }
  }
}

}  // namespace prof::findings
