// A model that writes a sequence computes all of it anew for each piece that it adds.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "report/findings/growing_blocks.hpp"
#include "report/findings/model_call.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace recomputed_prefix {
namespace {

// Operators whose results have a row for each position that a layer is given. What attention multiplies (bmm) grows
// with a cache, too.
constexpr symbols::Language kOperator = symbols::Language::Operator;
constexpr fold::FunctionAt kByPosition[] = {{"", "aten::linear", kOperator},
                                            {"", "aten::addmm", kOperator},
                                            {"", "aten::native_layer_norm", kOperator},
                                            {"", "aten::_transformer_encoder_layer_fwd", kOperator}};
constexpr fold::FunctionAt kModules[] = {{"/torch/nn/modules/module.py", ""}};

// How often the operators of one of these names were called.
std::int64_t calls_of(const Evidence& evidence, std::initializer_list<std::string_view> names) {
  std::int64_t calls = 0;
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    if (std::find(names.begin(), names.end(), row.name) != names.end()) calls = model::saturated_sum(calls, row.calls);
  }
  return calls;
}

// Whether pieces are chosen and put behind the others, again and again.
bool writes_sequences(const Evidence& evidence) {
  return calls_of(evidence, {"aten::cat"}) >= kManyGrown &&
         calls_of(evidence, {"aten::multinomial", "aten::argmax", "aten::topk", "aten::max"}) >= kManyGrown;
}

std::size_t words_of(std::string_view code, std::string_view name) {
  std::size_t count = 0;
  for (std::size_t at = find_word(code, name); at != std::string_view::npos; at = find_word(code, name, at + 1))
    ++count;
  return count;
}

// The name that a line puts something behind: `ids = cat([ids, next])`, `tokens.append(next)`; empty: it puts nothing.
std::string_view grown_name(std::string_view code) {
  constexpr std::string_view kJoins[] = {"cat(", "concat", "stack(", "pad("};
  const auto begin_of_name = [&](std::size_t end) {
    while (end > 0 && is_name(code[end - 1])) --end;
    return end;
  };
  if (const std::size_t at = code.find(".append("); at != std::string_view::npos)
    return code.substr(begin_of_name(at), at - begin_of_name(at));
  const bool joins = std::any_of(std::begin(kJoins), std::end(kJoins),
                                 [&](std::string_view call) { return code.find(call) != std::string_view::npos; });
  const std::size_t equals = code.find('=');
  if (!joins || equals == std::string_view::npos) return {};
  std::size_t end = equals;
  while (end > 0 && code[end - 1] == ' ') --end;
  const std::string_view name = code.substr(begin_of_name(end), end - begin_of_name(end));
  return find_word(code.substr(equals), name) != std::string_view::npos ? name : std::string_view();
}

// Whether the line `call` of a function takes what its line `grows` puts something behind, by that name or by one that
// is made of it: results are put behind each other, too.
bool takes(const Lines& lines, std::uint32_t first, std::uint32_t last, std::uint32_t grows, std::uint32_t call) {
  const std::string_view code = code_of(lines[grows - 1], "#"), taking = code_of(lines[call - 1], "#");
  const std::string_view name = grown_name(code);
  const std::size_t own = call != grows ? 0 : code.find(".append(") != std::string_view::npos ? 1 : 2;
  if (words_of(taking, name) > own) return true;
  for (std::uint32_t line = first; line <= last; ++line) {
    const std::string_view made = code_of(lines[line - 1], "#");
    const std::size_t equals = made.find(" = ");
    if (line == call || equals == std::string_view::npos) continue;
    const std::string_view made_name = made.substr(indent_of(made), equals - indent_of(made));
    if (made_name != name && words_of(made.substr(equals), name) > 0 && words_of(taking, made_name) > 0) return true;
  }
  return false;
}

// Whether a function of the program, at its line `call`, takes what it puts pieces behind, by its source; `unread`
// where that is not at hand.
bool puts_behind(symbols::SourceFiles& files, const symbols::Function& function, std::int64_t call, bool unread) {
  const symbols::SourceFile& file = files.file(function.file);
  const auto lines = static_cast<std::int64_t>(file.lines.size());
  if (!file.readable || function.line == 0 || call <= 0 || call > lines || function.line > lines) return unread;
  const std::uint32_t last = std::min(symbols::last_line_of_function(file.lines, function.line, function.line),
                                      static_cast<std::uint32_t>(lines));
  for (std::uint32_t line = function.line; line <= last; ++line) {
    if (grown_name(code_of(file.lines[line - 1], "#")).empty()) continue;
    if (takes(file.lines, function.line, last, line, static_cast<std::uint32_t>(call))) return true;
  }
  return false;
}

