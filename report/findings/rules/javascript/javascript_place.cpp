#include "report/findings/rules/javascript/javascript_place.hpp"

#include <optional>
#include <utility>

#include "report/findings/javascript.hpp"
#include "report/findings/rules/shared/process_tree.hpp"

namespace prof::findings {

bool name_line(Finding& finding, const Evidence& evidence, std::size_t process,
               const std::function<bool(std::string_view code)>& is) {
  const model::Process& program = evidence.run().processes[process];
  if (std::optional<Place> line = sole_line(evidence, program, is)) {
    finding.places.insert(finding.places.begin(), *std::move(line));
    return true;
  }
  if (!finding.places.empty()) return true;
  if (names_javascript(program)) return false;
  Whole whole;
  whole.last_image = process;
  finding.places = {place_of_command(evidence, whole)};
  finding.advice = "Record with --js on: then lines have names. " + finding.advice;
  return true;
}

}  // namespace prof::findings
