// Each step makes and applies gradients for all rows of a large embedding, of which a batch uses few.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/model_call.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace dense_gradients {
namespace {

// nn.Embedding and nn.EmbeddingBag.
constexpr std::string_view kDense[] = {"aten::embedding_dense_backward", "aten::_embedding_bag_dense_backward"};
constexpr std::string_view kLookUps[] = {"aten::embedding", "aten::_embedding_bag"};
// What autograd does to add such a gradient to another one of the same table, and to the parameter's.
constexpr std::string_view kEvaluated[] = {"autograd::engine::evaluate_function: EmbeddingBackward0",
                                           "autograd::engine::evaluate_function: EmbeddingBagBackward0"};
constexpr std::string_view kAccumulated = "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad";

// torch.optim's step() and zero_grad(), which is a part of it.
constexpr std::string_view kOptimizers = "/torch/optim/";

// Operators of one kind together.
struct Calls {
  std::int64_t calls = 0, each_ns = 0, total_ns = 0;
  bool on_device = false;

  void add(const fold::OperatorRow& row) {
    calls = model::saturated_sum(calls, row.calls);
    each_ns = model::saturated_sum(each_ns, row.each_ns);
    total_ns = model::saturated_sum(total_ns, row.total_ns);
    on_device |= row.gpu_ns > 0;
  }
  double mean_ns() const { return calls > 0 ? static_cast<double>(each_ns) / static_cast<double>(calls) : 0; }
};

struct Embeddings {
  Calls dense, look_up;
  std::int64_t longest_product_ns = 0;
  bool adapts = false;  // an optimizer that keeps moments: SparseAdam has its own work for each row
  std::int64_t evaluated_ns = 0, accumulated_ns = 0, optimizer_ns = 0, products_ns = 0;  // wall time

  std::int64_t made_ns() const { return std::max(evaluated_ns, dense.total_ns); }
  std::int64_t applied_ns() const {
    return model::saturated_sum(made_ns(), model::saturated_sum(accumulated_ns, optimizer_ns));
  }
  // Where other parameters are most of the optimizer's work, it would have to do that all the same.
  bool fills_the_optimizer() const {
    return static_cast<double>(dense.total_ns) >= kDenseOfOptimizer * static_cast<double>(optimizer_ns);
  }
  // Where products of matrices take long, the table may be one of their factors (weights that are tied), so that its
  // gradient is dense in any case. A product with all rows takes longer than filling them does, and each step has one:
  // rarer ones are an evaluation's.
  bool may_be_factor() const {
    return static_cast<double>(products_ns) >= kProductsOfTables * static_cast<double>(applied_ns()) &&
           static_cast<double>(longest_product_ns) >= dense.mean_ns();
  }
  // Gradients of single rows have to be made and sorted as well.
  std::int64_t ns() const {
    std::int64_t all = fills_the_optimizer() ? applied_ns() : made_ns();
    if (adapts) all = whole_number(kSavedBesideMoments * static_cast<double>(all));
    return std::max<std::int64_t>(0, all - whole_number(kSparseGradient * static_cast<double>(look_up.total_ns)));
  }
};

// What such operators allocated: a gradient has all rows of its table, what is looked up those that are used.
std::int64_t allocated_by(const Evidence& evidence, std::span<const std::string_view> operators) {
  const std::vector<bool> inside = all_below(evidence.lines(), [&](const symbols::Function& function) {
    return function.language == symbols::Language::Operator && is_one_of(function.name, operators);
  });
  const fold::Columns& self = evidence.lines().self();
  std::int64_t bytes = 0;
  for (std::uint32_t node = 1; node < inside.size(); ++node) {
    if (inside[node])
      bytes = model::saturated_sum(bytes, model::saturated_sum(self.heap[node].bytes, self.maps[node].bytes));
  }
  return bytes;
}

bool most_rows_left_alone(const Evidence& evidence, const Embeddings& seen) {
  if (seen.dense.mean_ns() >= kRowsLeftAlone * seen.look_up.mean_ns()) return true;
  const double tables = static_cast<double>(allocated_by(evidence, kDense)),
               rows = static_cast<double>(allocated_by(evidence, kLookUps));
  return rows > 0 && tables >= kTablesOfRows * rows;
}

bool of_optimizer(std::string_view scope) {
  return scope.starts_with("Optimizer.step#") || scope.starts_with("Optimizer.zero_grad#");
}

Embeddings embeddings(const Evidence& evidence) {
  Embeddings out;
  const auto add = [](std::int64_t& sum, const fold::OperatorRow& row) {
    sum = model::saturated_sum(sum, row.total_ns);
  };
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    if (is_one_of(row.name, kDense)) out.dense.add(row);
    if (is_one_of(row.name, kLookUps)) out.look_up.add(row);
    if (is_one_of(row.name, kEvaluated)) add(out.evaluated_ns, row);
    if (is_product(row.name) && row.calls >= evidence.step_count()) {
      add(out.products_ns, row);
      out.longest_product_ns = std::max(out.longest_product_ns, row.each.max_ns.value_or(row.each_ns));
    }
    if (row.name == kAccumulated) add(out.accumulated_ns, row);
    if (of_optimizer(row.name)) add(out.optimizer_ns, row);
    out.adapts |= of_optimizer(row.name) && row.name.find("Adam") != std::string::npos;
  }
  return out;
}