// Whether the function that calls the model, or the one that calls that, does: as a loop that writes has to.
bool writes(const Evidence& evidence, symbols::SourceFiles& files, std::uint32_t node, const Place& call, bool unread) {
  std::uint32_t seen = 0, last = UINT32_MAX;
  bool inside = false;
  for (; node != 0 && seen < 2; node = evidence.lines().nodes()[node].parent) {
    const std::uint32_t id = evidence.lines().function_id(node);
    if (!evidence.own().function(id) || id == last) continue;
    const Place at = place_of(evidence.symbols(), evidence.lines().nodes()[node].location);
    inside |= at == call;
    if (!inside) continue;
    last = id;
    ++seen;
    if (puts_behind(files, evidence.symbols().function(id), at.line, unread)) return true;
  }
  return false;
}

const char* cannot(const Evidence& evidence) {
  if (const char* why = no_python_frames(evidence)) return why;
  return evidence.operators().rows.empty() ? "no operators of PyTorch were seen" : nullptr;
}

// With a cache, layers are given the new positions alone.
std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> thread = program_thread(evidence);
  if (!thread || !writes_sequences(evidence)) return {};
  const fold::CallTree& lines = evidence.lines();
  const auto below_any = [&](std::span<const fold::FunctionAt> functions) {
    return all_below(lines, [&](const symbols::Function& function) { return fold::is_any(function, functions); });
  };
  const std::vector<bool> by_position = below_any(kByPosition), in_modules = below_any(kModules);
  symbols::SourceFiles& files = evidence.sources();
  std::vector<Place> calls;
  const auto is_one = [&](const std::optional<Place>& place) {
    return place && std::find(calls.begin(), calls.end(), *place) != calls.end();
  };
  for (std::uint32_t node = 1; node < lines.nodes().size(); ++node) {
    if (!by_position[node]) continue;
    const model::MemoryMetric &heap = lines.self().heap[node], &tensors = lines.self().gpu[node].tensors;
    const bool once = grow_evenly(heap) || grow_evenly(tensors);
    // Several sequences, one after the other, which the source alone tells from inputs of all lengths.
    if (!once && !grow_in_rounds(heap) && !grow_in_rounds(tensors)) continue;
    const std::optional<Place> place = model_call(evidence, node);
    if (place && !is_one(place) && writes(evidence, files, node, *place, once)) calls.push_back(*place);
  }
  if (calls.empty()) return {};
  std::int64_t ns = 0;
  TimeByPlace places(evidence);
  const double waits_with = queue_factor(evidence, *thread);
  for (const LineTime& time : line_times(evidence, *thread)) {
    if (!in_modules[time.node]) continue;
    const std::optional<Place> place = model_call(evidence, time.node);
    if (!is_one(place)) continue;
    const auto here = model::saturated_sum(whole_number(waits_with * real(time.cpu_ns)), time.blocked_ns);
    ns = model::saturated_sum(ns, here);
    places.add(*place, here);
  }
  const double share = share_of_life(evidence, *thread, ns);
  if (share < kActivity || ns < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kRecomputedPrefixRule.name;
  finding.title = "A model computes its whole input anew for each piece that it adds";
  finding.seen =
      fmt::format("What its layers returned grew from call to call. {} ({} % of the run's time) went by in it.",
                  show::duration(real(ns)), show::percent(share, 1));
  finding.advice =
      "Keep the keys and values of earlier positions, and give the model the new ones alone (use_cache=True and "
      "past_key_values of transformers; the state that a recurrent layer returns; of your own layers, what they "
      "computed "
      "for each position).";
  finding.places = places.top();
  could_save_of_run(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace recomputed_prefix

const Rule kRecomputedPrefixRule{"recomputed-prefix", "sequences computed anew for each piece",
                                 recomputed_prefix::cannot, recomputed_prefix::look};

}  // namespace prof::findings
