#include "report/findings/rules/poor_hashes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "report/findings/below_own.hpp"
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace {

using Lines = std::vector<std::string>;

bool of_table(const symbols::Function& function) {
  constexpr std::string_view kTables[] = {"std::unordered_", "std::_Hashtable", "std::__detail::_Map_base"};
  return function.language == symbols::Language::Native &&
         begins_with_any(function.short_name.empty() ? function.name : function.short_name, kTables);
}

// Without the casts around it.
std::string without_casts(std::string value) {
  constexpr std::string_view kCasts[] = {"static_cast<std::size_t>", "static_cast<size_t>", "std::size_t(", "size_t(",
                                         "(size_t)"};
  for (const std::string_view cast : kCasts) {
    for (std::size_t at = value.find(cast); at != std::string::npos; at = value.find(cast))
      value.replace(at, cast.size(), cast.ends_with('(') ? "(" : "");
  }
  return value;
}

// "k.x + k.y", "a ^ b", "text.size()", "1": sums of small numbers, lengths and constants are few. What is multiplied,
// shifted, or hashed by somebody else, is not.
bool gives_few(std::string_view text) {
  const std::string value = without_casts(std::string(text));
  bool joined = false, name = false;
  for (std::size_t at = 0; at < value.size(); ++at) {
    const char c = value[at];
    if (c == '*' || c == '%' || c == '|' || c == '[' || c == '?' || c == '{' || c == '&' || c == '~') return false;
    if (c == '<' || (c == '>' && (at == 0 || value[at - 1] != '-'))) return false;
    joined |= c == '+' || c == '^';
    name |= std::isalpha(static_cast<unsigned char>(c)) != 0;
  }
  constexpr std::string_view kLengths[] = {".size()", ".length()", "->size()", "->length()"};
  const bool length = std::any_of(std::begin(kLengths), std::end(kLengths),
                                  [&](std::string_view part) { return value.ends_with(part); });
  bool calls = false;
  for (std::size_t at = value.find('('); at != std::string::npos; at = value.find('(', at + 1))
    calls |= at > 0 && (std::isalnum(static_cast<unsigned char>(value[at - 1])) != 0 || value[at - 1] == '_');
  return length || !name || (joined && !calls);
}

// Whether the class around line `at` is named where a table is, or is a specialisation of std::hash.
bool hashes_a_table(const Lines& lines, std::size_t at) {
  std::string name;
  for (std::size_t i = at + 1; i-- > 0 && name.empty();) {
    for (const std::string_view word : {"struct ", "class "}) {
      const std::size_t begin = lines[i].find(word);
      if (begin == std::string::npos) continue;
      const std::string_view rest = std::string_view(lines[i]).substr(begin + word.size());
      if (rest.starts_with("hash<") || rest.starts_with("std::hash<")) return true;
      name = rest.substr(0, rest.find_first_of(" :{<"));
      break;
    }
  }
  return !name.empty() && std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    const std::size_t table = line.find("unordered_");
    return table != std::string::npos && line.find(name, table) != std::string::npos;
  });
}

// `std::size_t operator()(const Key& key) const { return ...; }`: the line of its return, where the value is such; 0:
// there is none.
std::size_t poor_hash(const Lines& lines) {
  constexpr std::size_t kBody = 3;  // lines: what is longer does more than add up
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t head = lines[i].find("operator()(");
    if (head == std::string::npos || lines[i].find("size_t") > head) continue;
    const std::size_t begin = head + std::string_view("operator()(").size(), closed = lines[i].find(')', begin);
    // A hash takes one key; what takes two adds up or compares.
    if (closed == std::string::npos || lines[i].substr(begin, closed - begin).find(',') != std::string::npos) continue;
    if (!hashes_a_table(lines, i)) continue;
    for (std::size_t j = i; j < std::min(i + kBody, lines.size()); ++j) {
      const std::string_view code = std::string_view(lines[j]).substr(0, lines[j].find("//"));
      const std::size_t at = code.find("return "), end = at == std::string_view::npos ? at : code.find(';', at);
      if (end != std::string_view::npos) {
        if (gives_few(code.substr(at + 7, end - at - 7))) return j + 1;
        break;
      }
      if (j > i && code.find('}') != std::string_view::npos) break;
    }
  }
  return 0;
}

std::optional<Place> poor_hash_of(const Evidence& evidence, const std::vector<bool>& in_table) {
  symbols::SourceFiles files(evidence.run());
  std::set<std::string> seen;
  for (const std::uint32_t node : evidence.timed()) {
    const std::uint32_t location = evidence.own_location(node);
    if (location == 0 || !in_table[node]) continue;
    const Place place = place_of(evidence.symbols(), location);
    if (!seen.insert(place.file).second) continue;
    const symbols::SourceFile& file = files.file(place.file);
    const std::size_t line = file.readable ? poor_hash(file.lines) : 0;
    if (line != 0) return Place{place.file, static_cast<std::int64_t>(line), "operator()"};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Finding> look_for_poor_hashes(const Evidence& evidence) {
  const std::vector<bool> in_table = below_own(evidence, of_table);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return in_table[node]; });
  if (cpu.share() < kMostlyOneThing || !is_enough(cpu) || cpu.places.empty()) return {};
  const std::optional<Place> hash = poor_hash_of(evidence, in_table);
  if (!hash) return {};
  Finding finding;
  finding.rule = kEqualHashesRule.name;
  finding.title = "Look-ups take long: many keys may have the same hash";
  finding.seen = fmt::format("{}, went by in tables; a hash beside them is a plain sum, a length or a constant.",
                             cpu_words(evidence, cpu));
  finding.advice =
      "Mix what is hashed: multiply each part by another large odd number (h = h * 0x9e3779b97f4a7c15 + part), or hash "
      "the parts with a good function.";
  finding.places = cpu.places;
  finding.places.insert(finding.places.begin() + 1, *hash);
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace prof::findings
