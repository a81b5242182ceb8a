// Small parts of large tensors or arrays are put into a list, and each keeps the whole that it is a view of.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/evaluation.hpp"
#include "report/findings/model_call.hpp"
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace kept_views {
namespace {

constexpr std::string_view kAppend = ".append(";

// "model(x)[:, -1]": one place of a dimension, by numbers alone. Not "model(x)[0]", which may be the first of several
// results; not a range, which may be nearly all; not names, which may be arrays, by which an index copies.
bool is_part(std::string_view expression) {
  expression = trimmed(expression);
  const std::size_t open = expression.rfind('[');
  if (!expression.ends_with(']') || open == std::string_view::npos || open == 0) return false;
  const std::string_view index = expression.substr(open + 1, expression.size() - open - 2);
  if (index.find_first_not_of("0123456789-:, .") != std::string_view::npos) return false;
  bool all = false, one = false;
  for (std::size_t begin = 0; begin <= index.size();) {
    const std::size_t end = std::min(index.find(',', begin), index.size());
    const std::string_view each = trimmed(index.substr(begin, end - begin));
    all |= each == ":" || each == "...";
    one |= !each.empty() && each.find_first_not_of("0123456789-") == std::string_view::npos;
    begin = end + 1;
  }
  return all && one;
}

// What a line puts into a list: "encode(x)" of "rows.append(encode(x))"; empty: nothing.
std::string_view appended(std::string_view code) {
  const std::size_t at = code.find(kAppend);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = trimmed(code.substr(at + kAppend.size()));
  return rest.ends_with(')') ? rest.substr(0, rest.size() - 1) : std::string_view();
}

// Whether the function gives back a part of what it made, wherever it does.
bool returns_part(symbols::SourceFiles& files, const symbols::Function& function) {
  const symbols::SourceFile& file = files.file(function.file);
  if (!file.readable || function.line == 0 || function.line > file.lines.size()) return false;
  bool part = false;
  lines_below(file.lines, function.line, [&](std::string_view code, std::size_t) {
    if (code.starts_with("return ")) part = is_part(code.substr(7));
    return true;
  });
  return part;
}

bool makes_module(const symbols::Function& function) {
  return function.language == symbols::Language::Python && function.name.ends_with("__init__");
}

// What lived at the peak of what was made for one line of the user's own, and the functions that it called itself.
struct OfLine {
  std::int64_t peak_bytes = 0, bytes = 0;  // of what models computed there
  std::int64_t largest = 0;                // block of it
  std::vector<std::int64_t> peaks;         // the same by stack
  std::set<std::uint32_t> callees;
};

// What is kept was made in few places, many times; what the last call of the model works with, in each.
std::int64_t kept_of(const std::vector<std::int64_t>& peaks) {
  const std::int64_t most = peaks.empty() ? 0 : *std::max_element(peaks.begin(), peaks.end());
  std::int64_t out = 0;
  for (const std::int64_t bytes : peaks) {
    if (real(bytes) >= kOfKeptMost * real(most)) out = model::saturated_sum(out, bytes);
  }
  return out;
}

std::map<std::uint32_t, OfLine> by_line(const Evidence& evidence) {
  const fold::CallTree& lines = evidence.lines();
  const auto& nodes = lines.nodes();
  // What layers compute, without their weights, which may be made below the same line at first.
  const std::vector<bool> model = all_below(lines, calls_module), making = all_below(lines, makes_module);
  std::vector<std::uint32_t> above(nodes.size());  // the nearest node of Python code of the user's own, itself included
  std::map<std::uint32_t, OfLine> out;
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    const std::uint32_t outer = above[nodes[node].parent];
    const bool own =
        lines.function(node).language == symbols::Language::Python && evidence.own().function(lines.function_id(node));
    above[node] = own ? node : outer;
    if (own && outer != 0) out[nodes[outer].location].callees.insert(lines.function_id(node));
    const model::MemoryMetric& heap = lines.self().heap[node];
    if (heap.bytes <= 0 || !model[node] || making[node]) continue;
    std::set<std::uint32_t> once;
    for (std::uint32_t at = above[node]; at != 0; at = above[nodes[at].parent]) {
      if (!once.insert(nodes[at].location).second) continue;
      OfLine& line = out[nodes[at].location];
      line.peaks.push_back(heap.peak_bytes);
      line.bytes = model::saturated_sum(line.bytes, heap.bytes);
      line.largest = std::max(line.largest, heap.largest);
    }
  }
  for (auto& [location, line] : out) line.peak_bytes = kept_of(line.peaks);
  return out;
}

bool copies(std::string_view code) { return contains(code, ".clone()") || contains(code, ".copy()"); }

// "rows" of "self.rows.append(": the name of what is appended to, and whether the file makes it a list.
bool is_list(const Lines& lines, std::string_view code) {
  const std::size_t end = code.find(kAppend);
  std::size_t begin = end;
  while (begin > 0 && is_name(code[begin - 1])) --begin;
  const std::string_view name = code.substr(begin, end - begin);
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    const std::string_view made = code_of(line, "#");
    const std::size_t at = find_word(made, name);
    return at != std::string_view::npos && (contains(made.substr(at), "[]") || contains(made.substr(at), "list()"));
  });
}

