#include "report/findings/rules/python/pickling_pools.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "report/findings/program_time.hpp"
#include "report/fold/function_match.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace pickling_pools {
namespace {

bool in_pool(const symbols::Function& function) {
  static constexpr fold::FunctionAt kPools[] = {{"/multiprocessing/pool.py", ""}, {"/concurrent/futures/_base.py", ""}};
  return fold::is_any(function, kPools);
}

bool works_in_pool(const symbols::Function& function) {
  static constexpr fold::FunctionAt kWorkers[] = {{"/multiprocessing/process.py", "_bootstrap"}};
  return fold::is_any(function, kWorkers);
}

}  // namespace
}  // namespace pickling_pools

std::vector<Place> using_pools(const Evidence& evidence) {
  const fold::CallTree& lines = evidence.lines();
  TimeByPlace sums(evidence);
  for (std::size_t i = 0; i < evidence.run().processes.size(); ++i) {
    if (!evidence.selection().includes(evidence.run().processes[i])) continue;
    const model::Thread* main = program_thread(evidence, i);
    if (main == nullptr) continue;
    for (const StackTime& time : stack_times(evidence.run().processes[i], main->slot)) {
      const std::uint32_t node = lines.node_of(i, time.node);
      if (time.blocked_ns <= 0 || node == fold::CallTree::kNoNode || !below(lines, node, pickling_pools::in_pool))
        continue;
      if (!below(lines, node, pickling_pools::works_in_pool)) sums.add(node, time.blocked_ns);
    }
  }
  std::vector<Place> out = sums.top();
  if (out.size() > 1) out.resize(1);
  return out;
}

void tell_of_methods(const Evidence& evidence, Finding& finding) {
  constexpr std::string_view kGiven[] = {"map(self.",         "map_async(self.", "imap_unordered(self.",
                                         "apply_async(self.", "apply(self.",     "submit(self."};
  symbols::SourceFiles& files = evidence.sources();
  for (const Place& place : finding.places) {
    const std::string line = files.line(place.file, static_cast<std::uint32_t>(std::max<std::int64_t>(0, place.line)));
    if (std::none_of(std::begin(kGiven), std::end(kGiven),
                     [&](std::string_view call) { return line.find(call) != std::string::npos; }))
      continue;
    finding.advice =
        "A method that is given to a pool takes its whole object along with each task: give it a function, and what it "
        "needs once for each worker (initializer=). " +
        finding.advice;
    return;
  }
}

}  // namespace prof::findings
