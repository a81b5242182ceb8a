// Most gradients are of parameters that no optimizer holds: the model is fitted in part, and not frozen for the rest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace unused_gradients {
namespace {

constexpr std::string_view kFunction = "autograd::engine::evaluate_function: ";
constexpr std::string_view kGradient = "torch::autograd::AccumulateGrad";
constexpr std::string_view kOptimizer = "Optimizer.step#";
// What Adam and its kin do once for each parameter that they change; others do nothing that is theirs alone, or all at
// once.
constexpr std::string_view kUpdate = "aten::addcdiv_";
// "p -= rate * p.grad": what a program changes by hand.
constexpr std::string_view kByHand = "aten::sub_";
constexpr fold::FunctionAt kBackward[] = {{"/torch/_tensor.py", "backward"},
                                          {"/torch/autograd/__init__.py", "backward"}};

bool goes_back(const symbols::Function& function) { return fold::is_any(function, kBackward); }

// Whether own code names gradients: what is subtracted elsewhere changes no parameter.
bool names_gradients(const Evidence& evidence) {
  symbols::SourceFiles& files = evidence.sources();
  std::set<std::string> seen;
  for (const std::uint32_t node : evidence.timed()) {
    const symbols::Function& function = evidence.lines().function(node);
    if (function.language != symbols::Language::Python) continue;
    if (!evidence.own().function(evidence.lines().function_id(node)) || !seen.insert(function.file).second) continue;
    const std::vector<std::string>& lines = files.file(function.file).lines;
    if (lines.empty()) return true;  // nobody knows
    for (const std::string& line : lines) {
      const std::string_view code = code_of(line, "#");
      for (std::size_t at = find_word(code, "grad"); at != std::string_view::npos;
           at = find_word(code, "grad", at + 1)) {
        if (at > 0 && code[at - 1] == '.') return true;
      }
    }
  }
  return false;
}

struct Counts {
  std::int64_t optimizers = 0, steps = 0, updates = 0, by_hand = 0, gradients = 0, passes = 0;
  double gradients_of_pass() const { return passes > 0 ? real(gradients) / real(passes) : 0; }
  double updates_of_step() const { return steps > 0 ? real(updates) / real(steps) : 0; }
  double changes_of_step() const { return steps > 0 ? (real(updates) + real(by_hand)) / real(steps) : 0; }
};

Counts counts_of(const Evidence& evidence) {
  Counts out;
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    if (row.name.starts_with(kOptimizer)) {
      ++out.optimizers;
      out.steps = model::saturated_sum(out.steps, row.calls);
    }
    if (row.name == kUpdate) out.updates = row.calls;
    if (row.name == kByHand) out.by_hand = row.calls;
    if (row.name == kGradient) out.gradients = row.calls;
  }
  // Each pass ends at its loss: what is called least often of what is called in all of them.
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    const bool of_each =
        row.name.starts_with(kFunction) && row.name.find("Backward") != std::string::npos && row.calls >= out.steps;
    if (of_each && (out.passes == 0 || row.calls < out.passes)) out.passes = row.calls;
  }
  return out;
}

const char* cannot(const Evidence& evidence) {
  if (!evidence.has_steps()) return "the run has no steps";
  return evidence.operators().rows.empty() ? "no operators of PyTorch were seen" : nullptr;
}

std::vector<Finding> look(const Evidence& evidence) {
  const double backward = evidence.steps().front().part(log::StepPart::Backward);
  const Counts counts = counts_of(evidence);
  // Optimizers that take turns each change some of them.
  if (backward < kActivity || counts.optimizers != 1 || counts.steps < kManySteps || counts.updates <= 0) return {};
  const double changed = names_gradients(evidence) ? counts.changes_of_step() : counts.updates_of_step();
  if (counts.gradients_of_pass() < kUnusedGradients * changed) return {};
  TimeByPlace callers(evidence);
  for (const std::uint32_t node : evidence.timed()) {
    const std::int64_t ns = evidence.lines().self().cpu[node].ns;
    if (ns > 0 && below(evidence.lines(), node, goes_back)) callers.add(node, ns);
  }
  Finding finding;
  finding.rule = kUnusedGradientsRule.name;
  finding.title = "Gradients are computed that no optimizer uses";
  finding.seen = fmt::format(
      "Each backward pass computes gradients of {:.0f} parameters, and the optimizer changes {:.0f}. The backward pass "
      "takes {} % of the steps' time.",
      counts.gradients_of_pass(), counts.updates_of_step(), show::percent(backward, 1));
  finding.advice =
      "Freeze what is not trained: module.requires_grad_(False), or compute its part of the forward pass under "
      "torch.no_grad(). Then the backward pass ends where the trained part begins.";
  finding.places = callers.top();
  could_save(finding, evidence, evidence.basis_share(backward));
  return {finding};
}

}  // namespace
}  // namespace unused_gradients

const Rule kUnusedGradientsRule{"unused-gradients", "gradients that no optimizer uses", unused_gradients::cannot,
                                unused_gradients::look};

}  // namespace prof::findings
