#include "report/model/loss_text.hpp"

#include "report/model/metrics.hpp"

namespace prof::model {
namespace {

struct Terms {
  const char* name = nullptr;
  const char* text = nullptr;
};

struct LossTerms {
  log::Loss reason;
  Terms terms;
};
constexpr LossTerms kLosses[] = {
    {log::Loss::SampleInAgent,
     {"sample_in_agent", "CPU samples came while the profiler itself was at work (their time is in the next sample)"}},
    {log::Loss::SampleUnprepared,
     {"sample_unprepared", "CPU samples came to threads that were not yet, or no longer, registered"}},
    {log::Loss::SampleNoSpace, {"sample_no_space", "CPU samples found no room in the log"}},
    {log::Loss::StackTruncated,
     {"stack_truncated", "stacks were deeper than the limit: their outermost frames are missing (PROF_DEPTH)"}},
    {log::Loss::StackBroken, {"stack_broken", "stacks could not be followed to their outermost frame"}},
    {log::Loss::TreeFull, {"tree_full", "contexts were booked on a caller, because the call tree was full"}},
    {log::Loss::RecordNoSpace,
     {"record_no_space", "counters could not be recorded, because the log or the disk was full"}},
    {log::Loss::LiveTableFull,
     {"live_table_full", "sampled blocks could not be remembered: they count as never freed"}},
    {log::Loss::ModuleTableFull,
     {"module_table_full", "libraries could not be described: their frames show as addresses"}},
    {log::Loss::ThreadTableFull, {"thread_table_full", "threads found no room: they were not measured"}},
    {log::Loss::MapTableFull, {"map_table_full", "mappings could not be remembered: they count as never unmapped"}},
    {log::Loss::ChildTableFull, {"child_table_full", "exit statuses of children could not be noted"}},
    {log::Loss::NestedAllocation,
     {"nested_allocation",
      "allocations came from signal handlers inside the profiler's hooks: counted, without context"}},
    {log::Loss::LateAllocation,
     {"late_allocation", "allocations came from threads that had already ended: counted, without context"}},
    {log::Loss::StackGuessed,
     {"stack_guessed", "stacks go through code without unwind tables (a JIT's, assembly), whose callers are a guess"}},
    {log::Loss::PythonRejected,
     {"python_rejected", "stacks have no Python frames: the interpreter was just changing them"}},
    {log::Loss::PythonUnplaced,
     {"python_unplaced", "runs of Python frames were put into their stack by order, without an anchor"}},
    {log::Loss::CodeTableFull,
     {"code_table_full", "Python functions could not be described: they show as (unknown Python code)"}},
    {log::Loss::CallTableFull,
     {"call_table_full", "exact calls or lines were not counted, because the tables or the log were full"}},
    {log::Loss::FreeNotSeen,
     {"free_not_seen", "blocks were freed past the profiler: noticed when their addresses were handed out again"}},
    {log::Loss::BlockTooLarge, {"block_too_large", "blocks of 256 GiB or more: counted, without context"}},
    {log::Loss::NameTableFull,
     {"name_table_full",
      "names of calls, files, kernels, ranges or operators could not be kept: they show as (unnamed), or without "
      "shapes"}},
    {log::Loss::DeviceDropped,
     {"device_dropped", "records of GPU work were dropped by CUPTI: GPU times miss that work"}},
    {log::Loss::DeviceInvalid, {"device_invalid", "records of GPU work made no sense: counted, without times"}},
    {log::Loss::DeviceUnlinked,
     {"device_unlinked", "kernels or copies have no launch that was seen: they are below (launch not seen)"}},
    {log::Loss::DeviceTableFull,
     {"device_table_full", "blocks of GPU memory could not be followed: their frees were not seen"}},
    {log::Loss::DeviceForeignFree,
     {"device_foreign_free", "blocks of GPU memory were freed whose allocations had not been seen"}},
    {log::Loss::FileTableFull,
     {"file_table_full", "files are not listed one by one: their figures are in those of their directories"}},
    {log::Loss::LockTableFull,
     {"lock_table_full", "locks could not be remembered: their waits are known by function only"}},
    {log::Loss::ApiUnresolved,
     {"api_unresolved", "calls of CUDA or a library above it found no library: they got its error"}},
    {log::Loss::RangeUnbalanced, {"range_unbalanced", "ranges were too deep, or ended without having begun"}},
    {log::Loss::OperatorUnbalanced,
     {"operator_unbalanced",
      "operators ended without having begun, or could not be remembered: they were not counted"}},
    {log::Loss::Contended,
     {"contended", "things were not noted, because another thread was noting such a thing at that moment"}},
};

struct ConditionTerms {
  std::uint64_t bit;
  Terms terms;
};
constexpr ConditionTerms kConditions[] = {
    {log::kNoUnwinder, {"no_unwinder", "libunwind was asked for, but not found: the profiler's own unwinder was used"}},
    {log::kNoTimers,
     {"no_timers", "no CPU timer could be made for some threads, or for all: there are no CPU samples of these"}},
    {log::kNoFreeSignal,
     {"no_free_signal", "the program uses every signal that could have been taken: there are no CPU samples"}},
    {log::kHeapNotSeen,
     {"heap_not_seen", "another library serves malloc in front of libprof.so: there are no heap figures"}},
    {log::kLogFull, {"log_full", "the log reached its size limit (PROF_LOG_MAX)"}},
    {log::kDiskFull, {"disk_full", "the disk was full"}},
    {log::kUnlinked, {"unlinked", "the log was moved or deleted while the program ran: it could not grow"}},
    {log::kSlowTicks,
     {"slow_ticks", "the kernel's timers cannot tick as often as asked, and perf events are not allowed"}},
    {log::kSignalMoved, {"signal_moved", "the program took the sampling signal: another one was used from there on"}},
    {log::kNoTicksOnStack,
     {"no_ticks_on_stack",
      "an alternate signal stack was too small for a signal, or its memory gone: its thread has no CPU samples"}},
    {log::kOwnOperatorNew, {"own_operator_new", "operator new belongs to another allocator: it is counted by itself"}},
    {log::kSandboxed,
     {"sandboxed", "the program restricted its system calls (seccomp): what it did from there on is not recorded"}},
};

// Nothing for what only a newer agent knows.
Terms terms_of_loss(std::size_t reason) {
  for (const LossTerms& loss : kLosses) {
    if (static_cast<std::size_t>(loss.reason) == reason) return loss.terms;
  }
  return {};
}

Terms terms_of_condition(std::uint64_t bit) {
  for (const ConditionTerms& condition : kConditions) {
    if (condition.bit == bit) return condition.terms;
  }
  return {};
}

template <typename Choose>
std::vector<std::string> each_condition(std::uint64_t bits, Choose choose) {
  std::vector<std::string> list;
  for (unsigned number = 0; number < 64; ++number) {
    const std::uint64_t bit = std::uint64_t{1} << number;
    if ((bits & bit) == 0) continue;
    const char* chosen = choose(terms_of_condition(bit));
    list.push_back(chosen != nullptr ? chosen : "condition_" + std::to_string(number));
  }
  return list;
}

std::uint64_t sum(const LossCounters& loss, std::initializer_list<log::Loss> reasons) {
  std::uint64_t total = 0;
  for (const log::Loss reason : reasons) total = saturated_sum(total, loss[static_cast<std::size_t>(reason)]);
  return total;
}

}  // namespace

std::string loss_name(std::size_t reason) {
  const Terms terms = terms_of_loss(reason);
  return terms.name != nullptr ? terms.name : "reason_" + std::to_string(reason);
}

std::string loss_text(std::size_t reason) {
  const Terms terms = terms_of_loss(reason);
  return terms.text != nullptr ? terms.text
                               : "things were lost for reason " + std::to_string(reason) + " (of a newer prof)";
}

std::vector<std::string> condition_sentences(std::uint64_t conditions) {
  return each_condition(conditions, [](const Terms& terms) { return terms.text; });
}

std::vector<std::string> condition_names(std::uint64_t conditions) {
  return each_condition(conditions, [](const Terms& terms) { return terms.name; });
}

std::uint64_t samples_dropped(const LossCounters& loss) {
  using enum log::Loss;
  return sum(loss, {SampleInAgent, SampleUnprepared, SampleNoSpace});
}

std::uint64_t stacks_truncated(const LossCounters& loss) {
  using enum log::Loss;
  return sum(loss, {StackTruncated, StackBroken});
}

std::uint64_t records_lost(const LossCounters& loss) {
  using enum log::Loss;
  return sum(loss, {TreeFull, RecordNoSpace, LiveTableFull, ModuleTableFull, ThreadTableFull, MapTableFull,
                    ChildTableFull, CodeTableFull, CallTableFull, NameTableFull, DeviceDropped, DeviceTableFull,
                    FileTableFull, LockTableFull, Contended});
}

}  // namespace prof::model
