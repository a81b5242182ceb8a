#include "report/findings/places.hpp"

#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {

Place place_of(const symbols::Symbols& symbols, std::uint32_t location) {
  const symbols::Location& at = symbols.location(location);
  const symbols::Function& function = symbols.function(at.function);
  const std::string& file = at.file.empty() ? function.file : at.file;
  return {file.empty() ? function.module : file, at.line != 0 ? at.line : function.line,
          function.short_name.empty() ? function.name : function.short_name};
}

void prefer_lines(std::vector<Place>& places) {
  const auto has_none = [](const Place& place) { return place.line == 0; };
  if (!std::all_of(places.begin(), places.end(), has_none)) std::erase_if(places, has_none);
}

void put_backward_last(const Evidence& evidence, std::vector<Place>& places,
                       const std::function<std::int64_t(const Place&)>& ns) {
  symbols::SourceFiles& files = evidence.sources();
  std::vector<Place> forward, backward;
  double forward_ns = 0, backward_ns = 0;
  for (const Place& place : places) {
    const symbols::SourceFile& file = files.file(place.file);
    const bool known = file.readable && place.line > 0 && static_cast<std::size_t>(place.line) <= file.lines.size();
    const bool starts =
        known &&
        code_of(file.lines[static_cast<std::size_t>(place.line) - 1], "#").find(".backward(") != std::string_view::npos;
    (starts ? backward : forward).push_back(place);
    (starts ? backward_ns : forward_ns) += real(ns(place));
  }
  if (forward_ns < kForwardOfBackward * backward_ns) return;
  places = std::move(forward);
  places.insert(places.end(), backward.begin(), backward.end());
}

void could_save(Finding& finding, const Evidence& evidence, double share) {
  finding.saves = share > 0 ? std::min(share, 1.0) : 0;
  // Bounded, since a damaged log may say anything.
  finding.saves_ns = whole_number(finding.saves * static_cast<double>(evidence.basis_ns()));
  finding.of_run = false;
}

void could_save_of_run(Finding& finding, const Evidence& evidence, double share) {
  could_save(finding, evidence, share);
  if (!evidence.of_steps()) return;
  finding.of_run = true;
  finding.saves_ns = whole_number(finding.saves * static_cast<double>(model::to_signed(evidence.run().wall_ns)));
}

double share_of_run(const Evidence& evidence, std::int64_t ns) {
  const std::int64_t wall = std::max<std::int64_t>(1, model::to_signed(evidence.run().wall_ns));
  return ns > 0 ? std::min(1.0, real(ns) / real(wall)) : 0;
}

void could_save_time(Finding& finding, const Evidence& evidence, std::int64_t ns) {
  could_save_of_run(finding, evidence, share_of_run(evidence, ns));
}

}  // namespace prof::findings
