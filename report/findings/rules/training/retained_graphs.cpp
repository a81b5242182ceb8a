// Backward passes walk graphs of earlier passes again, which were retained for them.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "report/findings/evaluation.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace retained_graphs {
namespace {

constexpr std::string_view kFunction = "autograd::engine::evaluate_function: ";

// A function of a graph, and the operator that makes it: such as no backward pass calls by itself.
struct Pair {
  std::string_view backward, forward;
};
constexpr Pair kPairs[] = {
    {"SigmoidBackward0", "aten::sigmoid"},
    {"TanhBackward0", "aten::tanh"},
    {"ReluBackward0", "aten::relu"},
    {"GeluBackward0", "aten::gelu"},
    {"SiluBackward0", "aten::silu"},
    {"EluBackward0", "aten::elu"},
    {"LeakyReluBackward0", "aten::leaky_relu"},
    {"SoftplusBackward0", "aten::softplus"},
    {"AddmmBackward0", "aten::addmm"},
    {"ConvolutionBackward0", "aten::convolution"},
    {"EmbeddingBackward0", "aten::embedding"},
    {"NativeLayerNormBackward0", "aten::native_layer_norm"},
    {"NativeGroupNormBackward0", "aten::native_group_norm"},
    {"NativeBatchNormBackward0", "aten::native_batch_norm"},
    {"CudnnBatchNormBackward0", "aten::cudnn_batch_norm"},
    {"MaxPool2DWithIndicesBackward0", "aten::max_pool2d_with_indices"},
    {"CudnnRnnBackward0", "aten::_cudnn_rnn"},
    {"MkldnnRnnLayerBackward0", "aten::mkldnn_rnn_layer"},
    {"ThnnFusedLstmCellBackward0", "aten::_thnn_fused_lstm_cell"},
    {"ThnnFusedGruCellBackward0", "aten::_thnn_fused_gru_cell"},
};

struct Walks {
  std::int64_t backward = 0, forward = 0;
  double each() const { return forward > 0 ? real(backward) / real(forward) : 0; }
  // `in_all`: with the operators of an evaluation, of which only their part of the time is known.
  bool repeat(std::int64_t in_all) const {
    return backward >= kManyWalks && real(backward) >= kWalkedAgain * real(in_all);
  }
};

bool is_forward(std::string_view name) {
  if (name.ends_with('_')) name.remove_suffix(1);
  return std::any_of(std::begin(kPairs), std::end(kPairs), [&](const Pair& pair) { return pair.forward == name; });
}

// Of those that are walked again and again, all together. Evaluation makes no graphs.
Walks repeated_walks(const Evidence& evidence, const ThreadOf& program) {
  const double makes_graphs = 1 - part_without_gradients(evidence, program, is_forward);
  std::map<std::string_view, std::int64_t> calls;
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    std::int64_t& sum = calls[row.name];
    sum = model::saturated_sum(sum, row.calls);
  }
  const auto of = [&](const std::string& name) {
    const auto found = calls.find(name);
    return found == calls.end() ? 0 : found->second;
  };
  Walks out;
  for (const Pair& pair : kPairs) {
    const std::string in_place = std::string(pair.forward) + "_";
    const std::int64_t in_all = model::saturated_sum(of(std::string(pair.forward)), of(in_place));
    const Walks its{of(std::string(kFunction) + std::string(pair.backward)), whole_number(makes_graphs * real(in_all))};
    if (!its.repeat(in_all)) continue;
    out.backward = model::saturated_sum(out.backward, its.backward);
    out.forward = model::saturated_sum(out.forward, its.forward);
  }
  return out;
}

bool reads_gradients(std::string_view line) {
  constexpr std::string_view kGrad = ".grad";
  for (std::size_t at = line.find(kGrad); at != std::string_view::npos; at = line.find(kGrad, at + 1)) {
    const std::size_t end = at + kGrad.size();
    if (end >= line.size() || !is_name(line[end])) return true;
  }
  return false;
}

// Whether the call in that line retains the graph, by the source. Who looks at the gradients of each pass needs them
// one by one.
bool retains(const Lines& lines, std::int64_t number) {
  constexpr std::size_t kLinesOfCall = 5, kLinesAfter = 6;
  if (number <= 0 || static_cast<std::size_t>(number) > lines.size()) return false;
  const auto first = static_cast<std::size_t>(number - 1);
  if (code_of(lines[first], "#").find(".backward(") == std::string_view::npos) return false;
  std::size_t last = first;
  std::int64_t open = 0;
  bool retained = false;
  for (std::size_t at = first; at < std::min(first + kLinesOfCall, lines.size()); ++at) {
    std::string code(code_of(lines[at], "#"));
    last = at;
    open += std::count(code.begin(), code.end(), '(') - std::count(code.begin(), code.end(), ')');
    std::erase(code, ' ');
    retained |= code.find("retain_graph=True") != std::string::npos;
    if (open <= 0) break;
  }
  for (std::size_t at = last + 1; at < std::min(last + 1 + kLinesAfter, lines.size()); ++at)
    if (reads_gradients(code_of(lines[at], "#"))) return false;
  return retained;
}

// What the program's thread took at such lines.
TimeByPlace time_at_calls(const Evidence& evidence, const ThreadOf& program) {
  TimeByPlace out(evidence);
  symbols::SourceFiles& files = evidence.sources();
  std::map<std::uint32_t, bool> known;  // by location
  const double queue = queue_factor(evidence, program);
  for (const LineTime& time : line_times(evidence, program)) {
    const std::uint32_t own = evidence.own_location(time.node);
    if (own == 0) continue;
    const auto [found, is_new] = known.try_emplace(own, false);
    if (is_new) {
      const Place place = place_of(evidence.symbols(), own);
      found->second = retains(files.file(place.file).lines, place.line);
    }
    if (!found->second) continue;
    out.add(time.node, model::saturated_sum(whole_number(queue * real(time.cpu_ns)), time.blocked_ns));
  }
  return out;
}

const char* cannot(const Evidence& evidence) {
  if (const char* why = no_python_frames(evidence)) return why;
  return evidence.operators().rows.empty() ? "no operators of PyTorch were seen" : nullptr;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  const Walks walks = repeated_walks(evidence, *program);
  if (walks.backward == 0) return {};
  const TimeByPlace calls = time_at_calls(evidence, *program);
  std::int64_t ns = 0;
  for (const AtPlace<std::int64_t>& sum : calls.sums()) ns = model::saturated_sum(ns, sum.figures);
  if (thread_share(evidence, *program, ns) < kActivity) return {};
  const double again = 1 - 1 / walks.each();
  Finding finding;
  finding.rule = kRetainedGraphsRule.name;
  finding.title = "Backward passes walk graphs of earlier passes again";
  finding.seen = fmt::format(
      "Its calls took {}. Functions of the graph ran {} times, and the operators that made them about {} times: each "
      "was "
      "walked {:.1f} times on average, {} % of the walks were not the first.",
      show::duration(real(ns)), show::grouped(walks.backward), show::grouped(walks.forward), walks.each(),
      show::percent(again, 1));
  finding.advice =
      "Detach the state between windows (state = tuple(s.detach() for s in state)) and leave retain_graph out; of "
      "several losses, add them up and call backward() once.";
  finding.places = calls.top();
  could_save(finding, evidence, thread_share(evidence, *program, whole_number(again * real(ns))));
  return {finding};
}

}  // namespace
}  // namespace retained_graphs

const Rule kRetainedGraphsRule{"retained-graphs", "graphs that are walked again and again", retained_graphs::cannot,
                               retained_graphs::look};

}  // namespace prof::findings
