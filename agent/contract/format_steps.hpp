// Steps of a training loop, or of any loop that a program's ranges or functions tell of. Part of the contract in
// format.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/contract/format_wait.hpp"

namespace prof::log {

// What the step's own thread did, of its wall time: each moment is in one of them.
enum class StepPart : std::uint32_t {
  Other,          // none of those below
  Data,           // in the loader, until it gave the next batch
  Copy,           // in calls that copy between host and device
  Forward,        // from the first operator that is no backward one to what comes next
  Backward,       // from the first backward operator, on any thread, to the last one
  Optimizer,      // in Optimizer.step and Optimizer.zero_grad
  Communication,  // in operators and calls of collectives
  Evaluation,     // like Forward, but followed by no Backward before the next batch
};
inline constexpr const char* kStepPartNames[] = {"other",    "data",      "copy",          "forward",
                                                 "backward", "optimizer", "communication", "evaluation"};
inline constexpr std::uint32_t kStepParts = sizeof(kStepPartNames) / sizeof(kStepPartNames[0]);

// What a step is found by; the lowest that a program has is taken. Only ever appended to.
enum class StepSource : std::uint32_t {
  None,
  Asked,      // PROF_STEP: a range or a function of Python
  Profiler,   // ranges "ProfilerStep#N" of torch.profiler's own schedule
  Optimizer,  // from the end of one "Optimizer.step#..." to that of the next
  Range,      // the outermost range of the main thread that repeats
};

struct StepFigures {
  std::uint64_t parts_ns[kStepParts];      // by StepPart
  std::uint64_t blocked_ns[kWaitClasses];  // of the thread, by WaitClass: in calls of kWaitSure and more
};

// One step, or neighbours that were merged: a log has room for kStepRecords of them, and when they are full each two
// become one. All words are stored with `count` last; a record with a count of 0 is not there (yet).
struct StepRecord {
  std::uint64_t count;             // steps in it
  std::uint64_t first;             // number of the first one, from 1 on
  std::uint64_t begin_ns, end_ns;  // CLOCK_MONOTONIC; the next step need not begin where this one ends
  std::uint64_t ns;                // the steps' wall time, added up
  std::uint64_t cpu_ns;            // of the step's thread
  std::uint64_t process_cpu_ns;    // of all threads
  StepFigures sum;
  std::uint64_t shortest_ns;
  std::uint64_t longest, longest_ns, longest_cpu_ns;  // its number, its wall time
  StepFigures longest_figures;
};
inline constexpr std::uint32_t kStepRecords = 512;
inline constexpr std::uint32_t kStepRecordWords = sizeof(StepRecord) / 8;

// At the start of the chunk, behind its ChunkHeader; the records follow.
struct StepsHeader {
  std::uint32_t records;       // room for so many
  std::uint32_t record_words;  // of the writer: kStepRecordWords
  std::uint64_t frame;         // frame word of what the steps were found by
  StepSource source;
  std::uint32_t tid;      // whose steps they are
  std::uint64_t per;      // steps to a record, by now: 1, 2, 4...
  std::uint64_t dropped;  // steps that were not recorded: of other threads, or outside of the window
  std::uint64_t reserved;
};
static_assert(sizeof(StepsHeader) % 8 == 0);

}  // namespace prof::log
