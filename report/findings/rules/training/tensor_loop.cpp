// A loop of Python handles the elements of tensors one by one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "report/findings/rules/all.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/watched.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace tensor_loop {
namespace {

constexpr double kWorthSaying = 0.05;  // of the loop, what recording it added

// What taking one element out of a tensor, or putting one in, calls.
constexpr std::array<std::string_view, 5> kAccess = {"aten::select", "aten::item", "aten::_local_scalar_dense",
                                                     "aten::unbind", "aten::is_nonzero"};
constexpr std::array<std::string_view, 5> kAccessCode = {
    "at::_ops::select_int::", "at::_ops::item::", "at::_ops::_local_scalar_dense::", "at::_ops::unbind_int::",
    "at::_ops::is_nonzero::"};

constexpr std::string_view kOperatorCode = "at::_ops::";

enum class Kind { None, Access, Other };

// What kind of operator the function is.
Kind kind_of(const symbols::Function& function) {
  if (function.language == symbols::Language::Operator)
    return std::find(kAccess.begin(), kAccess.end(), function.name) != kAccess.end() ? Kind::Access : Kind::Other;
  if (function.language != symbols::Language::Native || !function.name.starts_with(kOperatorCode)) return Kind::None;
  const auto is = [&](std::string_view name) { return function.name.starts_with(name); };
  return std::any_of(kAccessCode.begin(), kAccessCode.end(), is) ? Kind::Access : Kind::Other;
}

// By node of a process's tree: whether Python took an element there, of its own: a product of batches takes them out,
// too.
std::vector<bool> taking_nodes(const Evidence& evidence, std::size_t process) {
  const model::Tree& tree = evidence.run().processes[process].tree;
  const symbols::Symbols& symbols = evidence.symbols();
  struct Frame {
    bool python = false;
    Kind outermost = Kind::None;
  };
  std::vector<Frame> frames(tree.frames.size());
  for (std::uint32_t i = 0; i < frames.size(); ++i) {
    for (const std::uint32_t location : symbols.locations(process, i)) {  // innermost first
      const symbols::Function& function = symbols.function(symbols.location(location).function);
      frames[i].python |= function.language == symbols::Language::Python;
      if (const Kind kind = kind_of(function); kind != Kind::None) frames[i].outermost = kind;
    }
  }
  std::vector<Kind> outermost(tree.nodes.size(), Kind::None);
  std::vector<bool> out(tree.nodes.size());
  for (std::size_t i = 1; i < outermost.size(); ++i) {
    const Frame& frame = frames[tree.nodes[i].frame];
    const Kind above = outermost[tree.nodes[i].parent];
    outermost[i] = frame.python ? Kind::None : above != Kind::None ? above : frame.outermost;
    out[i] = outermost[i] == Kind::Access;
  }
  return out;
}

// Exact: how often elements were taken, and how long one took on average.
struct Taken {
  std::int64_t calls = 0;
  double mean_ns = 0;
};
Taken elements(const Evidence& evidence) {
  Taken out;
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    if (row.kind != "forward" || (row.name != "aten::select" && row.name != "aten::item") || row.calls <= out.calls) {
      continue;
    }
    out = {row.calls, real(row.each_ns) / real(row.calls)};
  }
  return out;
}

// What the recording of these operators added, at least.
std::int64_t recording_ns(const Evidence& evidence) {
  std::int64_t calls = 0;
  for (const fold::OperatorRow& row : evidence.operators().rows) {
    if (row.kind == "forward" && std::find(kAccess.begin(), kAccess.end(), row.name) != kAccess.end())
      calls = model::saturated_sum(calls, row.calls);
  }
  return fold::operators_ns(calls);
}

// Samples of a TensorDataset are taken by the loader: a loop of PyTorch's, which waiting-for-data is about.
bool takes_samples(const symbols::Function& function) {
  return function.language == symbols::Language::Python && function.file.ends_with("/torch/utils/data/dataset.py");
}

struct Loops {
  std::int64_t ns = 0;
  TimeByPlace lines;
};

// Lines that spend a good part of their time on taking elements: all of their time is the loop's.
Loops loops_of(const Evidence& evidence, const ThreadOf& thread) {
  const std::vector<bool> taking = taking_nodes(evidence, thread.process);
  const std::vector<bool>& imports = evidence.imports(thread.process);
  const std::vector<bool> samples = innermost_with(evidence, thread.process, takes_samples);
  TimeByPlace all(evidence), taken(evidence);
  const std::vector<StackTime> times = stack_times(evidence.run().processes[thread.process], thread.slot);
  for (const StackTime& time : times) {
    if (imports[time.node] || samples[time.node]) continue;
    all.add(thread.process, time.node, time.cpu_ns);
    if (taking[time.node]) taken.add(thread.process, time.node, time.cpu_ns);
  }
  Loops out{0, TimeByPlace(evidence)};
  for (const AtPlace<std::int64_t>& sum : all.sums()) {
    if (real(taken.at(*sum.place)) < kTakesElements * real(sum.figures) || sum.figures <= 0) continue;
    out.ns = model::saturated_sum(out.ns, sum.figures);
    out.lines.add(*sum.place, sum.figures);
  }
  return out;
}

const char* cannot(const Evidence& evidence) {
  return evidence.operators().rows.empty() ? "no operators of PyTorch were seen" : nullptr;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> thread = program_thread(evidence);
  if (!thread) return {};
  const Taken taken = elements(evidence);
  const std::int64_t steps = evidence.step_count();
  if (real(taken.calls) < std::max(real(kManyElements), kManyElementsPerStep * real(steps))) return {};
  if (taken.mean_ns > kTinyOperatorNs) return {};
  const Loops loops = loops_of(evidence, *thread);
  const std::int64_t looped = with_run_queue(evidence, *thread, loops.ns);
  if (thread_share(evidence, *thread, looped) < kTensorLoop) return {};
  const double share = share_of_run(evidence, looped);
  Finding finding;
  finding.rule = kTensorLoopRule.name;
  finding.title = "A loop of Python handles the elements of tensors one by one";
  finding.seen = fmt::format(
      "Elements were taken out of tensors, or put into them, {} times{}, each in an operator of {} on average; lines "
      "that do so took {} of CPU time ({} % of the run's time).",
      show::grouped(taken.calls),
      steps > 0 ? fmt::format(", {} times a step", show::grouped(taken.calls / steps)) : std::string(),
      show::duration(taken.mean_ns), show::duration(real(loops.ns)), show::percent(share, 1));
  finding.advice =
      "Write the loop as operations on whole tensors (masks, sum, cumsum, gather, scatter, torch.where), or take the "
      "tensor to Python once (tolist(), numpy()) before the loop.";
  finding.places = loops.lines.top();
  const std::int64_t recording = recording_ns(evidence);
  if (real(recording) > kWorthSaying * real(loops.ns)) {
    finding.seen += fmt::format(" About {} of that is the recording of operators, no part of what could be saved.",
                                show::duration(real(recording)));
  }
  could_save_of_run(finding, evidence, share * std::max(0.0, 1 - real(recording) / real(loops.ns)));
  finding.error_ns = whole_number(kRecordingMayBeOff * real(recording));
  return {finding};
}

}  // namespace
}  // namespace tensor_loop

const Rule kTensorLoopRule{"tensor-loop", "a hot loop of Python over tensors", tensor_loop::cannot, tensor_loop::look};

}  // namespace prof::findings
