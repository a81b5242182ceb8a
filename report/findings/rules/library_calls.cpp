// One function of a library takes much of the time where another way is known to be faster.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

struct At {
  std::string_view file;      // how it ends
  std::string_view function;  // the last part of its name
};

struct Family {
  const char* rule;
  std::vector<At> functions;
  const char* title;
  const char* advice;
};

const Family& row_wise() {
  static const Family family{"row-by-row",
                             {{"/pandas/core/frame.py", "iterrows"},
                              {"/pandas/core/frame.py", "itertuples"},
                              {"/pandas/core/apply.py", "apply_standard"},
                              {"/pandas/core/apply.py", "apply_series_generator"},
                              {"/pandas/core/indexing.py", "__setitem__"},
                              {"/pandas/core/indexing.py", "__getitem__"}},
                             "A data frame is gone through row by row",
                             "Compute on whole columns (arithmetic, masks, where, map, merge, groupby), or on "
                             "df.to_numpy(); itertuples() is the fastest of the loops."};
  return family;
}

const Family& growing() {
  static const Family family{"growing-by-copies",
                             {{"/pandas/core/reshape/concat.py", "concat"},
                              {"/pandas/core/frame.py", "append"},
                              {"/pandas/core/frame.py", "_append"},
                              {"/numpy/lib/function_base.py", "append"},
                              {"/numpy/lib/_function_base_impl.py", "append"},
                              {"<__array_function__ internals>", "append"},
                              {"<__array_function__ internals>", "concatenate"}},
                             "Data is copied again and again while it grows",
                             "Collect the parts in a list and join them once at the end (pandas.concat, "
                             "numpy.concatenate), or write into an array of the full size."};
  return family;
}

const Family& starting() {
  static const Family family{"process-starts",
                             {{"/subprocess.py", "__init__"},
                              {"/subprocess.py", "run"},
                              {"/subprocess.py", "check_output"},
                              {"/os.py", "popen"},
                              {"/multiprocessing/process.py", "start"}},
                             "Processes are started again and again",
                             "Keep one process for many jobs (a pool, a server that is asked by a pipe), give one "
                             "command many files, or use a library in place of the command."};
  return family;
}

bool is_of(const symbols::Function& function, const Family& family) {
  if (function.language != symbols::Language::Python) return false;
  const std::string_view file = function.file;
  const std::string_view name = std::string_view(function.name).substr(function.name.rfind('.') + 1);
  return std::any_of(family.functions.begin(), family.functions.end(),
                     [&](const At& at) { return at.function == name && file.ends_with(at.file); });
}

std::vector<Finding> look_for(const Evidence& evidence, const Family& family) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  std::int64_t ns = 0;
  TimeByPlace sums(evidence);
  for (const LineTime& time : line_times(evidence, *program)) {
    // The function is what is called from the program's own line.
    std::uint32_t at = time.node;
    bool inside = false;
    while (at != 0 && !evidence.own().function(evidence.lines().function_id(at))) {
      inside |= is_of(evidence.lines().function(at), family);
      at = evidence.lines().nodes()[at].parent;
    }
    if (!inside || at == 0) continue;
    const std::int64_t here = model::saturated_sum(time.cpu_ns, time.blocked_ns);
    ns = model::saturated_sum(ns, here);
    if (const auto place = evidence.own_place(at)) sums.add(*place, here);
  }
  const double share = share_of_life(evidence, *program, ns);
  if (share < kActivity || ns < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = family.rule;
  finding.title = family.title;
  finding.seen = fmt::format("{} ({} % of the time) went by in it.", show::duration(static_cast<double>(ns)),
                             show::percent(share, 1));
  finding.advice = family.advice;
  finding.places = sums.top();
  could_save(finding, evidence, share);
  return {finding};
}

template <const Family& (*family)()>
std::vector<Finding> look(const Evidence& evidence) {
  return look_for(evidence, family());
}

}  // namespace

const Rule kRowWiseRule{"row-by-row", "data frames gone through row by row", no_python_frames, look<row_wise>};
const Rule kGrowingRule{"growing-by-copies", "data that grows by being copied", no_python_frames, look<growing>};
const Rule kStartsRule{"process-starts", "processes that are started again and again", no_python_frames,
                       look<starting>};

}  // namespace prof::findings
