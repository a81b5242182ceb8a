// Draws of numpy that go through a whole array for a few of its elements: by weights, or without putting back.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
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

// What follows the word in the call, up to the next comma or its end; empty: the word is not there.
std::string_view argument(std::string_view call, std::string_view word) {
  std::size_t at = find_word(call, word);
  while (at != std::string_view::npos && !call.substr(at + word.size()).starts_with('='))
    at = find_word(call, word, at + 1);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = call.substr(at + word.size() + 1);
  int depth = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    depth += rest[i] == '(' || rest[i] == '[' ? 1 : rest[i] == ')' || rest[i] == ']' ? -1 : 0;
    if (depth < 0 || (depth == 0 && rest[i] == ',')) return rest.substr(0, i);
  }
  return rest;
}

// Whether line `number` stands in a function that gives the name a value in a loop: then it is another one each time.
bool changes(const Lines& lines, std::size_t number, const std::string& name) {
  bool changed = false;
  heads_above(lines, number, [&](std::string_view head, std::size_t at) {
    const bool function = head.starts_with("def ") || head.starts_with("async def ");
    if (!function && !head.starts_with("for ") && !head.starts_with("while ")) return true;
    // A function that makes it has it made for each call.
    lines_below(lines, at, [&](std::string_view code, std::size_t) {
      changed |= code.starts_with(name) && find_word(code, name) == 0 && contains(code, "=") &&
                 !contains(code.substr(0, code.find('=')), "(");
      return !changed;
    });
    return !changed && !function;
  });
  return changed;
}

// A whole number as Python writes it, "1_000_000"; 0: it is none, or one of more digits than anything has.
std::int64_t number_in(std::string_view text) {
  constexpr std::size_t kDigits = 18;
  std::int64_t number = 0;
  if (text.empty() || text.size() > kDigits) return 0;
  for (const char c : text) {
    if (c == '_') continue;
    if (c < '0' || c > '9') return 0;
    number = 10 * number + (c - '0');
  }
  return number;
}

// The same of the constant that the file gives that name, where it is one.
std::int64_t number_of(const Lines& lines, std::string_view text) {
  for (const std::string& line : lines) {
    const std::string_view code = code_of(line, "#");
    if (text.empty() || !code.starts_with(text) || !code.substr(text.size()).starts_with(" = ")) continue;
    const std::string_view value = code.substr(text.size() + 3);
    return number_in(value.substr(0, value.find(' ')));
  }
  return number_in(text);
}

Draw draw_at(const Lines& lines, std::size_t number) {
  std::string call = call_at(lines, number);
  std::erase(call, ' ');
  const bool put_back = call.find("replace=False") == std::string::npos;
  const std::string_view weights = argument(call, "p");
  if (weights.empty()) return put_back ? Draw::None : Draw::NotPutBack;
  // Weights that are worked out there are others each time; what draws many at a time looks them up.
  constexpr std::int64_t kMany = 1'000;
  const bool named = std::all_of(weights.begin(), weights.end(), [](char c) { return is_name(c) || c == '.'; });
  if (!put_back || !named || changes(lines, number, std::string(weights))) return Draw::None;
  return number_of(lines, argument(call, "size")) >= kMany ? Draw::None : Draw::Weighted;
}

// Of numpy's older functions, numpy/random/mtrand: a Generator's own way takes as long as what it draws.
bool is_old(const symbols::Function& function) { return contains(function.module, "/mtrand."); }

bool of_numpy(const symbols::Function& function) { return contains(function.module, "/numpy/"); }

std::vector<Finding> look(const Evidence& evidence) {
  symbols::SourceFiles& files = evidence.sources();
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
