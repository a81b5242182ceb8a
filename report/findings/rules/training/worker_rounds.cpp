#include "report/findings/rules/training/worker_rounds.hpp"

#include <algorithm>
#include <utility>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"

namespace prof::findings {
namespace {

struct UsualSteps {
  std::int64_t waits_ns = 0;  // for data
  double median_ns = 0;       // of a step
};

// The steps of that process, all but the first ones of so many rounds, which waited longest.
UsualSteps usual_steps(const Evidence& evidence, std::size_t process, std::int64_t rounds) {
  for (const fold::StepTable& table : evidence.steps()) {
    if (table.process != process || table.steps == nullptr || table.steps->records.empty()) continue;
    std::vector<std::pair<std::int64_t, std::int64_t>> waits;  // of a step on average, and steps
    for (const model::Step& step : table.steps->records) {
      if (step.count > 0) waits.emplace_back(step.figures.of(log::StepPart::Data) / step.count, step.count);
    }
    std::sort(waits.begin(), waits.end());
    std::int64_t left = std::max<std::int64_t>(0, table.count - rounds), sum = 0;
    for (const auto& [ns, count] : waits) {
      const std::int64_t of_it = std::min(left, count);
      sum = model::saturated_sum(sum, whole_number(real(ns) * real(of_it)));
      left -= of_it;
    }
    return {sum, table.median_ns};
  }
  return {};
}

bool starts_workers(const symbols::Function& function) {
  static constexpr fold::FunctionAt kStarts[] = {{"/torch/utils/data/dataloader.py", "__init__"}};
  return fold::is_any(function, kStarts);
}

}  // namespace

std::optional<WorkerRounds> worker_rounds(const Evidence& evidence, const fold::Loader& loader) {
  using Cause = fold::Loader::Cause;
  if (loader.kind != fold::Loader::Kind::Torch || loader.workers_at_once == 0) return std::nullopt;
  WorkerRounds out;
  out.had_time = loader.cause == Cause::Unclear || loader.cause == Cause::FastEnough;
  out.workers = static_cast<std::int64_t>(loader.workers.size());
  out.rounds = out.workers / static_cast<std::int64_t>(loader.workers_at_once);
  if (out.rounds < kManyRounds) return std::nullopt;
  const UsualSteps usual = usual_steps(evidence, loader.process, out.rounds);
  out.starting_ns = loader.starting_ns;
  out.usual_ns = usual.waits_ns;
  // With nobody who records them, the workers are there sooner. While one begins, the loop makes the next.
  const double at_once =
      std::clamp(loader.cpus.value_or(1), 1.0, real(static_cast<std::int64_t>(loader.workers_at_once)));
  const auto recording = whole_number(real(profiling_children_ns(evidence, loader.process)) / at_once);
  const double all = std::max(0.0, real(loader.starting_ns) + real(loader.wait.ns()) - real(recording));
  out.error_ns = profiling_error_ns(recording);
  double lost = all - real(usual.waits_ns);
  if (!out.had_time) {
    // The first batch of a pass is waited for by whoever loads as slowly as that, however long the workers live.
    lost -= real(out.rounds) * real(static_cast<std::int64_t>(loader.workers_at_once)) * usual.median_ns;
    if (usual.median_ns <= 0 || lost < kMostOfALine * all) return std::nullopt;
  }
  // Those of the first round must be started in any case.
  lost *= real(out.rounds - 1) / real(out.rounds);
  out.ns = whole_number(std::max(lost, 0.0));
  return out;
}

std::vector<Place> starting_lines(const Evidence& evidence) {
  TimeByPlace sums(evidence);
  for (const std::uint32_t node : evidence.timed()) {
    if (!below(evidence.lines(), node, starts_workers)) continue;
    const fold::Columns& self = evidence.lines().self();
    sums.add(node, model::saturated_sum(self.cpu[node].ns, self.wait[node].blocked_ns()));
  }
  return sums.top();
}

}  // namespace prof::findings
