// Most of each step computes what no gradient goes through, epoch after epoch.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "report/findings/model_call.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace frozen_forward {
namespace {

// Each pass over a DataLoader asks it once more than it has batches.
constexpr std::string_view kNextBatch = "enumerate(DataLoader)#";
constexpr fold::FunctionAt kLoader[] = {{"/torch/utils/data/dataloader.py", "__next__"}};

// What makes each pass another one: input that is augmented anew, samples that are drawn from what is learned.
constexpr std::string_view kRandom[] = {"aten::bernoulli", "aten::bernoulli_",  "aten::multinomial", "aten::normal_",
                                        "aten::rand",      "aten::rand_like",   "aten::randn",       "aten::randn_like",
                                        "aten::uniform_",  "aten::exponential_"};

// Lines of the program that take batches out of a DataLoader.
std::size_t loading_lines(const Evidence& evidence) {
  std::set<std::uint32_t> out;  // locations
  const fold::CallTree& lines = evidence.lines();
  for (std::uint32_t node = 1; node < lines.nodes().size(); ++node) {
    if (fold::is_any(lines.function(node), kLoader)) out.insert(evidence.own_location(node));
  }
  return out.size();
}

// How often the data was gone through; 1 where that is not known for sure: batches of another loop count with them.
std::int64_t epochs(const Evidence& evidence) {
  const std::int64_t steps = evidence.step_count();
  std::int64_t asked = 0;
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    if (row.name.starts_with(kNextBatch)) asked = model::saturated_sum(asked, row.calls);
  }
  const std::int64_t passes = asked - steps;
  const bool whole = passes > 1 && passes <= steps / 2 && steps % passes == 0;
  return whole && loading_lines(evidence) == 1 ? passes : 1;
}

bool draws(const Evidence& evidence) {
  const std::int64_t steps = evidence.step_count();
  return std::any_of(evidence.operators().rows.begin(), evidence.operators().rows.end(), [&](const auto& row) {
    return row.calls >= steps && std::find(std::begin(kRandom), std::end(kRandom), row.name) != std::end(kRandom);
  });
}

const char* cannot(const Evidence& evidence) { return evidence.has_steps() ? nullptr : "the run has no steps"; }

std::vector<Finding> look(const Evidence& evidence) {
  const fold::StepTable& steps = evidence.steps().front();
  const double forward = steps.part(log::StepPart::Forward), backward = steps.part(log::StepPart::Backward);
  if (forward < kFrozenForward || backward <= 0 || backward > kHardlyAnyBackward * forward) return {};
  // In the first epoch it has to be computed.
  const std::int64_t passes = epochs(evidence);
  if (passes < 2 || draws(evidence)) return {};
  TimeByPlace callers(evidence);
  for (const std::uint32_t node : evidence.timed()) {
    if (!in_pytorch(evidence, node)) continue;
    if (const auto place = model_call(evidence, node)) callers.add(*place, evidence.lines().self().cpu[node].ns);
  }
  Finding finding;
  finding.rule = kFrozenForwardRule.name;
  finding.title = "Steps are nearly all forward pass, epoch after epoch";
  finding.seen = fmt::format(
      "The forward pass takes {} % of the steps' time, the backward pass {} %. The data was gone through {} times.",
      show::percent(forward, 1), show::percent(backward, 1), show::grouped(passes));
  finding.advice =
      "Where a part of the model is frozen and its input the same in each epoch: compute it once for each sample, keep "
      "the results (a TensorDataset, a file) and train the rest on them.";
  finding.places = callers.top();
  could_save(finding, evidence, evidence.basis_share(forward * (1 - 1 / static_cast<double>(passes))));
  return {finding};
}

}  // namespace
}  // namespace frozen_forward

const Rule kFrozenForwardRule{"frozen-forward", "forward passes that nothing learns from", frozen_forward::cannot,
                              frozen_forward::look};

}  // namespace prof::findings
