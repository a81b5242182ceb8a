// Java's garbage collector takes much of the processors' time, or of the program's.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "report/findings/below_own.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/waiting/vm_waits.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace java_collector {
namespace {

// What the collectors' own threads run, and the VM's for those that have none. Sources: HotSpot's workgroup.hpp (to 20)
// and workerThread.hpp, concurrentGCThread.hpp, gcVMOperations.hpp.
bool collects(const symbols::Function& function) {
  constexpr std::array<std::string_view, 14> kNames = {
      "GangWorker::run", "WorkerThread::run", "ConcurrentGCThread::run", "VM_GC_Operation", "VM_GenCollect",
      "VM_G1",           "VM_ParallelGC",     "VM_CollectForMetadata",   "VM_Serial",       "VM_Parallel",
      "ZDriver",         "ZWorker",           "ShenandoahControlThread", "VM_Shenandoah"};
  return function.language == symbols::Language::Native && begins_with_any(function.name, kNames);
}

// Where an object finds no room at hand, as often as the thread has used up what it was given: by the bytes that it
// allocates.
bool allocates(const symbols::Function& function) {
  constexpr std::array<std::string_view, 7> kNames = {"MemAllocator::",
                                                      "OptoRuntime::new_",
                                                      "Runtime1::new_",
                                                      "InterpreterRuntime::_new",
                                                      "InterpreterRuntime::anewarray",
                                                      "InterpreterRuntime::newarray",
                                                      "CollectedHeap::"};
  return function.language == symbols::Language::Native && begins_with_any(function.name, kNames);
}

struct Kept {
  std::int64_t ns = 0;  // the program's thread, by the collector
  explicit Kept(const Evidence& evidence) : allocating(evidence) {}
  TimeByPlace allocating;
};

Kept kept_by_it(const Evidence& evidence, const ThreadOf& program) {
  Kept out(evidence);
  const std::vector<bool> allocation = all_below(evidence.lines(), allocates),
                          vm = all_below(evidence.lines(), fold::waits_for_java_vm);
  for (const LineTime& time : line_times(evidence, program)) {
    const std::int64_t ns = model::saturated_sum(time.cpu_ns, time.blocked_ns);
    if (vm[time.node]) out.ns = model::saturated_sum(out.ns, time.blocked_ns);
    if (allocation[time.node]) out.allocating.add(time.node, ns);
  }
  return out;
}

const char* cannot(const Evidence& evidence) {
  const std::vector<model::Process>& processes = evidence.run().processes;
  const bool java = std::any_of(processes.begin(), processes.end(), [](const model::Process& process) {
    return model::has_library(process, "/libjvm.so");
  });
  return java ? nullptr : "no Java VM was seen";
}

std::vector<Finding> look(const Evidence& evidence) {
  if (cannot(evidence) != nullptr) return {};
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  const std::vector<bool> is = all_below(evidence.lines(), collects);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return is[node]; });
  const Kept kept = kept_by_it(evidence, *program);
  const double share = share_of_run(evidence, kept.ns);
  if (cpu.ns < kLeastActivityNs || cpu.share() < kCollector || share < kActivity) return {};
  Finding finding;
  finding.rule = kJavaCollectorRule.name;
  finding.title = "Java's garbage collector takes much of the time";
  finding.seen = fmt::format("It took {}; the program's thread waited {} for it ({} % of the run's time).",
                             cpu_words(evidence, cpu), show::duration(real(kept.ns)), show::percent(share, 1));
  finding.advice =
      "Give the heap more room (-Xmx, -Xms), or keep less in it: what is kept and never asked for again, caches "
      "without a bound, objects where arrays would do. The lines are those that allocate most.";
  finding.places = kept.allocating.top();
  could_save_of_run(finding, evidence, share);
  finding.saves_more = true;  // what is not kept is not made ready for keeping
  return {finding};
}

}  // namespace
}  // namespace java_collector

const Rule kJavaCollectorRule{"java-collector", "Java's garbage collector", java_collector::cannot,
                              java_collector::look};

}  // namespace prof::findings
