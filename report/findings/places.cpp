#include "report/findings/places.hpp"

#include "report/findings/source_words.hpp"
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

void put_backward_last(const Evidence& evidence, std::vector<Place>& places) {
  symbols::SourceFiles files(evidence.run());
  std::stable_partition(places.begin(), places.end(), [&](const Place& place) {
    const symbols::SourceFile& file = files.file(place.file);
    if (!file.readable || place.line <= 0 || static_cast<std::size_t>(place.line) > file.lines.size()) return true;
    return code_of(file.lines[static_cast<std::size_t>(place.line) - 1], "#").find(".backward(") ==
           std::string_view::npos;
  });
}

void could_save(Finding& finding, const Evidence& evidence, double share) {
  finding.saves = share > 0 ? std::min(share, 1.0) : 0;
  // Bounded, since a damaged log may say anything.
  finding.saves_ns =
      static_cast<std::int64_t>(std::min(9e18, finding.saves * static_cast<double>(evidence.basis_ns())));
}

}  // namespace prof::findings
