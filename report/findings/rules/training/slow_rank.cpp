// One rank of a distributed program is slower than the others, which wait for it in each collective.
#include <fmt/format.h>

#include <algorithm>

#include "report/findings/rules/all.hpp"
#include "report/findings/rules/training/ranks.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace slow_rank {
namespace {

// Time of its own, by step where steps were seen of all ranks.
double own_of(const RankTime& rank, bool by_step) {
  return by_step ? real(rank.own_ns) / real(std::max<std::int64_t>(1, rank.steps)) : real(rank.own_ns);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<RankTime> ranks_of(const Evidence& evidence) {
  std::vector<RankTime> out = rank_times(evidence);
  std::erase_if(out, [](const RankTime& rank) { return rank.rank < 0; });
  return out;
}

TimeByPlace own_places(const Evidence& evidence, const RankTime& rank) {
  const model::Process& process = evidence.run().processes[rank.thread.process];
  const std::vector<bool> communication = communication_stacks(evidence, rank.thread.process);
  const std::vector<bool>& imports = evidence.imports(rank.thread.process);
  TimeByPlace sums(evidence);
  for (const StackTime& time : stack_times(process, rank.thread.slot)) {
    if (!communication[time.node] && !imports[time.node]) sums.add(rank.thread.process, time.node, time.ns());
  }
  return sums;
}

// Where the slow rank takes longer than the others do on average.
std::vector<Place> surplus_places(const Evidence& evidence, const std::vector<RankTime>& ranks, std::size_t slow) {
  std::vector<TimeByPlace> all;
  for (const RankTime& rank : ranks) all.push_back(own_places(evidence, rank));
  std::vector<AtPlace<std::int64_t>> surplus = all[slow].sums();
  for (AtPlace<std::int64_t>& sum : surplus) {
    double others = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i != slow && sum.place)
        others += real(all[i].at(*sum.place)) / real(static_cast<std::int64_t>(all.size()) - 1);
    }
    sum.figures = whole_number(std::max(real(sum.figures) - others, 0.0));
  }
  return top_places(std::move(surplus), [](std::int64_t ns) { return ns; });
}

const char* cannot(const Evidence& evidence) {
  const std::vector<RankTime> ranks = ranks_of(evidence);
  if (ranks.size() < 2) return "the run has no two ranks of a distributed program";
  const bool any = std::any_of(ranks.begin(), ranks.end(), [](const RankTime& r) { return r.communication_ns > 0; });
  return any ? nullptr : "what ranks waited for each other was not seen";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::vector<RankTime> ranks = ranks_of(evidence);
  if (ranks.size() < 2) return {};
  const bool by_step = std::all_of(ranks.begin(), ranks.end(), [](const RankTime& rank) { return rank.steps > 0; });
  std::size_t slow = 0;
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    if (own_of(ranks[i], by_step) > own_of(ranks[slow], by_step)) slow = i;
  }
  std::vector<double> others;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i != slow) others.push_back(own_of(ranks[i], by_step));
  }
  const double usual = median(others), its = own_of(ranks[slow], by_step);
  if (its < kSlowRank * usual || its <= 0) return {};
  // What the others waited is what they would be spared: a rank that is slow where nobody waits costs nothing.
  std::vector<double> waits;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double steps = by_step ? real(std::max<std::int64_t>(1, ranks[i].steps)) : 1;
    if (i != slow) waits.push_back(real(ranks[i].communication_ns) / steps);
  }
  const double wall = real(ranks[slow].wall_ns) / (by_step ? real(std::max<std::int64_t>(1, ranks[slow].steps)) : 1);
  const double lost = std::min(its - usual, median(waits));
  if (wall <= 0 || lost < kWorthALine * wall) return {};

  Finding finding;
  finding.rule = kSlowRankRule.name;
  finding.title = fmt::format("Rank {} is slower than the others, which wait for it", ranks[slow].rank);
  finding.seen = fmt::format("Without what it spent in collectives, rank {} took {}{}, the {} {}: they waited for it.",
                             ranks[slow].rank, show::duration(its), by_step ? " a step" : "",
                             ranks.size() == 2 ? "other one" : fmt::format("{} others (median)", ranks.size() - 1),
                             show::duration(usual));
  finding.advice =
      "Look at what this rank does more than the others: work that only one of them does (logging, checkpoints, "
      "validation), samples that are longer or slower to load, other programs on its processors or its GPU, a slower "
      "machine.";
  finding.places = surplus_places(evidence, ranks, slow);
  could_save(finding, evidence, lost / wall);
  return {finding};
}

}  // namespace
}  // namespace slow_rank

const Rule kSlowRankRule{"slow-rank", "one rank slower than the others", slow_rank::cannot, slow_rank::look};

}  // namespace prof::findings
