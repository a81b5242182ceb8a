// What the life of the process and of its threads is to a feature: one row of functions, which the feature defines as
// `feature` in its namespace. life/features.cpp lists the rows; nobody else knows them by name. What is null does
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "agent/core/text.hpp"
#include "agent/log/info.hpp"
#include "agent/thread/guard.hpp"

namespace prof {

// Memory of each thread that stands in its block, made of zeros and for as long as the block is: so many bytes, aligned
// to 64, and where to tell of it.
struct Room {
  enum class Where { OwnPages, FirstPage };
  // One that every thread uses stands on the page of its state, where so many bytes are free.
  static constexpr std::size_t kFirstPageBytes = 448;

  std::size_t bytes = 0;
  void (*give)(ThreadState&, void* room) = nullptr;  // ordinary code; before the thread begins
  Where where = Where::OwnPages;
};

// A text about the feature that stands in each log.
struct Description {
  log::InfoKey key{};
  void (*write)(TextBuilder&) = nullptr;  // at most kMostBytes. Ordinary code, where the log is made
  static constexpr std::size_t kMostBytes = 600;
};

struct Feature {
  void (*prepare)() = nullptr;                   // once at start, in the order of the list; process event
  void (*offer)() = nullptr;                     // once at start, before the environment is remembered: says in it
                                                 // where libraries find us
  void (*begin)() = nullptr;                     // once at start, when all are prepared and the run is known
  void (*begin_thread)(ThreadState&) = nullptr;  // the calling thread has its slot and record, and is not known yet
  void (*leave_calls)(ThreadState&) = nullptr;   // the calling thread leaves what it was in: its end begins
  void (*end_thread)(ThreadState&) = nullptr;    // nothing more of the calling thread is recorded
  void (*after_fork)() = nullptr;                // in the child, before it has a thread; process event

  // The process ends or becomes another program; outside a guard. `exec_failed` takes it back. Process events.
  void (*before_end)() = nullptr;
  void (*exec_failed)() = nullptr;
  // The same inside of a guard, with a log: what was kept back is written.
  void (*settle)(const Guard&) = nullptr;

  // What is looked at by whoever passes (vitals.hpp): what is due, and the CPU time that it took; with a sign of life;
  // and for the last time.
  std::uint64_t (*pass)(const Guard&, std::uint64_t now) = nullptr;
  void (*sign_of_life)(log::Header&, std::uint64_t now) = nullptr;
  void (*last_pass)(const Guard&, std::uint64_t now) = nullptr;
  // All threads are noted: the process ends.
  void (*note_threads)() = nullptr;

  Room room{};
  Description description{};
};

// All of them. Any context.
std::span<const Feature* const> features();

}  // namespace prof
