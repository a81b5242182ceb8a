#include "report/symbols/perf_map.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace prof::symbols {
namespace {

constexpr std::size_t kMostFunctions = 4'000'000;

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

// V8's kinds of code that have a source.
constexpr std::array<std::string_view, 5> kScripts{"JS:", "LazyCompile:", "Function:", "Script:", "Eval:"};

std::optional<MadeFunction> of_script(std::string_view name) {
  const auto kind = std::find_if(kScripts.begin(), kScripts.end(), [&](auto one) { return name.starts_with(one); });
  if (kind == kScripts.end()) return {};
  name.remove_prefix(kind->size());
  if (!name.empty() && std::string_view("~^*+").find(name.front()) != std::string_view::npos) name.remove_prefix(1);
  const std::size_t blank = name.find(' ');
  if (blank == std::string_view::npos) return {};
  std::string_view file = name.substr(blank + 1);
  if (!take_last_number(file)) return {};  // the column
  const auto line = take_last_number(file);
  if (!line) return {};
  if (file.starts_with("file://")) file.remove_prefix(7);
  const std::string_view function = name.substr(0, blank);
  return MadeFunction{std::string(function.empty() ? "(script)" : function), std::string(file), *line};
}

}  // namespace

MadeFunction made_function(std::string_view name) {
  if (auto script = of_script(name)) return std::move(*script);
  return {std::string(name), "", 0};
}

PerfMap::PerfMap(std::string_view text) {
  std::vector<Interval> intervals;
  while (!text.empty() && functions_.size() < kMostFunctions) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto start = take_number(line);
    const auto size = start ? take_number(line) : std::nullopt;
    if (!size || *size == 0 || line.empty() || *size > UINT64_MAX - *start) continue;
    const auto number = static_cast<std::uint32_t>(functions_.size());
    intervals.push_back({*start, *start + *size, number, number});  // later ones win
    functions_.push_back(made_function(line));
  }
  ranges_ = IntervalMap(std::move(intervals));
}

const MadeFunction* PerfMap::at(std::uint64_t address) const {
  const std::uint32_t number = ranges_.find(address);
  return number == IntervalMap::kNone ? nullptr : &functions_[number];
}

}  // namespace prof::symbols
