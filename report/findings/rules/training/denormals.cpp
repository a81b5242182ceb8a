// The state of an optimizer has become so small that processors compute it in microcode, some fifty times as slowly:
// denormal numbers (IEEE 754), as the averages of gradients that are always 0 come to after some hundred steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace denormals {
namespace {

// One kind of operator.
struct Calls {
  std::int64_t calls = 0, ns = 0;
  bool on_device = false;
  double mean_ns() const { return calls > 0 ? real(ns) / real(calls) : 0; }
};

Calls calls_of(const Evidence& evidence, std::string_view name) {
  Calls out;
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    if (row.name != name) continue;
    out.calls = model::saturated_sum(out.calls, row.calls);
    out.ns = model::saturated_sum(out.ns, row.self_ns);
    out.on_device |= row.gpu_ns > 0;
  }
  return out;
}

// Adam and its kin: the squares of gradients are added to an average (addcmul_), then the step is divided by its root
// (addcdiv_), once each for each parameter. The first has the gradients for its factors, the second the state: as many
// numbers, and a division takes no more than twice as long as a product of them.
bool is_slow(const Calls& squares, const Calls& steps) {
  if (squares.on_device || steps.on_device || steps.calls < kManyDenormals) return false;
  if (std::abs(real(squares.calls) - real(steps.calls)) > 0.1 * real(steps.calls)) return false;
  return steps.mean_ns() >= kLongDenormalNs && steps.mean_ns() >= kDenormalOfProduct * squares.mean_ns();
}

// Whether one optimizer of PyTorch's own did all of that, whose state is as large as the gradients: others keep an
// average for many numbers together.
bool is_of_one_adam(const Evidence& evidence) {
  constexpr std::string_view kKnown[] = {"Adam", "AdamW", "NAdam", "RAdam", "RMSprop"};
  constexpr std::string_view kScope = "Optimizer.step#";
  int optimizers = 0;
  bool known = false;
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    if (!row.name.starts_with(kScope)) continue;
    ++optimizers;
    const std::string_view name = std::string_view(row.name).substr(kScope.size());
    known |= std::find(std::begin(kKnown), std::end(kKnown), name.substr(0, name.find('.'))) != std::end(kKnown);
  }
  return optimizers == 1 && known;
}

bool optimizes(const symbols::Function& function) {
  return function.language == symbols::Language::Python && function.file.find("/torch/optim/") != std::string::npos;
}

const char* cannot(const Evidence& evidence) {
  return evidence.operators().rows.empty() ? "no operators of PyTorch were seen" : nullptr;
}

std::vector<Finding> look(const Evidence& evidence) {
  const Calls squares = calls_of(evidence, "aten::addcmul_"), steps = calls_of(evidence, "aten::addcdiv_");
  if (!is_slow(squares, steps) || !is_of_one_adam(evidence)) return {};
  const double usual = 2 * squares.mean_ns();
  double lost = 0;
  // The averages decay by mul_, which others may call, too: those are no more than twice as many.
  for (const std::string_view name : {"aten::addcdiv_", "aten::mul_", "aten::lerp_", "aten::sqrt"}) {
    const Calls one = calls_of(evidence, name);
    if (real(one.calls) <= 2.2 * real(steps.calls)) lost += std::max(0.0, real(one.ns) - usual * real(one.calls));
  }
  const auto ns = whole_number(lost);
  const double share = evidence.share(ns);
  if (share < kActivity || ns < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kDenormalsRule.name;
  finding.title = "The optimizer computes with numbers so small that processors are slow at them (denormal)";
  finding.seen = fmt::format(
      "{} calls of addcdiv_ took {} each on average; addcmul_, on as many numbers, took {}. With the other operators "
      "on "
      "the same state that is {} more than they should take.",
      show::grouped(steps.calls), show::duration(steps.mean_ns()), show::duration(squares.mean_ns()),
      show::duration(lost));
  finding.advice =
      "torch.set_flush_denormal(True) at the start takes them for 0. They come from parameters whose gradients are 0 "
      "step after step (inputs that are masked or never used, weights behind a dead activation): their averages decay "
      "until nothing is left.";
  finding.places =
      cpu_at(evidence, [&](std::uint32_t node) { return below(evidence.lines(), node, optimizes); }).places;
  could_save(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace denormals

const Rule kDenormalsRule{"denormal-numbers", "optimizers slowed down by denormal numbers", denormals::cannot,
                          denormals::look};

}  // namespace prof::findings
