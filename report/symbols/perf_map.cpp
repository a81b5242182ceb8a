#include "report/symbols/perf_map.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "report/symbols/dotnet_names.hpp"
#include "report/symbols/pypy_log.hpp"

namespace prof::symbols {
namespace {

// Takes a hexadecimal number with or without 0x, and the blanks behind it, off the text.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return value;
}

// Takes ":12" off the end of the text.
std::optional<std::uint32_t> take_last_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {};
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  text = text.substr(0, colon);
  return value;
}

// The path of a "file:" URL, without what follows its "?" or "#".
std::string path_of(std::string_view url) {
  constexpr std::string_view kScheme = "file://";
  if (!url.starts_with(kScheme)) return std::string(url);
  url.remove_prefix(kScheme.size());
  url = url.substr(0, url.find_first_of("?#"));
  std::string out;
  for (std::size_t i = 0; i < url.size(); ++i) {
    unsigned char byte = 0;
    if (url[i] == '%' && i + 2 < url.size() &&
        std::from_chars(url.data() + i + 1, url.data() + i + 3, byte, 16).ptr == url.data() + i + 3 && byte != 0) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += url[i];
    }
  }
  return out;
}

// Where the file begins behind a function's name, both of which may hold blanks ("get value"): at what begins like a
// path, else at the first blank.
std::size_t blank_before_file(std::string_view text) {
  const std::size_t at = std::min(
      {text.find(" /"), text.find(" file:"), text.find(" node:"), text.find(" wasm:"), text.find(" evalmachine")});
  return at != std::string_view::npos ? at : text.find(' ');
}

// V8's kinds of code that have a source.
constexpr std::array<std::string_view, 5> kScripts{"JS:", "LazyCompile:", "Function:", "Script:", "Eval:"};

bool is_interpreted(std::string_view name) {
  return std::any_of(kScripts.begin(), kScripts.end(), [&](std::string_view kind) {
    return name.starts_with(kind) && name.substr(kind.size()).starts_with('~');
  });
}

std::optional<MadeFunction> of_script(std::string_view name) {
  const auto* const kind =
      std::find_if(kScripts.begin(), kScripts.end(), [&](auto one) { return name.starts_with(one); });
  if (kind == kScripts.end()) return {};
  name.remove_prefix(kind->size());
  if (!name.empty() && std::string_view("~^*+").find(name.front()) != std::string_view::npos) name.remove_prefix(1);
  const std::size_t blank = blank_before_file(name);
  if (blank == std::string_view::npos) return {};
  std::string_view file = name.substr(blank + 1);
  const auto column = take_last_number(file);
  const auto line = column ? take_last_number(file) : std::nullopt;
  if (!line) return {};
  std::string function(name.substr(0, blank));
  if (function.empty()) function = *line == 1 && *column == 1 ? "(script)" : "(anonymous)";
  return MadeFunction{function, function, path_of(file), *line, kMadeAtRunTime};
}

// "sieve /srv/app.py:9:14", the line where the function begins and the one that runs; or a name alone.
MadeFunction of_pypy(std::string_view place) {
  std::string_view file = place;
  const auto at = take_last_number(file);
  const auto line = at ? take_last_number(file) : std::nullopt;
  const std::size_t blank = file.find(' ');
  if (!line || blank == std::string_view::npos) return {std::string(place), std::string(place), "", 0, kMadeByPypy};
  const std::string name(file.substr(0, blank));
  return {name, name, std::string(file.substr(blank + 1)), *line, kMadeByPypy, *at};
}

// "java.util.Map Work.words(int, int[])" without its result and its parameters.
std::string short_name(std::string_view name) {
  const std::size_t open = name.find('(');
  if (open == std::string_view::npos || open == 0 || !name.ends_with(')')) return std::string(name);
  const std::string_view head = name.substr(0, open);
  const std::size_t blank = head.rfind(' ');
  return std::string(blank == std::string_view::npos ? head : head.substr(blank + 1));
}

}  // namespace

MadeFunction made_function(std::string_view name) {
  name = name.substr(0, kLongestMadeName);
  if (auto script = of_script(name)) return std::move(*script);
  if (name.starts_with(kCompiledByPypy)) {
    name.remove_prefix(kCompiledByPypy.size());
    return of_pypy(name.substr(0, name.find('\t')));
  }
  if (auto method = dotnet_method(name)) {
    const std::string file = method->assembly.empty() ? "" : method->assembly + ".dll";
    return {std::move(method->name), std::move(method->short_name), file, 0, kMadeByDotnet};
  }
  return {std::string(name), short_name(name), "", 0, kMadeAtRunTime};
}

PerfMap::PerfMap(std::string_view text, std::span<const std::uint64_t> addresses) {
  std::vector<Interval> compiled, interpreted;
  while (!text.empty() && !addresses.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto start = take_number(line);
    const auto size = start ? take_number(line) : std::nullopt;
    if (!size || *size == 0 || line.empty() || *size > UINT64_MAX - *start) continue;
    const auto first = std::lower_bound(addresses.begin(), addresses.end(), *start);
    if (first == addresses.end() || *first >= *start + *size) continue;
    const auto number = static_cast<std::uint32_t>(functions_.size());
    (is_interpreted(line) ? interpreted : compiled)
        .push_back({*start, *start + *size, number, number});  // later ones win
    functions_.push_back(made_function(line));
    starts_.push_back(*start);
    if (!line.starts_with(kCompiledByPypy)) continue;
    for (std::size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t')) {
      line.remove_prefix(tab + 1);
      functions_.back().inlined = true;
      functions_.push_back(of_pypy(line.substr(0, std::min(line.find('\t'), kLongestMadeName))));
      starts_.push_back(*start);
    }
  }
  compiled_ = IntervalMap(std::move(compiled));
  interpreted_ = IntervalMap(std::move(interpreted));
  find_returns(addresses);
}

// Where most of those that share their place with nothing else are seen.
void PerfMap::find_returns(std::span<const std::uint64_t> addresses) {
  std::map<std::uint64_t, std::size_t> counts;
  for (const std::uint64_t address : addresses) {
    const std::uint32_t number = interpreted_.find(address);
    if (number != IntervalMap::kNone && compiled_.find(address) == IntervalMap::kNone)
      ++counts[address - starts_[number]];
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != counts.end() && most->second > 1) returns_ = most->first;
}

std::uint32_t PerfMap::number_at(std::uint64_t address) const {
  const std::uint32_t compiled = compiled_.find(address), interpreted = interpreted_.find(address);
  if (compiled == IntervalMap::kNone) return interpreted;
  if (interpreted == IntervalMap::kNone || compiled > interpreted) return compiled;
  return address - starts_[interpreted] == returns_ ? interpreted : compiled;
}

std::span<const MadeFunction> PerfMap::at(std::uint64_t address) const {
  const std::uint32_t number = number_at(address);
  if (number == IntervalMap::kNone) return {};
  std::size_t end = number;
  while (functions_[end].inlined) ++end;
  return std::span(functions_).subspan(number, end + 1 - number);
}

}  // namespace prof::symbols
