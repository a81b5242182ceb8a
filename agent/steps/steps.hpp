// Steps of a training loop, or of any other: how long each took, and what it was made of. They are found by what the
// program says anyway: PROF_STEP, else torch.profiler's own steps, else the optimiser's, else batches of the loader,
// else the outermost range that repeats. One thread's steps are recorded: of the one that they were found in.
//
// Costs: an operator pays for a comparison or two, a blocking call of 0.1 ms and more for a lock, a step for two CPU
// clocks and a record.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "agent/contract/format.hpp"
#include "agent/core/pages.hpp"
#include "agent/steps/parts.hpp"
#include "agent/steps/roles.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::steps {

// What is looked at on every operator and every long call.
struct Shared {
  std::atomic<std::uint32_t> owner;  // tid of the step's thread; 0: nobody's so far, and the main thread is looked at
  std::atomic<bool> quiet;           // the next operator that computes is no news
  OperatorTimes times;
  std::atomic<std::int32_t> collectives;  // that began and did not end
  std::atomic<std::uint64_t> collective_ended;
};
extern pages::Wiped<Shared> shared;

// Out of line.
void note_operator(const Guard& guard, Role role, std::uint64_t now);
void note_late_operator(const Guard& guard, std::uint64_t now);
void note_backward(const Guard& guard, std::uint64_t now);
void note_wait(const Guard& guard, log::WaitClass what, std::uint64_t began, std::uint64_t ended, std::uint64_t ns,
               bool (*in_operator)(const ThreadState&));
void note_part(const Guard& guard, StepPart part, std::uint64_t began, std::uint64_t ended);

inline bool is_owner(const ThreadState& t) { return shared.value.owner.load(std::memory_order_relaxed) == t.tid; }

// A range begins: what it is to the steps, to be given back at its end. `outermost`: the thread is in no other one.
// Hook contexts.
Mark range_begins(const Guard& guard, std::string_view text, std::string_view domain, std::uint64_t frame,
                  bool outermost, std::uint64_t now);
// Ends, on whatever thread; not to be called for None.
void range_ends(const Guard& guard, Mark mark, std::uint64_t frame, std::uint64_t now);

// A call of the function of Python that PROF_STEP names begins and ends.
void function_begins(const Guard& guard, std::uint64_t frame, std::uint64_t now);
void function_ends(const Guard& guard, std::uint64_t now);
// Its pattern (calls/patterns.hpp); empty: PROF_STEP names none. It may be a range's name as well.
const char* function_pattern();

// An operator that is in no other one begins, of any role but None, and ends, of any role. One that is detached is
// waited for elsewhere, and may end on any thread. Hook contexts.
inline void operator_begins(const Guard& guard, Role role, bool detached, std::uint64_t now) {
  if (detached) {
    if (role == Role::Collective) shared.value.collectives.fetch_add(1, std::memory_order_relaxed);
  } else if (role == Role::Backward) {
    if (shared.value.times.backward_began.load(std::memory_order_relaxed) == 0) note_backward(guard, now);
  } else if (role == Role::Collective ||
             (role == Role::Compute && !shared.value.quiet.load(std::memory_order_relaxed))) {
    note_operator(guard, role, now);
  } else if (is_owner(guard.thread()) && shared.value.times.are_past(now)) {
    note_late_operator(guard, now);
  }
}
inline void operator_ends(const Guard& guard, Role role, bool detached, std::uint64_t now) {
  if (role > Role::None && is_owner(guard.thread()))
    shared.value.times.last_ended.store(now, std::memory_order_relaxed);
  if (role == Role::Backward && !detached) shared.value.times.backward_ended.store(now, std::memory_order_relaxed);
  if (role != Role::Collective || !detached) return;
  shared.value.collective_ended.store(now, std::memory_order_relaxed);
  shared.value.collectives.fetch_sub(1, std::memory_order_relaxed);
}

// The calling thread was blocked in a call for `ns`, without what other calls in it took. `in_operator` tells whether
// it is in an operator that has a role. Hook contexts.
inline void waited(const Guard& guard, log::WaitClass what, std::uint64_t began, std::uint64_t ended, std::uint64_t ns,
                   bool (*in_operator)(const ThreadState&)) {
  if (ns >= log::kWaitSure && is_owner(guard.thread())) note_wait(guard, what, began, ended, ns, in_operator);
}
// The calling thread spent this time in a call that copies to or from a device, or communicates. Hook contexts.
inline void took(const Guard& guard, StepPart part, std::uint64_t began, std::uint64_t ended) {
  if (is_owner(guard.thread())) note_part(guard, part, began, ended);
}

// Once at start, when the options are known.
void prepare_steps();
// In a forked child.
void after_fork();

}  // namespace prof::steps
