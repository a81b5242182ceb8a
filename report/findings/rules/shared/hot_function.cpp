#include "report/findings/rules/shared/hot_function.hpp"

#include <string_view>
#include <vector>

#include "report/findings/rules/shared/object_locks.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"

namespace prof::findings {
namespace hot_function {
namespace {

constexpr std::uint32_t kFewLines = 5;  // the head of the function included

std::uint32_t own_line(const Evidence& evidence, std::uint32_t node) {
  const auto& nodes = evidence.lines().nodes();
  for (std::uint32_t at = node; at != 0; at = nodes[at].parent) {
    const symbols::Function& function = evidence.lines().function(at);
    if (function.language == symbols::Language::Python) {
      return evidence.own().function(evidence.lines().function_id(at)) ? at : 0;
    }
    if (!function.interpreter || waits_for_object(function)) return 0;
  }
  return 0;
}

}  // namespace
}  // namespace hot_function

bool InterpretedFunctions::small(std::uint32_t function) {
  const auto [found, is_new] = small_.try_emplace(function, false);
  if (!is_new) return found->second;
  const symbols::Function& its = evidence_.symbols().function(function);
  if (its.name.ends_with('>') && !its.name.ends_with("<module>")) return found->second = true;  // a comprehension
  const symbols::SourceFile& file = files_.file(its.file);
  if (!file.readable || its.line == 0 || its.line > file.lines.size()) return false;
  const std::uint32_t last = symbols::last_line_of_function(file.lines, its.line, its.line);
  return found->second = last - its.line < hot_function::kFewLines;
}

std::uint32_t InterpretedFunctions::line_of(std::uint32_t node) {
  std::uint32_t line = hot_function::own_line(evidence_, node);
  while (with_small_ && line != 0 && small(evidence_.lines().function_id(line))) {
    const std::uint32_t caller = hot_function::own_line(evidence_, evidence_.lines().nodes()[line].parent);
    if (caller == 0) break;
    line = caller;
  }
  return line;
}

std::uint32_t InterpretedFunctions::hottest() {
  const auto& cpu = evidence_.lines().self().cpu;
  std::vector<std::int64_t> own(evidence_.symbols().function_count()), all(own.size());
  for (const std::uint32_t node : evidence_.timed()) {
    const std::uint32_t line = line_of(node);
    if (line == 0) continue;
    const std::uint32_t function = evidence_.lines().function_id(line);
    const std::int64_t ns = cpu[node].ns;
    all[function] = model::saturated_sum(all[function], ns);
    if (evidence_.lines().function(node).language == symbols::Language::Python)
      own[function] = model::saturated_sum(own[function], ns);
  }
  std::uint32_t out = kNone;
  for (std::uint32_t i = 0; i < own.size(); ++i) {
    if (all[i] <= 0 || static_cast<double>(own[i]) < kOfBytecode * static_cast<double>(all[i])) continue;
    if (out == kNone || all[i] > all[out]) out = i;
  }
  return out;
}

}  // namespace prof::findings
