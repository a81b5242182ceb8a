#include "report/findings/rules/shared/own_chains.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/shared/poor_hashes.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace own_chains {
namespace {

using std::string_view;

string_view native_code(const std::string& line) { return code_of(line, "//"); }

string_view name_ahead(string_view text, std::size_t end) {
  const string_view before = trimmed(text.substr(0, end));
  return name_before(before, before.size());
}

// "t = t->next": a step along a chain.
bool steps_along(string_view code) {
  for (std::size_t at = code.find("->next"); at != string_view::npos; at = code.find("->next", at + 1)) {
    const string_view of = name_ahead(code, at);
    const std::size_t equals = code.rfind('=', at);
    if (of.empty() || equals == string_view::npos) continue;
    if (name_ahead(code, equals) == of && code.find(of, equals) + of.size() == at) return true;
  }
  return false;
}

// Whether line `number` (from 1) is one of a loop that walks along a chain, which begins in an array: a list of which
// there is one has no hash.
bool walks(const Lines& lines, std::size_t number) {
  constexpr std::size_t kLoop = 3, kStart = 4;  // lines
  const std::size_t first = number > kLoop ? number - kLoop : 1, last = std::min(number + kLoop, lines.size());
  for (std::size_t at = first; at <= last; ++at) {
    if (!steps_along(native_code(lines[at - 1]))) continue;
    for (std::size_t from = at > kStart ? at - kStart : 1; from <= at; ++from) {
      if (native_code(lines[from - 1]).find('[') != string_view::npos) return true;
    }
  }
  return false;
}

// Whether a product is in it: "h * 31", "31 * h", "h *= kPrime"; of "*s" nobody can tell but by what stands around it.
bool multiplies(string_view code) {
  for (std::size_t at = code.find('*'); at != string_view::npos; at = code.find('*', at + 1)) {
    const char next = at + 1 < code.size() ? code[at + 1] : ' ', before = at > 0 ? code[at - 1] : ' ';
    if (next == '=' || std::isdigit(static_cast<unsigned char>(next)) != 0) return true;
    if (next == ' ' && before == ' ') return true;
    if (is_name(before)) return true;
  }
  return false;
}

bool spreads(string_view code) {
  return code.find("<<") != string_view::npos || code.find(">>") != string_view::npos ||
         code.find('%') != string_view::npos || multiplies(code);
}

// "h = h + ...", "h += ...", "h ^= ...", "h = h ^ ...".
bool adds_up(string_view code) {
  if (code.find("+=") != string_view::npos || code.find("^=") != string_view::npos) return true;
  const std::size_t equals = code.find(" = ");
  if (equals == string_view::npos) return false;
  const string_view to = name_ahead(code, equals), value = code.substr(equals + 3);
  return !to.empty() && value.starts_with(to) && value.find_first_of("+^") != string_view::npos;
}

// A function with "hash" in its name that adds up in a loop and does nothing else: the line of the sum.
std::optional<Place> plain_sum(const std::string& file, const Lines& lines) {
  constexpr std::size_t kBody = 10;  // lines
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const string_view head = native_code(lines[i]);
    const std::size_t open = head.find('(');
    if (open == string_view::npos || head.empty() || head.front() == ' ' || head.ends_with(";")) continue;
    const string_view name = name_ahead(head, open);
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (lower.find("hash") == std::string::npos) continue;
    bool loops = false, mixed = false;
    std::size_t sum = 0;
    for (std::size_t j = i + 1; j < std::min(i + kBody, lines.size()); ++j) {
      const string_view code = native_code(lines[j]);
      if (code.starts_with("}")) break;
      const bool is_loop = find_word(code, "for") != string_view::npos || find_word(code, "while") != string_view::npos;
      loops |= is_loop;
      mixed |= !is_loop && find_word(code, "return") == string_view::npos && spreads(code);
      // What stands in the head of a loop counts.
      if (!is_loop && adds_up(code) && sum == 0) sum = j + 1;
    }
    if (loops && sum != 0 && !mixed) return Place{file, static_cast<std::int64_t>(sum), std::string(name)};
  }
  return std::nullopt;
}

}  // namespace
}  // namespace own_chains

std::vector<Finding> look_for_own_chains(const Evidence& evidence) {
  symbols::SourceFiles& files = evidence.sources();
  std::map<std::uint32_t, bool> known;  // by location
  const auto walks = [&](std::uint32_t node) {
    const std::uint32_t location = evidence.own_location(node);
    const auto [found, is_new] = known.try_emplace(location, false);
    if (is_new && location != 0) {
      const symbols::Function& function = evidence.symbols().function(evidence.symbols().location(location).function);
      const Place place = place_of(evidence.symbols(), location);
      if (function.language == symbols::Language::Native && place.line > 0)
        found->second = own_chains::walks(files.file(place.file).lines, static_cast<std::size_t>(place.line));
    }
    return found->second;
  };
  const CpuAt cpu = cpu_at(evidence, walks);
  if (cpu.share() < kMostlyOneThing || !is_enough(cpu) || cpu.places.empty()) return {};
  const std::string& file = cpu.places.front().file;
  const std::optional<Place> hash = own_chains::plain_sum(file, files.file(file).lines);
  if (!hash) return {};
  return {of_poor_hash(
      evidence, cpu, *hash,
      "went by in walking along the chains of a table; the hash beside it adds up what it is of, so that there are few "
      "values.",
      "Mix what is hashed: multiply before each part (h = h * 31 + c, FNV-1a: h = (h ^ c) * 16777619), and let the "
      "table grow with its entries.")};
}

}  // namespace prof::findings
