// Single steps that take much longer than the others, and steps that become slower from one to the next.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "report/findings/evaluation.hpp"
#include "report/findings/model_call.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/device.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/fold/line_tree.hpp"
#include "report/fold/waiting/accounting.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace slow_steps {
namespace {

using log::StepPart;
using log::WaitClass;

const fold::StepTable* table_of(const Evidence& evidence) {
  return evidence.has_steps() ? &evidence.steps().front() : nullptr;
}

const char* waited_for(WaitClass what) {
  switch (what) {
    case WaitClass::File:
      return "for files";
    case WaitClass::Network:
      return "for the network";
    case WaitClass::Pipe:
      return "for a pipe";
    case WaitClass::Poll:
      return "in poll";
    case WaitClass::Sleep:
      return "in sleep";
    case WaitClass::Lock:
      return "for other threads (locks)";
    case WaitClass::Child:
      return "for a child process";
    case WaitClass::Gpu:
      return "for the GPU";
    case WaitClass::Other:
      break;
  }
  return "for something else";
}

// On a processor, or in calls that wait.
std::int64_t seen_of(const model::StepFigures& figures, std::int64_t cpu_ns) {
  for (const std::int64_t ns : figures.blocked_ns) cpu_ns = model::saturated_sum(cpu_ns, ns);
  return cpu_ns;
}
std::int64_t seen_of(const model::Step& step) { return seen_of(step.figures, step.cpu_ns); }

// In words, what an outlier had more of: "in data, waiting in sleep".
std::string cause(const fold::Outlier& outlier) {
  std::string text = outlier.part == StepPart::Other ? std::string("outside of forward, backward, optimizer and data")
                                                     : fmt::format("in {}", fold::to_string(outlier.part));
  if (outlier.waited) text += fmt::format(", waiting {}", waited_for(*outlier.waited));
  return text;
}

// Lines that compute outside of PyTorch, as far as they can be what outliers had more of: what is done now and then
// stands in no step's figures by line.
std::vector<Place> computing_places(const Evidence& evidence, const fold::StepTable& table, std::int64_t surplus) {
  const model::Thread* thread = program_thread(evidence, table.process);
  if (thread == nullptr) return {};
  const std::vector<bool>& imports = evidence.imports(table.process);
  TimeByPlace sums(evidence);
  for (const StackTime& time : stack_times(evidence.run().processes[table.process], thread->slot)) {
    const std::uint32_t node = evidence.lines().node_of(table.process, time.node);
    if (time.cpu_ns <= 0 || imports[time.node] || node == fold::CallTree::kNoNode) continue;
    if (evidence.own_location(node) == 0) continue;
    if (!in_pytorch(evidence, node)) sums.add(node, time.cpu_ns);
  }
  std::vector<Place> places = sums.top();
  std::erase_if(places, [&](const Place& place) { return real(sums.at(place)) < kPartOfSurplus * real(surplus); });
  return places;
}

// Lines that computed for longer than all that steps typically take together: the rest was in the outliers, as far as
// it was in steps.
std::vector<Place> surplus_places(const Evidence& evidence, const fold::StepTable& table, std::int64_t surplus) {
  const model::Thread* thread = program_thread(evidence, table.process);
  if (thread == nullptr) return {};
  const std::vector<bool>& imports = evidence.imports(table.process);
  TimeByPlace sums(evidence);
  for (const StackTime& time : stack_times(evidence.run().processes[table.process], thread->slot)) {
    if (time.cpu_ns > 0 && !imports[time.node]) sums.add(table.process, time.node, time.cpu_ns);
  }
  std::vector<Place> places = sums.top();
  const double typical = real(table.steady_ns) - real(surplus);
  std::erase_if(places, [&](const Place& place) {
    return !evidence.is_own(place) || real(sums.at(place)) - typical < kPartOfSurplus * real(surplus);
  });
  return places;
}

// Lines that wait for what outliers waited for. What such a line waits in a usual step is in it as well.
std::vector<Place> waiting_places(const Evidence& evidence, const fold::StepTable& table, const fold::Outlier& first) {
  if (!first.waited) {
    for (const fold::Loader& loader : evidence.loaders()) {
      const bool its = loader.process == table.process && loader.location != fold::kNobody;
      if (first.part == StepPart::Data && its) return {place_of(evidence.symbols(), loader.location)};
    }
    return {};
  }
  const model::Thread* thread = program_thread(evidence, table.process);
  if (thread == nullptr) return {};
  const std::vector<bool>& imports = evidence.imports(table.process);
  TimeByPlace sums(evidence);
  for (const StackTime& time : stack_times(evidence.run().processes[table.process], thread->slot)) {
    const bool for_it = time.waits ? *time.waits == *first.waited : *first.waited == WaitClass::Gpu;
    if (time.blocked_ns > 0 && for_it && !imports[time.node]) sums.add(table.process, time.node, time.blocked_ns);
  }
  return sums.top();
}

std::string numbers_of(const std::vector<fold::Outlier>& outliers) {
  std::vector<std::int64_t> numbers;
  for (const fold::Outlier& outlier : outliers) numbers.push_back(outlier.number);
  constexpr std::size_t kMost = 6;
  const bool more = numbers.size() > kMost;
  if (more) numbers.resize(kMost);
  std::sort(numbers.begin(), numbers.end());
  return fmt::format("{}{}", fmt::join(numbers, ", "), more ? ", ..." : "");
}

// When those of these steps were taken that took most of the time; where several have one record, when those were.
std::vector<Span> spans_of(const fold::StepTable& table, std::int64_t surplus) {
  std::vector<Span> out;
  double told = 0;
  for (const fold::Outlier& outlier : table.outliers) {  // longest first
    if (told >= kMostOfTheTime * real(surplus)) break;
    told += real(outlier.ns) - table.median_ns;
    const auto& records = table.steps->records;
    const auto its = std::find_if(records.begin(), records.end(), [&](const model::Step& step) {
      return outlier.number >= step.first && outlier.number - step.first < step.count;
    });
    if (its != records.end()) out.push_back({table.process, its->begin_monotonic_ns, its->end_monotonic_ns});
  }
  return out;
}

Finding outliers(const Evidence& evidence, const fold::StepTable& table, double share, std::int64_t surplus) {
  // Those with the same cause as the longest one's are told by it; it has the largest surplus.
  const fold::Outlier& first = table.outliers.front();
  Finding finding;
  finding.rule = kSlowStepsRule.name;
  const bool one = table.outliers.size() == 1;
  finding.title = one ? fmt::format("Step {} takes much longer than the others", first.number)
                      : std::string("Some steps take much longer than the others");
  if (table.period) finding.title = fmt::format("Every {} steps one takes much longer", *table.period);
  finding.seen = one ? fmt::format("It took {}, half of all steps at most {}", show::duration(real(first.ns)),
                                   show::duration(table.median_ns))
                     : fmt::format("{} steps ({}) took {} more than the typical {}; the longest, step {}, took {}",
                                   table.outliers.size(), numbers_of(table.outliers), show::duration(real(surplus)),
                                   show::duration(table.median_ns), first.number, show::duration(real(first.ns)));
  finding.seen += fmt::format(". The longest spent {} more {}.", show::duration(real(first.surplus_ns)), cause(first));
  if (one) finding.seen = finding.seen.replace(finding.seen.find("The longest spent"), 17, "It spent");
  finding.advice = first.waited
                       ? "Do what these steps wait for in another thread or process, less often, or in smaller parts: "
                         "checkpoints, logging, validation, the next part of the data."
                       : "Look at what these steps do that others do not: longer samples or other shapes (autotuning, "
                         "recompilation), garbage collection, work that is done every so many steps.";
  if (table.period && !first.waited) {
    finding.advice = fmt::format(
        "Look at what is done every {} steps, at the end of an epoch maybe: evaluation, checkpoints, logging. Do it "
        "less "
        "often, on fewer samples, or in a cheaper way.",
        *table.period);
  }
  finding.places = waiting_places(evidence, table, first);
  if (first.part == StepPart::Other && !first.waited) finding.places = computing_places(evidence, table, surplus);
  if (finding.places.empty() && !first.waited) finding.places = surplus_places(evidence, table, surplus);
  finding.symptom = true;
  finding.when = spans_of(table, surplus);
  could_save(finding, evidence, evidence.basis_share(share));
  return finding;
}

// The part of steps that grew most from the first quarter of the steady state's records to the last one.
StepPart growing_part(const fold::StepTable& table) {
  std::vector<const model::Step*> steady;
  for (const model::Step& step : table.steps->records) {
    if (step.count > 0 && step.first > table.warmup) steady.push_back(&step);
  }
  StepPart out = StepPart::Other;
  if (steady.size() < 2) return out;
  const std::size_t quarter = std::max<std::size_t>(1, steady.size() / 4);
  const auto mean_change = [&](auto of) {
    double change = 0;
    for (std::size_t n = 0; n < quarter; ++n) {
      const model::Step &early = *steady[n], &late = *steady[steady.size() - 1 - n];
      change += real(of(late)) / real(late.count) - real(of(early)) / real(early.count);
    }
    return change / static_cast<double>(quarter);
  };
  double most = 0;
  for (std::uint32_t i = 0; i < log::kStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    const double change = mean_change([part](const model::Step& step) { return step.figures.of(part); });
    if (change <= most) continue;
    most = change;
    out = part;
  }
  return out;
}

Finding slower(const Evidence& evidence, const fold::StepTable& table) {
  Finding finding;
  finding.rule = kSlowStepsRule.name;
  finding.title = "Steps become slower and slower";
  finding.seen =
      fmt::format("The last quarter of {} steps took {} % longer than the first, most of it in {}.",
                  show::grouped(table.steady), show::percent(*table.trend, 1), fold::to_string(growing_part(table)));
  finding.advice =
      "Look for what grows with the steps: lists that are kept and walked through, tensors that keep their graph (take "
      "detach() or item() of what is only logged), caches that fill up, a processor or GPU that slows down when it is "
      "hot.";
  // Half of what the last steps take more than the first: on average over a steady rise.
  could_save(finding, evidence, evidence.basis_share(*table.trend / 2 / (1 + *table.trend / 2)));
  return finding;
}

// What that step computed and waited in calls; the rest of it went by without a processor, which other programs had.
std::int64_t seen_in(const fold::StepTable& table, const fold::Outlier& outlier) {
  for (const model::Step& step : table.steps->records) {
    const bool alone = step.count == 1 && step.first == outlier.number;
    if (alone || step.longest == outlier.number)
      return alone ? seen_of(step) : seen_of(step.longest_figures, step.longest_cpu_ns);
  }
  return outlier.ns;
}

// Whether most of a step went by so.
bool was_kept_waiting(const fold::StepTable& table, const fold::Outlier& outlier) {
  return real(seen_in(table, outlier)) < 0.5 * real(outlier.ns);
}

// Where the device always has something to do, how long the host takes for a step is how long its queue made it wait:
// first it runs ahead, then it is held up. Nothing: it had not; else how long it had nothing to do.
std::optional<std::int64_t> idle_when_bound(const Evidence& evidence) {
  if (no_device_times(evidence) != nullptr) return std::nullopt;
  const DeviceTime device = device_time(evidence);
  const bool bound = device.in_steps && device.span_ns > 0 && device.idle() <= kDeviceBound;
  return bound ? std::optional(device.idle_ns) : std::nullopt;
}

// By the device's queue, itself or by the thread of the backward pass: not by anything else.
bool is_held_up(const fold::Outlier& outlier) {
  return !outlier.waited || outlier.waited == WaitClass::Gpu || outlier.waited == WaitClass::Lock;
}

// How long threads of the process were ready to run, and had no processor. Others that compute with such a thread wait
// for it, on their processors: they do not look as if they were kept waiting.
std::int64_t ready_ns(const Evidence& evidence, std::size_t process) {
  std::int64_t ns = 0;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (row.process == process && row.split.run_queue_known) ns = model::saturated_sum(ns, row.split.run_queue_ns);
  }
  return ns;
}

