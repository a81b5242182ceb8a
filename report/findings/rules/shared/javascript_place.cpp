#include "report/findings/rules/shared/javascript_place.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "report/findings/javascript.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {

namespace {

bool name(Finding& finding, const Evidence& evidence, std::size_t process, std::vector<Place> lines) {
  if (!lines.empty()) {
    finding.places.insert(finding.places.begin(), lines.begin(), lines.end());
    return true;
  }
  if (!finding.places.empty()) return true;
  if (names_javascript(evidence.run().processes[process])) return false;
  Whole whole;
  whole.last_image = process;
  finding.places = {place_of_command(evidence, whole)};
  finding.advice = "Record with --js on: then lines have names. " + finding.advice;
  return true;
}

}  // namespace

bool name_line(Finding& finding, const Evidence& evidence, std::size_t process,
               const std::function<bool(std::string_view code)>& is) {
  std::vector<Place> lines;
  if (std::optional<Place> line = sole_line(evidence, evidence.run().processes[process], is))
    lines.push_back(*std::move(line));
  return name(finding, evidence, process, std::move(lines));
}

bool name_calls(Finding& finding, const Evidence& evidence, std::size_t process,
                const std::function<bool(std::string_view code)>& is) {
  constexpr std::size_t kMost = 3;
  symbols::SourceFiles& files = evidence.sources();
  std::vector<Place> lines = lines_where(evidence, evidence.run().processes[process], is), answers;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(answers),
               [&](const Place& place) { return answers_others(files.file(place.file).lines, place.line); });
  if (!answers.empty()) lines = std::move(answers);
  if (lines.size() > kMost) lines.clear();
  return name(finding, evidence, process, std::move(lines));
}

}  // namespace prof::findings
