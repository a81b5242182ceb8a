// A model that is evaluated within each step of its training.
#include <fmt/format.h>

#include <algorithm>

#include "report/findings/evaluation.hpp"
#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_loops.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace evaluation_in_steps {
namespace {

const char* cannot(const Evidence& evidence) { return evidence.has_steps() ? nullptr : "the run has no steps"; }

// CPU time of the steps that their training leaves: evaluation before, after and between loops is in no step.
std::int64_t beside_training_ns(const Evidence& evidence, const fold::StepTable& steps, const ThreadOf& thread) {
  if (steps.steady <= 0) return 0;
  const std::int64_t all = whole_number(real(steps.steady_cpu_ns) * real(steps.count) / real(steps.steady));
  std::int64_t training = 0;
  below_lines(
      evidence, thread, trains, [&](std::uint32_t, std::int64_t ns) { training = model::saturated_sum(training, ns); },
      evaluates);
  return std::max<std::int64_t>(0, model::saturated_difference(all, training));
}

// Whether a line above the node computes what a backward pass is made of: teachers, frozen parts of a model, what an
// agent has done.
bool is_for_training(const Evidence& evidence, symbols::SourceFiles& files, std::uint32_t node) {
  const fold::CallTree& tree = evidence.lines();
  for (std::uint32_t at = node; at != 0; at = tree.nodes()[at].parent) {
    if (!evidence.own().function(tree.function_id(at))) continue;
    const Place place = place_of(evidence.symbols(), tree.nodes()[at].location);
    if (place.line > 0 && is_before_backward(files.file(place.file).lines, static_cast<std::size_t>(place.line)))
      return true;
  }
  return false;
}

std::vector<Finding> look(const Evidence& evidence) {
  const fold::StepTable& steps = evidence.steps().front();
  const model::Thread* thread = program_thread(evidence, steps.process);
  if (thread == nullptr || steps.count < kManySteps) return {};
  std::int64_t ns = 0;
  TimeByPlace callers(evidence);
  const fold::CallTree& lines = evidence.lines();
  symbols::SourceFiles& files = evidence.sources();
  below_lines(evidence, {steps.process, thread->slot}, evaluates, [&](std::uint32_t node, std::int64_t cpu_ns) {
    if (done_once(evidence, files, lines.nodes()[node].parent) || is_for_training(evidence, files, node)) return;
    ns = model::saturated_sum(ns, cpu_ns);
    const std::uint32_t caller = lines.nodes()[node].parent;
    callers.add(evidence.own_place(caller) ? caller : node, cpu_ns);
  });
  ns = std::min(ns, beside_training_ns(evidence, steps, {steps.process, thread->slot}));
  const double share = evidence.share(ns);
  if (ns < kLeastActivityNs || share < kEvaluationInSteps) return {};
  // What is done now and then makes some steps much longer than the others, and is told of these.
  std::int64_t surplus = 0;
  for (const fold::Outlier& outlier : steps.outliers) surplus = model::saturated_sum(surplus, outlier.surplus_ns);
  if (real(surplus) > kNowAndThen * real(ns)) return {};
  Finding finding;
  finding.rule = kEvaluationInStepsRule.name;
  finding.title = "The model is evaluated in the middle of its training steps";
  finding.seen = fmt::format(
      "Evaluation took {}, {} % of the steps' time, in steps that are alike: it is done for each of {}, or for nearly "
      "each.",
      show::duration(real(ns)), show::percent(share, 1), show::counted(steps.count, "step", "steps"));
  finding.advice =
      "Evaluate once an epoch or every some hundred steps, on a part of the data if that is enough; a running mean of "
      "the training loss costs nothing.";
  finding.places = callers.top();
  could_save(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace evaluation_in_steps

const Rule kEvaluationInStepsRule{"evaluation-in-steps", "evaluation in each training step",
                                  evaluation_in_steps::cannot, evaluation_in_steps::look};

}  // namespace prof::findings