// Whether slow steps come after as many others each, give or take one, though too few for a period: after epochs. The
// last of these ends with the last step.
bool are_spaced(const fold::StepTable& table) {
  std::vector<std::int64_t> numbers{0};
  // Beside these, one that was a little longer by chance says nothing.
  for (const fold::Outlier& outlier : table.outliers) {
    if (2 * outlier.surplus_ns >= table.outliers.front().surplus_ns) numbers.push_back(outlier.number);
  }
  if (numbers.size() == 2) numbers.push_back(table.count + 1);
  std::sort(numbers.begin(), numbers.end());
  if (numbers.size() < 3) return false;
  const std::int64_t apart = numbers[1];
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (std::abs(numbers[i] - numbers[i - 1] - apart) > 1) return false;
  }
  return true;
}

// Whether it is evaluation that these steps had more of. A loop without a DataLoader tells by its source alone: what
// comes again and again, and computes without gradients.
bool evaluates(const Evidence& evidence, const fold::StepTable& table, std::int64_t surplus) {
  if (table.outliers.empty()) return false;
  if (table.outliers.front().part == StepPart::Evaluation) return true;
  const model::Thread* thread = table.period || are_spaced(table) ? program_thread(evidence, table.process) : nullptr;
  if (thread == nullptr) return false;
  return real(evaluation_ns(evidence, {table.process, thread->slot})) >= kMostOfALine * real(surplus);
}

