// Each step makes and applies gradients for all rows of a large embedding, of which a batch uses few.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

constexpr std::string_view kDense = "aten::embedding_dense_backward";
constexpr std::string_view kLookUp = "aten::embedding";

// torch.optim's step() and zero_grad(), which is a part of it.
constexpr std::string_view kOptimizers = "/torch/optim/";

// What autograd does to add such a gradient to another one of the same table, and to the parameter's.
constexpr std::string_view kEvaluated = "autograd::engine::evaluate_function: EmbeddingBackward0";
constexpr std::string_view kAccumulated = "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad";

struct Embeddings {
  fold::OperatorRow dense, look_up;
  std::int64_t evaluated_ns = 0, accumulated_ns = 0, optimizer_ns = 0;  // wall time

  // Where other parameters are most of the optimizer's work, it would have to do that all the same.
  bool fills_the_optimizer() const {
    return static_cast<double>(dense.total_ns) >= kDenseOfOptimizer * static_cast<double>(optimizer_ns);
  }
  std::int64_t ns() const {
    const std::int64_t made = std::max(evaluated_ns, dense.total_ns);
    return fills_the_optimizer() ? model::saturated_sum(made, model::saturated_sum(accumulated_ns, optimizer_ns))
                                 : made;
  }
};

bool of_optimizer(std::string_view scope) {
  return scope.starts_with("Optimizer.step#") || scope.starts_with("Optimizer.zero_grad#");
}

Embeddings embeddings(const Evidence& evidence) {
  Embeddings out;
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    if (row.name == kDense) out.dense = row;
    if (row.name == kLookUp) out.look_up = row;
    if (row.name == kEvaluated) out.evaluated_ns = row.total_ns;
    if (row.name == kAccumulated) out.accumulated_ns = row.total_ns;
    if (of_optimizer(row.name)) out.optimizer_ns = model::saturated_sum(out.optimizer_ns, row.total_ns);
  }
  return out;
}

double mean_ns(const fold::OperatorRow& row) {
  return row.calls > 0 ? static_cast<double>(row.each_ns) / static_cast<double>(row.calls) : 0;
}

const char* cannot(const Evidence& evidence) {
  return evidence.operators().rows.empty() ? "no operators of PyTorch were seen" : nullptr;
}

std::vector<Finding> look(const Evidence& evidence) {
  const Embeddings seen = embeddings(evidence);
  const double look_up = mean_ns(seen.look_up), dense = mean_ns(seen.dense);
  if (seen.dense.calls < kManyDenseGradients || seen.dense.gpu_ns > 0 || look_up <= 0) return {};
  if (dense < kLongDenseGradientNs || dense < kRowsLeftAlone * look_up) return {};
  const double share = evidence.share(seen.ns());
  if (share < kActivity) return {};
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    return below(evidence.lines(), node, [&](const symbols::Function& function) {
      if (function.language == symbols::Language::Operator) return function.name == kDense;
      return seen.fills_the_optimizer() && function.language == symbols::Language::Python &&
             function.file.find(kOptimizers) != std::string::npos;
    });
  });
  Finding finding;
  finding.rule = kDenseGradientsRule.name;
  finding.title = "Gradients are made and applied for all rows of an embedding, though each step uses few";
  finding.seen = fmt::format(
      "{} gradients of embeddings took {} each on average, {} times as long as looking the rows up; with what the "
      "optimizer does to them {}, {} % of the time.",
      show::grouped(seen.dense.calls), show::duration(dense), show::grouped(static_cast<std::int64_t>(dense / look_up)),
      show::duration(static_cast<double>(seen.ns())), show::percent(share, 1));
  finding.advice =
      "nn.Embedding(..., sparse=True) with SGD, Adagrad or torch.optim.SparseAdam, which touch only the rows of a "
      "batch; or larger batches.";
  finding.places = cpu.places;
  could_save(finding, evidence, share);
  return {finding};
}

}  // namespace

const Rule kDenseGradientsRule{"dense-gradients", "dense gradients of large embeddings", cannot, look};

}  // namespace prof::findings
