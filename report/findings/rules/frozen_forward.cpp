// Most of each step computes what no gradient goes through, epoch after epoch.
#include <fmt/format.h>

#include <string_view>

#include "report/findings/model_call.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

// Each pass over a DataLoader asks it once more than it has batches.
constexpr std::string_view kNextBatch = "enumerate(DataLoader)#";

std::int64_t epochs(const Evidence& evidence) {
  std::int64_t asked = 0;
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    if (row.name.starts_with(kNextBatch)) asked = model::saturated_sum(asked, row.calls);
  }
  return asked - evidence.step_count();
}

const char* cannot(const Evidence& evidence) { return evidence.has_steps() ? nullptr : "the run has no steps"; }

std::vector<Finding> look(const Evidence& evidence) {
  const fold::StepTable& steps = evidence.steps().front();
  const double forward = steps.part(log::StepPart::Forward), backward = steps.part(log::StepPart::Backward);
  if (forward < kFrozenForward || backward <= 0 || backward > kHardlyAnyBackward * forward) return {};
  // In the first epoch it has to be computed; more epochs than that, and it was no such loop that was counted.
  const std::int64_t passes = epochs(evidence);
  if (passes < 2 || passes > evidence.step_count() / 2) return {};
  TimeByPlace callers(evidence);
  for (const std::uint32_t node : evidence.timed()) {
    if (!in_pytorch(evidence, node)) continue;
    if (const auto place = model_call(evidence, node)) callers.add(*place, evidence.lines().nodes()[node].self.cpu.ns);
  }
  Finding finding;
  finding.rule = kFrozenForwardRule.name;
  finding.title = "What is not trained is computed again in each epoch";
  finding.seen = fmt::format(
      "The forward pass takes {} % of the steps' time, the backward pass {} %: hardly anything of the model learns. "
      "The data was gone through {} times.",
      show::percent(forward, 1), show::percent(backward, 1), show::grouped(passes));
  finding.advice =
      "Compute the frozen part once for each sample, keep its results (a TensorDataset, a file) and train the rest on "
      "them, unless its input is augmented anew each time.";
  finding.places = callers.top();
  could_save(finding, evidence, forward * (1 - 1 / static_cast<double>(passes)));
  return {finding};
}

}  // namespace

const Rule kFrozenForwardRule{"frozen-forward", "forward passes that nothing learns from", cannot, look};

}  // namespace prof::findings
