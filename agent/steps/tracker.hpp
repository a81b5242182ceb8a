// Which of the things that a program tells are the boundaries of its steps.
//
//   source     | a step is
//   -----------+---------------------------------------------------------------------------------------------------
//   Asked      | the range, or the call, that PROF_STEP names
//   Profiler   | a range "ProfilerStep#N"
//   Optimizer  | from the end of one outermost "Optimizer.step#..." to that of the next; where the loader gives
//   batches,
//              | to that of the first one after another batch
//   Range      | from one batch of the loader to the next, where there is a loader; else the outermost range of the
//              | main thread that repeats
//
// What is not known to be a step yet is measured like one: the first step has begun before its source is known.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/contract/format.hpp"
#include "agent/steps/parts.hpp"
#include "agent/steps/records.hpp"
#include "agent/steps/roles.hpp"
#include "agent/thread/guard.hpp"

namespace prof::steps {

struct Shared;

// All zeros is a process that has told nothing. One caller at a time; the calling thread is the guard's. As the
// functions of steps.hpp.
class Tracker {
 public:
  Mark range_begins(const Guard& guard, Mark mark, std::string_view text, std::string_view domain, std::uint64_t frame,
                    std::uint64_t now);
  void range_ends(const Guard& guard, Mark mark, std::uint64_t frame, std::uint64_t now);
  bool asked_begins(const Guard& guard, std::uint64_t frame, std::uint64_t now);
  void asked_ends(const Guard& guard, std::uint64_t now);
  void operator_begins(const Guard& guard, Role role, std::uint64_t now);
  void waited(log::WaitClass what, std::uint64_t ns) { parts_.waited(what, ns); }
  void operator_begins_late(const Guard& guard, std::uint64_t now);
  void took(StepPart part, std::uint64_t began, std::uint64_t ended);
  void waited_for_operators(std::uint64_t began, std::uint64_t ended);
  void waited_outside(std::uint64_t began, std::uint64_t ended);

  // What a range is by its name, to anybody's steps.
  static Mark mark_of_range(std::string_view text, std::string_view domain, bool outermost);
  // Whether outermost ranges may still turn out to be steps. Any thread.
  bool may_take_outermost() const;

  // As of Records.
  std::uint32_t wanted_room() const { return records_.wanted_room(); }
  void give_room(const Guard& guard, log::ChunkHeader* room) { records_.give_room(guard, room); }

 private:
  // An outermost range that may turn out to be the step, within what is open for another source.
  struct Outermost {
    std::uint64_t begun;  // 0: none is open
    std::uint64_t cpu, process_cpu;
    log::StepFigures figures;
  };
  struct Candidate {
    std::uint64_t hash;  // of the range's name; 0: none
    log::StepRecord step;
  };
  static constexpr std::uint32_t kCandidates = 8;

  bool owns(const Guard& guard);
  void own(const Guard& guard);
  bool may_change() const { return source_ == log::StepSource::None || source_ == log::StepSource::Range; }
  void take_over(const Guard& guard, log::StepSource source, std::uint64_t frame);
  void read_clocks();
  void open(std::uint64_t now);
  void open_if_none(std::uint64_t now);
  log::StepRecord close(std::uint64_t now);
  void publish(const Guard& guard, const log::StepRecord& step);
  bool is_empty() const { return operators_ && !parts_.seen(); }

  bool profiler_begins(const Guard& guard, std::uint64_t frame, std::uint64_t now);
  void data_begins(const Guard& guard, std::uint64_t frame, std::uint64_t now);
  void optimizer_ended(const Guard& guard, std::uint64_t frame, std::uint64_t now);
  bool outermost_begins(const Guard& guard, std::uint64_t hash, std::uint64_t now);
  void outermost_ends(const Guard& guard, std::uint64_t frame, std::uint64_t now);

  Parts parts_;
  Records records_;
  log::StepSource source_;
  std::uint64_t frame_;                        // of the source
  std::uint64_t steps_;                        // that ended
  std::uint64_t begun_;                        // when the open step did; 0: none is open
  std::uint64_t cpu_, process_cpu_;            // at the last look
  std::uint64_t step_cpu_, step_process_cpu_;  // when the open step began
  bool in_window_;                             // the open step began in the window of recording
  bool operators_;                             // there are any
  std::uint32_t nested_;                       // of what is asked for, within itself
  std::uint64_t loader_;                       // frame of the loader's range; 0: none was seen
  bool batch_;                                 // came since the optimiser's last step
  std::uint32_t batches_;                      // so many of its steps had one
  std::uint32_t without_batch_;                // its steps since
  bool learns_;                                // steps have backward operators
  std::uint32_t unlearned_;                    // so many steps of optimisers had none since
  std::uint32_t others_;                       // steps of other optimisers since one of frame_
  std::uint64_t hash_;                         // of the range that is the source, or is open
  Outermost outermost_;
  std::uint32_t next_candidate_;
  Candidate candidates_[kCandidates];
};

}  // namespace prof::steps