// The line that makes the table, where the files of these places have one of an embedding without sparse gradients, and
// no other.
std::optional<Place> table_line(const Evidence& evidence, const std::vector<Place>& places) {
  symbols::SourceFiles& files = evidence.sources();
  std::set<std::string> seen;
  std::optional<Place> out;
  for (const Place& place : places) {
    if (!place.file.ends_with(".py") || !seen.insert(place.file).second) continue;
    const Lines& lines = files.file(place.file).lines;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string_view code = code_of(lines[i], "#");
      if (!contains(code, "nn.Embedding(") && !contains(code, "nn.EmbeddingBag(")) continue;
      if (contains(code, "sparse=True")) continue;
      if (out) return std::nullopt;
      out = Place{place.file, static_cast<std::int64_t>(i + 1), {}};
    }
  }
  return out;
}

// Whether the file may multiply by such a table, or give it to another layer: by what it does with weights.
bool uses_weights(const Evidence& evidence, const std::string& file) {
  constexpr std::string_view kUses[] = {".weight =", "= self.", "linear(", ".t()",   ".T",
                                        "@",         "mm(",     "matmul(", "einsum("};
  symbols::SourceFiles& files = evidence.sources();
  const Lines& lines = files.file(file).lines;
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    const std::string_view code = code_of(line, "#");
    return contains(code, ".weight") && contains_any(code, kUses);
  });
}

const char* cannot(const Evidence& evidence) {
  return evidence.operators().rows.empty() ? "no operators of PyTorch were seen" : nullptr;
}

std::vector<Finding> look(const Evidence& evidence) {
  const Embeddings seen = embeddings(evidence);
  const double look_up = seen.look_up.mean_ns(), dense = seen.dense.mean_ns();
  if (seen.dense.calls < kManyDenseGradients || seen.dense.on_device || look_up <= 0) return {};
  if (dense < kLongDenseGradientNs || !most_rows_left_alone(evidence, seen)) return {};
  const double share = evidence.share(seen.ns());
  if (share < kActivity) return {};
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    return below(evidence.lines(), node, [&](const symbols::Function& function) {
      if (function.language == symbols::Language::Operator) return is_one_of(function.name, kDense);
      return seen.fills_the_optimizer() && function.language == symbols::Language::Python &&
             function.file.find(kOptimizers) != std::string::npos;
    });
  });
  auto made = table_line(evidence, cpu.places);
  if (seen.may_be_factor() && (!made || uses_weights(evidence, made->file))) return {};
  Finding finding;
  finding.rule = kDenseGradientsRule.name;
  finding.title = "Gradients are made and applied for all rows of an embedding, though each step uses few";
  const std::int64_t times = whole_number(dense / look_up);
  finding.seen = fmt::format(
      "{} gradients of embeddings took {} each on average{}; with what adds them up, and what the optimizer does to "
      "them, {}, {} % of {}.",
      show::grouped(seen.dense.calls), show::duration(dense),
      times > 1 ? fmt::format(", {} times as long as looking the rows up", show::grouped(times)) : std::string(),
      show::duration(static_cast<double>(seen.ns())), show::percent(share, 1), share_words(evidence));
  finding.advice =
      "nn.Embedding(..., sparse=True) with SGD, Adagrad or torch.optim.SparseAdam, which touch only the rows of a "
      "batch; or larger batches.";
  finding.places = cpu.places;
  // The table that would have to be another one stands behind the first line that pays for it.
  if (made) {
    const auto at = finding.places.begin() + std::min<std::ptrdiff_t>(1, std::ssize(finding.places));
    finding.places.insert(at, std::move(*made));
    if (finding.places.size() > 3) finding.places.resize(3);
  }
  could_save(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace dense_gradients

const Rule kDenseGradientsRule{"dense-gradients", "dense gradients of large embeddings", dense_gradients::cannot,
                               dense_gradients::look};

}  // namespace prof::findings