const char* cannot(const Evidence& evidence) { return evidence.has_steps() ? nullptr : "no steps were seen"; }

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<Finding> out;
  const fold::StepTable* all = table_of(evidence);
  if (all == nullptr || all->steps == nullptr || all->steady_ns <= 0) return out;
  fold::StepTable its = *all;
  std::erase_if(its.outliers, [&](const fold::Outlier& outlier) { return was_kept_waiting(its, outlier); });
  const std::optional<std::int64_t> queued = idle_when_bound(evidence);
  std::int64_t held_up = 0;
  for (const fold::Outlier& outlier : its.outliers) {
    if (is_held_up(outlier)) held_up = model::saturated_sum(held_up, outlier.surplus_ns);
  }
  // What a host does while the device waits for it shows in what the device idles.
  if (queued && held_up > 2 * *queued) std::erase_if(its.outliers, is_held_up);
  const fold::StepTable* table = &its;
  std::int64_t surplus = 0;
  for (const fold::Outlier& outlier : table->outliers) {
    const double more = std::min(real(outlier.ns), real(seen_in(*table, outlier))) - table->median_ns;
    if (more > 0 && more < 9e18) surplus = model::saturated_sum(surplus, whole_number(more));
  }
  const double share = real(surplus) / real(table->steady_ns);
  const bool crowded = !table->outliers.empty() && !table->outliers.front().waited &&
                       real(ready_ns(evidence, table->process)) >= kPartOfSurplus * real(surplus);
  if (!table->outliers.empty() && !crowded && surplus >= kLeastSlowStepsNs && share >= kSlowSteps &&
      (share >= kEvaluation || !evaluates(evidence, *table, surplus)))
    out.push_back(outliers(evidence, *table, share, surplus));
  if (queued || !table->trend || *table->trend < kSlowerSteps) return out;
  // What grew must be seen: else other programs had the processors towards the end.
  if (table->trend_seen < 0.5 * *table->trend) return out;
  Finding finding = slower(evidence, *table);
  if (finding.saves_ns >= kLeastSlowStepsNs) out.push_back(std::move(finding));
  return out;
}

}  // namespace
}  // namespace slow_steps

const Rule kSlowStepsRule{"slow-steps", "slow steps among faster ones, steps that become slower", slow_steps::cannot,
                          slow_steps::look};

}  // namespace prof::findings