// What a method gets of its caller, and the line of its body, from 1, that puts it into a list.
struct Given {
  std::string_view value;
  std::size_t line = 0;
};

// "states[..., -1]" of "index.add(ids, states[..., -1])", where the file has one method add(), which appends that.
Given given_to_method(const Lines& lines, std::string_view code) {
  for (std::size_t open = code.find('('); open != std::string_view::npos; open = code.find('(', open + 1)) {
    const std::string_view method = name_before(code, open);
    const std::string_view inside = trimmed(code.substr(open + 1));
    const std::size_t begin = open - method.size();
    if (method.empty() || begin == 0 || code[begin - 1] != '.' || !inside.ends_with(')')) continue;
    const std::vector<std::string_view> values = listed(inside.substr(0, inside.size() - 1));
    const std::string head = "def " + std::string(method) + "(self, ";
    const auto defines = [&](const std::string& line) { return trimmed(code_of(line, "#")).starts_with(head); };
    const auto def = std::find_if(lines.begin(), lines.end(), defines);
    if (def == lines.end() || std::find_if(def + 1, lines.end(), defines) != lines.end()) continue;
    const std::string_view text = trimmed(code_of(*def, "#")).substr(head.size());
    const std::vector<std::string_view> names = listed(text.substr(0, text.rfind(')')));
    for (std::size_t k = 0; k < std::min(names.size(), values.size()); ++k) {
      if (!is_part(values[k])) continue;
      const std::string_view name = names[k].substr(0, names[k].find_first_of(":= "));
      const std::string given_anew = std::string(name) + " = ";
      std::size_t keeps = 0;
      lines_below(lines, static_cast<std::size_t>(def - lines.begin()) + 1, [&](std::string_view body, std::size_t at) {
        if (appended(body) == name && is_list(lines, body)) keeps = at;
        return keeps == 0 && !body.starts_with(given_anew);
      });
      if (keeps != 0) return {values[k], keeps};
    }
  }
  return {};
}

// The line soon after line `number` that keeps a part of what that one gives a name: "hidden = model(x)",
// "rows.append(hidden[:, 0])". 0: none.
std::size_t kept_soon_after(const Lines& lines, std::size_t number) {
  constexpr std::size_t kSoon = 8;
  const std::string_view code = code_of(lines[number - 1], "#");
  const std::size_t equals = code.find(" = "), indent = indent_of(code);
  if (equals == std::string_view::npos || contains(code.substr(indent, equals - indent), " ")) return 0;
  const std::string part = std::string(code.substr(indent, equals - indent)) + "[";
  for (std::size_t at = number + 1; at <= std::min(lines.size(), number + kSoon); ++at) {
    const std::string_view its = code_of(lines[at - 1], "#"), put = appended(its);
    const std::string_view kept = put.empty() ? given_to_method(lines, its).value : put;
    if (kept.starts_with(part) && is_part(kept) && !copies(kept)) return at;
  }
  return 0;
}

