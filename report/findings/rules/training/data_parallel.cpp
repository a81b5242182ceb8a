// torch.nn.DataParallel shares one process, and Python's one lock, among the GPUs.
#include <fmt/format.h>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace data_parallel {
namespace {

bool in_file(const symbols::Function& function, std::string_view file) {
  return function.language == symbols::Language::Python && function.file.ends_with(file);
}

// Only where there is more than one GPU does it make copies of the module.
bool replicates(const symbols::Function& function) {
  return in_file(function, "/torch/nn/parallel/replicate.py") ||
         in_file(function, "/torch/nn/parallel/parallel_apply.py");
}
bool in_data_parallel(const symbols::Function& function) {
  return in_file(function, "/torch/nn/parallel/data_parallel.py");
}
// What each step pays for it: the module is copied to all GPUs, inputs are parted, outputs are brought together.
bool hands_out(const symbols::Function& function) {
  return in_file(function, "/torch/nn/parallel/replicate.py") ||
         in_file(function, "/torch/nn/parallel/scatter_gather.py");
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> thread = program_thread(evidence);
  if (!thread) return {};
  const std::vector<bool> inside = stacks_with(evidence, thread->process, in_data_parallel);
  const std::vector<bool> copies = stacks_with(evidence, thread->process, replicates);
  const std::vector<bool> handing = stacks_with(evidence, thread->process, hands_out);
  std::int64_t all = 0, handed = 0;
  bool replicas = false;
  TimeByPlace sums(evidence);
  for (const StackTime& time : stack_times(evidence.run().processes[thread->process], thread->slot)) {
    if (!inside[time.node]) continue;
    replicas |= copies[time.node];
    all = model::saturated_sum(all, time.ns());
    if (handing[time.node]) handed = model::saturated_sum(handed, time.ns());
    sums.add(thread->process, time.node, time.ns());
  }
  const double share = thread_share(evidence, *thread, all);
  if (!replicas || share < kDataParallel) return {};
  Finding finding;
  finding.rule = kDataParallelRule.name;
  finding.title = "DataParallel shares one process among the GPUs";
  finding.seen = fmt::format(
      "{} % of {} went by in torch.nn.DataParallel, {} of {} in copying the module to all GPUs, parting inputs "
      "and "
      "bringing outputs together. Its threads share Python's global lock.",
      show::percent(share, 1), share_words(evidence), show::duration(real(handed)), show::duration(real(all)));
  finding.advice =
      "Use torch.nn.parallel.DistributedDataParallel with one process for each GPU (torchrun): modules stay where they "
      "are, and gradients are exchanged while the backward pass runs.";
  finding.places = sums.top();
  could_save(finding, evidence, thread_share(evidence, *thread, handed));
  return {finding};
}

}  // namespace
}  // namespace data_parallel

const Rule kDataParallelRule{"data-parallel", "DataParallel where DistributedDataParallel would do", no_python_frames,
                             data_parallel::look};

}  // namespace prof::findings
