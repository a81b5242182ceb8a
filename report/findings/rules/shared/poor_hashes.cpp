#include "report/findings/rules/shared/poor_hashes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "report/findings/below_own.hpp"
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace {

bool of_table(const symbols::Function& function) {
  constexpr std::string_view kTables[] = {"std::unordered_", "std::_Hashtable", "std::__detail::_Map_base"};
  return function.language == symbols::Language::Native &&
         begins_with_any(function.short_name.empty() ? function.name : function.short_name, kTables);
}

// By node of Evidence::lines(): what tables do, the user's own functions that they call included: hashes, comparisons.
std::vector<bool> in_tables(const Evidence& evidence) {
  const fold::CallTree& lines = evidence.lines();
  std::vector<bool> out = below_own(evidence, of_table), called(out.size());
  for (std::uint32_t node = 1; node < out.size(); ++node) {
    const std::uint32_t parent = lines.nodes()[node].parent;
    called[node] = called[parent] || (out[parent] && evidence.own().function(lines.function_id(node)));
    out[node] = out[node] || called[node];
  }
  return out;
}

bool is_whole_number(std::string_view type) {
  constexpr std::string_view kTypes[] = {"int",     "unsigned", "unsigned int", "long",     "unsigned long",
                                         "short",   "char",     "long long",    "size_t",   "unsigned long long",
                                         "bool",    "int32_t",  "int64_t",      "uint32_t", "uint64_t",
                                         "int16_t", "uint16_t", "int8_t",       "uint8_t"};
  if (type.starts_with("std::")) type.remove_prefix(5);
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

// Without the casts around it.
std::string without_casts(std::string value) {
  constexpr std::string_view kCasts[] = {"static_cast<std::size_t>", "static_cast<size_t>", "std::size_t(", "size_t(",
                                         "(size_t)"};
  for (const std::string_view cast : kCasts) {
    for (std::size_t at = value.find(cast); at != std::string::npos; at = value.find(cast))
      value.replace(at, cast.size(), cast.ends_with('(') ? "(" : "");
  }
  // Of whole numbers std::hash gives the number.
  constexpr std::string_view kHash = "std::hash<";
  for (std::size_t at = value.find(kHash); at != std::string::npos; at = value.find(kHash, at + 1)) {
    const std::size_t begin = at + kHash.size(), end = value.find('>', begin);
    if (end == std::string::npos || !is_whole_number(std::string_view(value).substr(begin, end - begin))) continue;
    const std::string_view rest = std::string_view(value).substr(end + 1);
    if (rest.starts_with("()(") || rest.starts_with("{}(")) value.erase(at, end + 3 - at);
  }
  return value;
}

// What the value of a hash is: lengths and constants are few, sums of small numbers as well, those of large ones not.
enum class Value : std::uint8_t { Spread, Few, Sum };

// Whether what is multiplied at `at` is so by a small number: "k.x * 31" of coordinates up to a few hundred gives few
// values, too.
bool by_little(std::string_view value, std::size_t at) {
  constexpr std::size_t kDigits = 3;
  std::size_t begin = at + 1, end = at;
  while (begin < value.size() && value[begin] == ' ') ++begin;
  std::size_t after = begin;
  while (after < value.size() && is_name(value[after])) ++after;
  while (end > 0 && value[end - 1] == ' ') --end;
  std::size_t before = end;
  while (before > 0 && is_name(value[before - 1])) --before;
  const auto is_small = [](std::string_view text) {
    return !text.empty() && text.size() <= kDigits && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return is_small(value.substr(begin, after - begin)) || is_small(value.substr(before, end - before));
}

// Whether what is shifted at `at`, the first of "<<", is so by a few bits: that is multiplied by little.
bool shifted_little(std::string_view value, std::size_t at) {
  constexpr int kMostBits = 9;
  if (value.substr(at, 2) != "<<") return false;
  std::size_t begin = at + 2;
  while (begin < value.size() && value[begin] == ' ') ++begin;
  int bits = 0;
  const auto [end, error] = std::from_chars(value.data() + begin, value.data() + value.size(), bits);
  return error == std::errc() && bits <= kMostBits && (end == value.data() + value.size() || !is_name(*end));
}

// "k.x + k.y", "a ^ b", "k.x * 31 + k.y", "a ^ (b << 1)": a sum; "text.size()", "1": few. What is multiplied by much,
// shifted, or hashed by somebody else, is spread.
Value value_of(std::string_view text) {
  const std::string value = without_casts(std::string(text));
  bool joined = false, name = false;
  for (std::size_t at = 0; at < value.size(); ++at) {
    const char c = value[at];
    if (c == '*' && by_little(value, at)) continue;
    if (c == '<' && shifted_little(value, at)) {
      ++at;
      continue;
    }
    if (c == '*' || c == '%' || c == '|' || c == '[' || c == '?' || c == '{' || c == '&' || c == '~')
      return Value::Spread;
    if (c == '<' || (c == '>' && (at == 0 || value[at - 1] != '-'))) return Value::Spread;
    joined |= c == '+' || c == '^';
    name |= std::isalpha(static_cast<unsigned char>(c)) != 0;
  }
  constexpr std::string_view kLengths[] = {".size()", ".length()", "->size()", "->length()"};
  const bool length = std::any_of(std::begin(kLengths), std::end(kLengths),
                                  [&](std::string_view part) { return value.ends_with(part); });
  bool calls = false;
  for (std::size_t at = value.find('('); at != std::string::npos; at = value.find('(', at + 1))
    calls |= at > 0 && (std::isalnum(static_cast<unsigned char>(value[at - 1])) != 0 || value[at - 1] == '_');
  if (length || !name) return Value::Few;
  return joined && !calls ? Value::Sum : Value::Spread;
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

struct Hash {
  std::size_t line = 0;
  Value value = Value::Spread;
};

// `std::size_t operator()(const Key& key) const { return ...; }`: its return, where the value is not spread.
std::optional<Hash> poor_hash(const Lines& lines) {
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
        if (const Value value = value_of(code.substr(at + 7, end - at - 7)); value != Value::Spread)
          return Hash{j + 1, value};
        break;
      }
      if (j > i && code.find('}') != std::string_view::npos) break;
    }
  }
  return std::nullopt;
}

// Where the time of tables went, own code that they call included. A table goes to the first node of a bucket to
// compare its key, and on to the next ones to ask whether they are of the same bucket.
struct Steps {
  std::int64_t all = 0;
  std::int64_t finding = 0;    // in buckets
  std::int64_t onwards = 0;    // of that, to the next nodes
  std::int64_t comparing = 0;  // of that, with the first and each of them
};

Steps steps_of(const Evidence& evidence) {
  enum Inside : std::uint8_t { kTable = 1, kFinding = 2, kOnwards = 4, kComparing = 8 };
  const fold::CallTree& lines = evidence.lines();
  std::vector<std::uint8_t> inside(lines.nodes().size());
  Steps out;
  for (const std::uint32_t node : evidence.timed()) {
    const symbols::Function& function = lines.function(node);
    std::uint8_t at = inside[lines.nodes()[node].parent];
    if (of_table(function)) at |= kTable;
    if (at != 0) {
      const std::string& name = function.short_name.empty() ? function.name : function.short_name;
      if (name.find("_M_find_before_node") != std::string::npos) at |= kFinding;
      if ((at & kFinding) != 0 && name.find("_M_bucket_index") != std::string::npos) at |= kOnwards;
      if ((at & kFinding) != 0 && name.find("_M_equals") != std::string::npos) at |= kComparing;
    }
    inside[node] = at;
    const std::int64_t ns = lines.self().cpu[node].ns;
    if ((at & kTable) != 0) out.all = model::saturated_sum(out.all, ns);
    if ((at & kFinding) != 0) out.finding = model::saturated_sum(out.finding, ns);
    if ((at & kOnwards) != 0) out.onwards = model::saturated_sum(out.onwards, ns);
    if ((at & (kOnwards | kComparing)) == kComparing) out.comparing = model::saturated_sum(out.comparing, ns);
  }
  return out;
}

// Whether the time bears out what the source only makes possible.
bool walks_along_buckets(const Evidence& evidence, Value value) {
  const Steps steps = steps_of(evidence);
  if (value == Value::Few) return real(steps.finding) >= kInBuckets * real(steps.all);
  return real(steps.onwards) >= kAlongBuckets * real(steps.all) &&
         real(steps.onwards) >= kBeyondTheFirst * real(steps.comparing);
}

std::optional<Place> poor_hash_of(const Evidence& evidence, const std::vector<bool>& in_table) {
  symbols::SourceFiles& files = evidence.sources();
  std::set<std::string> seen;
  for (const std::uint32_t node : evidence.timed()) {
    const std::uint32_t location = evidence.own_location(node);
    if (location == 0 || !in_table[node]) continue;
    const Place place = place_of(evidence.symbols(), location);
    if (!seen.insert(place.file).second) continue;
    const symbols::SourceFile& file = files.file(place.file);
    // A table that is to be fuller than usual has long buckets, whatever the hash.
    const bool fuller = std::any_of(file.lines.begin(), file.lines.end(), [](const std::string& line) {
      return line.find("max_load_factor(") != std::string::npos;
    });
    const std::optional<Hash> hash = file.readable && !fuller ? poor_hash(file.lines) : std::nullopt;
    if (hash && walks_along_buckets(evidence, hash->value))
      return Place{place.file, static_cast<std::int64_t>(hash->line), "operator()"};
  }
  return std::nullopt;
}

}  // namespace