// The line that puts views of what was made at a place into a list.
std::optional<Place> keeping_line(const Evidence& evidence, symbols::SourceFiles& files, std::uint32_t location,
                                  const OfLine& of) {
  Place place = place_of(evidence.symbols(), location);
  const symbols::SourceFile& file = files.file(place.file);
  const auto number = static_cast<std::size_t>(place.line);
  if (!file.readable || place.line <= 0 || number > file.lines.size()) return std::nullopt;
  const std::string_view kept = appended(code_of(file.lines[number - 1], "#"));
  if (kept.empty()) {
    const std::size_t after = kept_soon_after(file.lines, number);
    place.line = static_cast<std::int64_t>(after);
    return after != 0 ? std::optional(place) : std::nullopt;
  }
  const bool given_back = std::any_of(of.callees.begin(), of.callees.end(), [&](std::uint32_t id) {
    const symbols::Function& function = evidence.symbols().function(id);
    const std::string called = std::string(last_part(function.name)) + "(";
    return contains(kept, called) && returns_part(files, function);
  });
  return !copies(kept) && (is_part(kept) || given_back) ? std::optional(place) : std::nullopt;
}

const char* cannot(const Evidence& evidence) {
  if (const char* why = no_python_frames(evidence)) return why;
  return evidence.lines().live_known() ? nullptr : "what lived at the peak is not known of single threads";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::int64_t all = evidence.lines().total().heap.peak_bytes;
  symbols::SourceFiles& files = evidence.sources();
  std::optional<Place> most;
  std::int64_t its_bytes = 0, its_largest = 0;
  for (const auto& [location, of] : by_line(evidence)) {
    const bool large = of.peak_bytes >= kKeptGraphs && real(of.peak_bytes) >= kKeptOfPeak * real(all);
    if (!large || of.peak_bytes <= its_bytes) continue;
    auto place = keeping_line(evidence, files, location, of);
    if (!place) continue;
    const Lines& source = files.file(place->file).lines;
    const auto number = static_cast<std::size_t>(place->line);
    // With gradients it is the graph that is kept, as long as it is wanted.
    const bool graph = real(of.peak_bytes) >= kKeptOfAllocated * real(of.bytes);
    const std::string_view code = code_of(source[number - 1], "#");
    const bool keeps = contains(code, kAppend) ? is_list(source, code) : given_to_method(source, code).line != 0;
    if (!keeps || (graph && !without_gradients(source, number))) continue;
    most = std::move(place);
    its_bytes = of.peak_bytes;
    its_largest = of.largest;
  }
  if (!most) return {};
  Finding finding;
  finding.rule = kKeptViewsRule.name;
  finding.title = "Small parts of large tensors or arrays are kept, and keep the whole of each";
  finding.seen = fmt::format(
      "What is put into a list here is a view of what was made for it, of which {} lived when memory was fullest.",
      show::bytes(real(its_bytes)));
  finding.advice =
      "Keep a copy of the part alone (.clone() of a tensor, .copy() of an array): then the rest is freed at once.";
  finding.places = {*most};
  // Two of them live in any case: one has its name still while the next is made.
  finding.saves_bytes = std::max(its_bytes / 2, its_bytes - 2 * its_largest);
  finding.when = at_heap_peak(evidence);
  return {finding};
}

}  // namespace
}  // namespace kept_views

const Rule kKeptViewsRule{"kept-views", "views that keep large tensors", kept_views::cannot, kept_views::look};

}  // namespace prof::findings
