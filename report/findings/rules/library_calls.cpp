// One function of a library takes much of the time where another way is known to be faster.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

// What went by below the functions.
struct Spent {
  std::int64_t ns = 0;
  std::int64_t allocated_bytes = 0, peak_bytes = 0;  // of malloc and mmap
};

struct Family {
  const char* rule;
  std::span<const fold::FunctionAt> functions;
  const char* title;
  const char* advice;
  bool (*again)(const Evidence&, const Spent&);  // whether it was asked for more than a few times
  bool in_steps = false;                         // where there are steps it is done in them
};

bool always(const Evidence&, const Spent&) { return true; }

// Joined once, data is there once.
bool copied_again(const Evidence&, const Spent& spent) {
  return static_cast<double>(spent.allocated_bytes) >= kCopiedAgain * static_cast<double>(spent.peak_bytes) &&
         spent.allocated_bytes > 0;
}

bool many_children(const Evidence& evidence, const Spent&) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  return program && children_of(evidence, program->process) >= kManyChildren;
}

constexpr fold::FunctionAt kRows[] = {{"/pandas/core/frame.py", "iterrows"},
                                      {"/pandas/core/frame.py", "itertuples"},
                                      {"/pandas/core/apply.py", "series_generator"}};
constexpr Family kRowWise{"row-by-row", kRows, "A data frame is gone through row by row",
                          "Compute on whole columns (arithmetic, masks, where, map, merge, groupby), or on "
                          "df.to_numpy(); itertuples() is the fastest of the loops.",
                          always};

constexpr fold::FunctionAt kJoins[] = {{"/pandas/core/reshape/concat.py", "concat"},
                                       {"/pandas/core/frame.py", "append"},
                                       {"/pandas/core/frame.py", "_append"},
                                       {"/numpy/lib/function_base.py", "append"},
                                       {"/numpy/lib/_function_base_impl.py", "append"},
                                       {"<__array_function__ internals>", "append"},
                                       {"<__array_function__ internals>", "concatenate"}};
constexpr Family kGrowing{"growing-by-copies", kJoins, "Data is copied again and again while it grows",
                          "Collect the parts in a list and join them once at the end (pandas.concat, "
                          "numpy.concatenate), or write into an array of the full size.",
                          copied_again};

constexpr fold::FunctionAt kSaves[] = {{"/torch/serialization.py", "save"}};
constexpr Family kCheckpoints{"checkpoints",
                              kSaves,
                              "Checkpoints take much of the time",
                              "Save less often (every N steps or minutes, at the end of an epoch), save only what is "
                              "needed (state_dict()), or let another thread write a copy.",
                              always,
                              true};

constexpr fold::FunctionAt kStarters[] = {{"/subprocess.py", "__init__"},
                                          {"/subprocess.py", "run"},
                                          {"/subprocess.py", "check_output"},
                                          {"/os.py", "popen"},
                                          {"/multiprocessing/process.py", "start"}};
constexpr Family kStarting{"process-starts", kStarters, "Processes are started again and again",
                           "Keep one process for many jobs (a pool, a server that is asked by a pipe), give one "
                           "command many files, or use a library in place of the command.",
                           many_children};

void add_memory(const Evidence& evidence, const Family& family, Spent& spent) {
  const std::vector<fold::CallNode>& nodes = evidence.lines().nodes();
  std::vector<bool> inside(nodes.size());
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    inside[node] = inside[nodes[node].parent] || fold::is_any(evidence.lines().function(node), family.functions);
    if (!inside[node]) continue;
    for (const model::MemoryMetric* memory : {&nodes[node].self.heap, &nodes[node].self.maps}) {
      spent.allocated_bytes = model::saturated_sum(spent.allocated_bytes, memory->bytes);
      spent.peak_bytes = model::saturated_sum(spent.peak_bytes, memory->peak_bytes);
    }
  }
}

std::vector<Finding> look_for(const Evidence& evidence, const Family& family) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  Spent spent;
  TimeByPlace sums(evidence);
  const double waits_with = queue_factor(evidence, *program);
  for (const LineTime& time : line_times(evidence, *program)) {
    // The function is what is called from the program's own line.
    std::uint32_t at = time.node;
    bool inside = false;
    while (at != 0 && !evidence.own().function(evidence.lines().function_id(at))) {
      inside |= fold::is_any(evidence.lines().function(at), family.functions);
      at = evidence.lines().nodes()[at].parent;
    }
    if (!inside || at == 0) continue;
    const auto cpu_ns = static_cast<std::int64_t>(waits_with * static_cast<double>(time.cpu_ns));
    const std::int64_t here = model::saturated_sum(cpu_ns, time.blocked_ns);
    spent.ns = model::saturated_sum(spent.ns, here);
    sums.add(at, here);
  }
  // Who starts a process waits in vfork() until it has become another program, which is in no call that is seen.
  if (&family == &kStarting && spent.ns > 0) spent.ns = model::saturated_sum(spent.ns, unseen_ns(evidence, *program));
  const double share =
      family.in_steps ? thread_share(evidence, *program, spent.ns) : share_of_life(evidence, *program, spent.ns);
  if (share < kActivity || spent.ns < kLeastActivityNs) return {};
  add_memory(evidence, family, spent);
  if (!family.again(evidence, spent)) return {};
  Finding finding;
  finding.rule = family.rule;
  finding.title = family.title;
  finding.seen = fmt::format("{} ({} % of the time) went by in it.", show::duration(static_cast<double>(spent.ns)),
                             show::percent(share, 1));
  finding.advice = family.advice;
  finding.places = sums.top();
  could_save(finding, evidence, share);
  return {finding};
}

template <const Family& family>
std::vector<Finding> look(const Evidence& evidence) {
  return look_for(evidence, family);
}

}  // namespace

const Rule kRowWiseRule{kRowWise.rule, "data frames gone through row by row", no_python_frames, look<kRowWise>};
const Rule kGrowingRule{kGrowing.rule, "data that grows by being copied", no_python_frames, look<kGrowing>};
const Rule kCheckpointsRule{kCheckpoints.rule, "checkpoints", no_python_frames, look<kCheckpoints>};
const Rule kStartsRule{kStarting.rule, "processes that are started again and again", no_python_frames, look<kStarting>};

}  // namespace prof::findings