Finding of_poor_hash(const Evidence& evidence, const CpuAt& cpu, const Place& hash, const char* seen,
                     const char* advice) {
  Finding finding;
  finding.rule = kEqualHashesRule.name;
  finding.title = "Look-ups take long: many keys may have the same hash";
  finding.seen = fmt::format("{}, {}", cpu_words(evidence, cpu), seen);
  finding.advice = advice;
  finding.places = cpu.places;
  finding.places.insert(finding.places.begin() + 1, hash);
  could_save(finding, evidence, cpu);
  return finding;
}

std::vector<Finding> look_for_poor_hashes(const Evidence& evidence) {
  const std::vector<bool> in_table = in_tables(evidence);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return in_table[node]; });
  if (cpu.share() < kMostlyOneThing || !is_enough(cpu) || cpu.places.empty()) return {};
  const std::optional<Place> hash = poor_hash_of(evidence, in_table);
  if (!hash) return {};
  return {of_poor_hash(
      evidence, cpu, *hash,
      "went by in tables, most of it in going along their buckets; a hash beside them is a plain sum, also of small "
      "multiples, a length or a constant.",
      "Mix what is hashed: multiply each part by another large odd number (h = h * 0x9e3779b97f4a7c15 + part), or hash "
      "the parts with a good function.")};
}

}  // namespace prof::findings
