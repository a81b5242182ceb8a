// PyTorch looks for anomalies: it keeps a stack for each operator, and looks for nan behind each one's gradient.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "report/findings/below_own.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace anomaly {
namespace {

bool of_torch(const symbols::Function& function) {
  return function.language == symbols::Language::Operator ||
         (function.language == symbols::Language::Native && function.module.find("/libtorch") != std::string::npos);
}

bool formats_stack(const symbols::Function& function) {
  static constexpr fold::FunctionAt kStacks[] = {{"/traceback.py", ""}, {"/linecache.py", ""}};
  return fold::is_any(function, kStacks);
}

// As operators, and as the functions that dispatch them.
bool looks_for_nan(const symbols::Function& function) {
  constexpr std::array<std::string_view, 6> kChecks = {"aten::isnan",       "aten::any",       "aten::ne",
                                                       "at::_ops::isnan::", "at::_ops::any::", "at::_ops::ne_Tensor::"};
  return std::any_of(kChecks.begin(), kChecks.end(),
                     [&](std::string_view check) { return function.name.starts_with(check); });
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::vector<bool> stacks = below_own(evidence, of_torch, formats_stack);
  const CpuAt formatting = cpu_at(evidence, [&](std::uint32_t node) { return stacks[node]; });
  if (formatting.share() < kWorthALine || formatting.places.empty()) return {};
  const std::vector<bool> checks = below_own(evidence, looks_for_nan);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return stacks[node] || checks[node]; });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kAnomalyRule.name;
  finding.title = "PyTorch's anomaly detection is on";
  finding.seen = fmt::format("{}: {} in stacks of operators that were kept as text, {} in looking for nan.",
                             cpu_words(evidence, cpu), show::duration(static_cast<double>(formatting.ns)),
                             show::duration(static_cast<double>(cpu.ns - formatting.ns)));
  finding.advice =
      "torch.autograd.set_detect_anomaly(True) and detect_anomaly() are for finding a fault: turn them off again, or "
      "on "
      "for the step alone that fails.";
  finding.places = formatting.places;
  could_save_of_steps(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace anomaly

const Rule kAnomalyRule{"anomaly-detection", "PyTorch's anomaly detection", no_python_frames, anomaly::look};

}  // namespace prof::findings
