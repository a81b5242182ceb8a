// PyTorch's operators compute on one thread while processors are idle.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "report/findings/processors.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/team_libraries.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace idle_processors {
namespace {

constexpr std::string_view kProducts[] = {"aten::addmm", "aten::mm",     "aten::bmm", "aten::baddbmm",
                                          "aten::addmv", "aten::addbmm", "aten::dot", "aten::mv"};

bool multiplies_with_one_thread(const Evidence& evidence) {
  std::int64_t ns = 0, products = 0;
  for (const std::uint32_t node : evidence.timed()) {
    if (fold::is_product_of_blas(evidence.lines().function(node).name))
      ns = model::saturated_sum(ns, evidence.lines().self().cpu[node].ns);
  }
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    if (std::find(std::begin(kProducts), std::end(kProducts), row.name) != std::end(kProducts))
      products = model::saturated_sum(products, row.self_ns);
  }
  return real(ns) >= kInReferenceBlas * real(products);
}

// Wall time in operators that would be worth several threads.
std::int64_t in_large_operators(const Evidence& evidence, bool products) {
  std::int64_t ns = 0;
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    if (row.kind == "scope" || row.calls <= 0) continue;
    if (!products && std::find(std::begin(kProducts), std::end(kProducts), row.name) != std::end(kProducts)) continue;
    if (real(row.self_ns) / real(row.calls) >= kLargeOperatorNs) ns = model::saturated_sum(ns, row.self_ns);
  }
  return ns;
}

const char* cannot(const Evidence& evidence) {
  if (evidence.operators().rows.empty()) return "no operators of PyTorch were seen";
  return processors(evidence).there ? nullptr : "how many processors there were was not recorded";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  const Processors all = processors(evidence);
  if (!program || !all.there) return {};
  const model::Process& process = evidence.run().processes[program->process];
  // What a GPU computes needs no threads of the host, and a pool that is at work is none that is missing.
  if (saw_devices(process) || compute_pool(process).cpu_ns > 0) return {};
  const double free = *all.there - std::max(all.used, all.wanted);
  // Where a thread waits for a processor none is free, whoever has them.
  if (*all.there < 2 || free < kIdleProcessors * *all.there || all.queued() >= kOversubscribed) return {};
  const double share =
      thread_share(evidence, *program, in_large_operators(evidence, !multiplies_with_one_thread(evidence)));
  if (share < kInLargeOperators) return {};
  Finding finding;
  finding.rule = kIdleProcessorsRule.name;
  finding.title = "Operators compute on one thread while processors are idle";
  finding.seen = fmt::format(
      "{} % of {} went by in operators of {} and more each, on one thread; of {:.3g} processors {:.1f} were busy "
      "on "
      "average.",
      show::percent(share, 1), share_words(evidence), show::duration(kLargeOperatorNs), *all.there, all.used);
  finding.advice = fmt::format(
      "Let PyTorch use them: torch.set_num_threads({0:.0f}), or OMP_NUM_THREADS={0:.0f}; torchrun and some schedulers "
      "set "
      "it to 1.",
      std::max(2.0, free + 1));
  finding.places = computing_lines(evidence, *program);
  finding.general = true;
  could_save(finding, evidence, kOfThreads * share * (1 - 1 / (free + 1)));
  return {finding};
}

}  // namespace
}  // namespace idle_processors

const Rule kIdleProcessorsRule{"idle-processors", "operators on one thread while processors are idle",
                               idle_processors::cannot, idle_processors::look};

}  // namespace prof::findings
