// The steps in the log: a record of each while there are few, and neighbours merged when there are many.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/thread/guard.hpp"

namespace prof::steps {

// A record of one step from its figures; `number` from 1 on.
log::StepRecord record_of(std::uint64_t number, std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t cpu_ns,
                          std::uint64_t process_cpu_ns, const log::StepFigures& figures);

// What was added since `before`: the parts of `ns` in all.
log::StepFigures difference(const log::StepFigures& now, const log::StepFigures& before, std::uint64_t ns);

// All zeros is a log without steps. One caller at a time; ordinary code.
class Records {
 public:
  // From now on steps are found by another thing: what was recorded before is forgotten, and counts as dropped.
  void begin(const Guard& guard, log::StepSource source, std::uint64_t frame, std::uint32_t tid);

  // One more step, of a higher number than those before. Loses it where the log has no room.
  void add(const Guard& guard, const log::StepRecord& step);

  // For how many records room in the log is wanted; 0: there is enough. Taking it may last, so that it is the caller's
  // to do when nobody is kept waiting; until it is given some steps can be added.
  std::uint32_t wanted_room() const { return wanted_; }
  static log::ChunkHeader* take_room(std::uint32_t records);
  // Null: there is none.
  void give_room(const Guard& guard, log::ChunkHeader* room);

  // A step was not recorded, of another thread or outside of the window.
  void drop();

 private:
  log::StepRecord* records() { return reinterpret_cast<log::StepRecord*>(header_ + 1); }
  void merge();
  void want_room();
  void move(log::ChunkHeader* to, std::uint32_t records);

  log::StepsHeader* header_;  // in the log; null: no step was recorded yet
  log::ChunkHeader* chunk_;
  std::uint32_t used_;
  bool full_;  // the log has no room
  log::StepSource source_;
  std::uint32_t tid_;
  std::uint64_t frame_;
  std::uint64_t dropped_;
  std::uint32_t wanted_;
  // Added while room was wanted.
  static constexpr std::uint32_t kMostPending = 4;
  std::uint32_t pending_count_;
  log::StepRecord pending_[kMostPending];
};

}  // namespace prof::steps
