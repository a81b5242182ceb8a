// Draws of numpy that go through a whole array for a few of its elements: by weights, or without putting back.
#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_loops.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace array_choices {
namespace {

enum class Draw { None, Weighted, NotPutBack };

// The call of choice() that begins in line `number` or ends there, in one line.
std::string call_at(const Lines& lines, std::size_t number) {
  constexpr std::size_t kLongest = 4;  // lines of a call
  if (number < 1 || number > lines.size()) return {};
  for (std::size_t first = number; first >= 1 && number - first < kLongest; --first) {
    const std::size_t at = code_of(lines[first - 1], "#").find(".choice(");
    if (at == std::string::npos) continue;
    std::string call;
    int depth = 0;
    for (std::size_t i = first; i <= lines.size() && i < first + kLongest; ++i) {
      for (const char c : code_of(lines[i - 1], "#").substr(i == first ? at : 0)) {
        call += c;
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ')' && depth == 0) return i >= number ? call : std::string();
      }
    }
  }
  return {};
}

Draw draw_at(const Lines& lines, std::size_t number) {
  std::string call = call_at(lines, number);
  std::erase(call, ' ');
  if (find_word(call, "p=") != std::string::npos || call.find(",p=") != std::string::npos) return Draw::Weighted;
  // A Generator's own way takes as long as what it draws.
  return call.find("replace=False") != std::string::npos ? Draw::NotPutBack : Draw::None;
}

// Of numpy's older functions: numpy/random/mtrand.
bool is_old(const symbols::Function& function) { return contains(function.module, "/mtrand."); }

bool of_numpy(const symbols::Function& function) { return contains(function.module, "/numpy/"); }

std::vector<Finding> look(const Evidence& evidence) {
  symbols::SourceFiles files(evidence.run());
  const fold::CallTree& tree = evidence.lines();
  std::map<std::uint32_t, Draw> draws;  // by location
  double weighted_ns = 0, others_ns = 0;
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    const std::uint32_t location = evidence.own_location(node);
    if (location == 0 || !below(tree, node, of_numpy)) return false;
    const auto [draw, is_new] = draws.try_emplace(location, Draw::None);
    if (is_new) {
      const Place place = place_of(evidence.symbols(), location);
      if (place.line > 0 && place.file.ends_with(".py") && !done_once(evidence, files, node))
        draw->second = draw_at(files.file(place.file).lines, static_cast<std::size_t>(place.line));
    }
    if (draw->second == Draw::None || (draw->second == Draw::NotPutBack && !below(tree, node, is_old))) return false;
    (draw->second == Draw::Weighted ? weighted_ns : others_ns) += real(tree.self().cpu[node].ns);
    return true;
  });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs) return {};
  const bool weighted = weighted_ns >= others_ns;
  Finding finding;
  finding.rule = kArrayChoicesRule.name;
  finding.title = weighted ? "numpy's choice() goes through all weights at each call"
                           : "numpy.random.choice(replace=False) shuffles all that it may choose from at each call";
  finding.seen = fmt::format("{}.", cpu_words(evidence, cpu));
  finding.advice =
      weighted ? "Add the weights up once (sums = numpy.cumsum(p)) and look numbers up in them: sums.searchsorted("
                 "rng.random(k) * sums[-1]); or draw many at a time (size=)."
               : "numpy.random.default_rng().choice(n, k, replace=False) takes as long as what it draws; so does "
                 "random.sample(range(n), k).";
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace array_choices

const Rule kArrayChoicesRule{"array-choices", "draws that go through a whole array", no_python_frames,
                             array_choices::look};

}  // namespace prof::findings
