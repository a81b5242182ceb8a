#include "report/model/loss_text.hpp"

#include <fmt/format.h>

#include "report/model/metrics.hpp"

namespace prof::model {
namespace {

struct Terms {
  const char* name = nullptr;
  const char* text = nullptr;  // of a loss: "[of several|of one]"
};

struct LossTerms {
  log::Loss reason;
  Terms terms;
};
constexpr LossTerms kLosses[] = {
    {log::Loss::SampleInAgent,
     {"sample_in_agent",
      "CPU [samples|sample] came while the profiler itself was at work ([their|its] time is in the next sample)"}},
    {log::Loss::SampleUnprepared,
     {"sample_unprepared",
      "CPU [samples|sample] came to [threads that were|a thread that was] not yet, or no longer, registered"}},
    {log::Loss::SampleNoSpace, {"sample_no_space", "CPU [samples|sample] found no room in the log"}},
    {log::Loss::StackTruncated,
     {"stack_truncated",
      "[stacks deeper than the limit lack their|stack deeper than the limit lacks its] outermost frames (--depth)"}},
    {log::Loss::StackBroken, {"stack_broken", "[stacks|stack] could not be followed to [their|its] outermost frame"}},
    {log::Loss::TreeFull,
     {"tree_full", "[contexts were|context was] booked on a caller, because the call tree was full"}},
    {log::Loss::RecordNoSpace,
     {"record_no_space", "[counters|counter] could not be recorded, because the log or the disk was full"}},
    {log::Loss::LiveTableFull,
     {"live_table_full", "sampled [blocks|block] could not be remembered: [they count|it counts] as never freed"}},
    {log::Loss::ModuleTableFull,
     {"module_table_full", "[libraries|library] could not be described: [their|its] frames show as addresses"}},
    {log::Loss::ThreadTableFull,
     {"thread_table_full", "[threads|thread] found no room: [they were|it was] not measured"}},
    {log::Loss::MapTableFull,
     {"map_table_full", "[mappings|mapping] could not be remembered: [they count|it counts] as never unmapped"}},
    {log::Loss::ChildTableFull,
     {"child_table_full", "exit [statuses of children|status of a child] could not be noted"}},
    {log::Loss::NestedAllocation,
     {"nested_allocation",
      "[allocations came from signal handlers|allocation came from a signal handler] inside the profiler's hooks: "
      "counted, without context"}},
    {log::Loss::LateAllocation,
     {"late_allocation",
      "[allocations came from threads|allocation came from a thread] that had already ended: counted, without "
      "context"}},
    {log::Loss::StackGuessed,
     {"stack_guessed", "[stacks|stack] in code without unwind tables [have guessed callers|has a guessed caller]"}},
    {log::Loss::PythonRejected,
     {"python_rejected", "[stacks have|stack has] no Python frames: the interpreter was just changing them"}},
    {log::Loss::PythonUnplaced,
     {"python_unplaced",
      "[runs of Python frames were put into their|run of Python frames was put into its] stack by order, without an "
      "anchor"}},
    {log::Loss::CodeTableFull,
     {"code_table_full",
      "Python [functions|function] could not be described: [they show|it shows] as (unknown Python code)"}},
    {log::Loss::CallTableFull,
     {"call_table_full",
      "exact [calls or lines were|call or line was] not counted, because the tables or the log were full"}},
    {log::Loss::FreeNotSeen,
     {"free_not_seen",
      "[blocks were|block was] freed past the profiler: noticed when [their addresses were|its address was] handed out "
      "again"}},
    {log::Loss::BlockTooLarge, {"block_too_large", "[blocks|block] of 256 GiB or more: counted, without context"}},
    {log::Loss::NameTableFull,
     {"name_table_full",
      "[names of calls, files, kernels, ranges or operators|name of a call, file, kernel, range or operator] could not "
      "be kept: [they show|it shows] as (unnamed), or without "
      "shapes"}},
    {log::Loss::DeviceDropped,
     {"device_dropped",
      "[records of GPU work were|record of GPU work was] dropped by CUPTI: GPU times miss that work"}},
    {log::Loss::DeviceInvalid,
     {"device_invalid", "[records|record] of GPU work made no sense: counted, without times"}},
    {log::Loss::DeviceUnlinked,
     {"device_unlinked",
      "[kernels or copies have|kernel or copy has] no launch that was seen: [they are|it is] below (launch not seen)"}},
    {log::Loss::DeviceTableFull,
     {"device_table_full",
      "[blocks|block] of GPU memory could not be followed: [their frees were|its free was] not seen"}},
    {log::Loss::DeviceForeignFree,
     {"device_foreign_free",
      "[blocks of GPU memory were freed whose allocations|block of GPU memory was freed whose allocation] had not been "
      "seen"}},
    {log::Loss::FileTableFull,
     {"file_table_full",
      "[files are not listed one by one: their figures are in those of their directories|file is not listed by itself: "
      "its figures are in those of its directory]"}},
    {log::Loss::LockTableFull,
     {"lock_table_full", "[locks|lock] could not be remembered: [their|its] waits are known by function only"}},
    {log::Loss::ApiUnresolved,
     {"api_unresolved", "[calls|call] of CUDA or a library above it found no library: [they|it] got its error"}},
    {log::Loss::RangeUnbalanced,
     {"range_unbalanced", "[ranges were|range was] too deep, or ended without having begun"}},
    {log::Loss::OperatorUnbalanced,
     {"operator_unbalanced",
      "[operators|operator] ended without having begun, or could not be remembered: [they were|it was] not counted"}},
    {log::Loss::Contended,
     {"contended", "[things were|thing was] not noted, because another thread was noting such a thing at that moment"}},
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

// "1 stack goes", "2 stacks go" of "[stacks go|stack goes]".
std::string for_count(std::uint64_t count, std::string text) {
  for (std::size_t open = text.find('['); open != std::string::npos; open = text.find('[', open)) {
    const std::size_t bar = text.find('|', open), close = text.find(']', open);
    if (bar > close || close == std::string::npos) break;
    const std::string chosen =
        count == 1 ? text.substr(bar + 1, close - bar - 1) : text.substr(open + 1, bar - open - 1);
    text.replace(open, close + 1 - open, chosen);
    open += chosen.size();
  }
  return text;
}

}  // namespace

std::string loss_name(std::size_t reason) {
  const Terms terms = terms_of_loss(reason);
  return terms.name != nullptr ? terms.name : "reason_" + std::to_string(reason);
}

std::string loss_text(std::size_t reason, std::uint64_t count) {
  const Terms terms = terms_of_loss(reason);
  if (terms.text != nullptr) return for_count(count, terms.text);
  return for_count(count, fmt::format("[things were|thing was] lost for reason {} (of a newer prof)", reason));
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
