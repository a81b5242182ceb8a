// Where the time of the program's thread and of all threads went, on the tree of lines: for rules about lines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/thread_time.hpp"

namespace prof::findings {

// Why nothing can be told of lines of Python; null: it can.
const char* no_python_frames(const Evidence& evidence);
// The same, or of what they waited for.
const char* no_python_waits(const Evidence& evidence);
// The same, or of what they allocated.
const char* no_python_allocations(const Evidence& evidence);

// Why nobody knows what the interpreter itself did: a rule's answer where it found nothing else.
inline constexpr const char* kStripped = "this interpreter is stripped of the names of what it does";

// What one thread took at one node of Evidence::lines().
struct LineTime {
  std::uint32_t node = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t blocked_ns = 0;  // idle waits left out (Evidence::idle())
  std::int64_t waited_ns = 0;   // in the same calls, the CPU time in them included
  std::int64_t calls = 0;       // of waits that were not idle
  std::optional<log::WaitClass> waits;
};

// Of a thread of the program; imports left out, which rules of their own are about.
std::vector<LineTime> line_times(const Evidence& evidence, const ThreadOf& thread);

// What part of the thread's life `ns` is, 0 to 1: times of the whole run are no share of its steps alone.
double share_of_life(const Evidence& evidence, const ThreadOf& thread, std::int64_t ns);

// Of a time on processors, how much longer it took because threads waited for a processor: 1 where none did, or where
// that is not known.
double stretched(const Evidence& evidence);
// " (6.72 s with the waiting for a processor)" of 2.63 s; empty where that is hardly more.
std::string stretched_words(const Evidence& evidence, std::int64_t cpu_ns);
std::string stretched_words(std::int64_t cpu_ns, double with_queue_ns);

// CPU time of nodes of lines() for which `is` holds, all threads and processes together, by own line.
struct CpuAt {
  std::int64_t ns = 0;       // in those nodes
  std::int64_t samples = 0;  // in those nodes
  std::int64_t all_ns = 0;   // in all, the profiler's left out
  // Where the program's thread did nearly all of it: what it took, waiting for a processor included, as far as others
  // were not at work for longer.
  std::optional<std::int64_t> program_ns = std::nullopt;
  // The most wall time that it can have taken: a thread that did much of it had no more than its life for that.
  std::optional<std::int64_t> lives_ns = std::nullopt;
  std::vector<Place> places;
  void take(double part);  // leaves that part of it
  double share() const { return all_ns > 0 ? static_cast<double>(ns) / static_cast<double>(all_ns) : 0; }
};
CpuAt cpu_at(const Evidence& evidence, const std::function<bool(std::uint32_t node)>& is);

// Whether there are enough samples of it: fewer do where they are nearly all of a short program.
bool is_enough(const CpuAt& cpu);

// "2.63 s of CPU time (6.72 s with the waiting for a processor), 54.0 % of all".
std::string cpu_words(const Evidence& evidence, const CpuAt& cpu);

// Sets what heeding the finding could save to share_of_wall() of that CPU time, and how far that may be wrong.
void could_save(Finding& finding, const Evidence& evidence, const CpuAt& cpu);
// The same to another share of the run's time.
void could_save_of_run(Finding& finding, const Evidence& evidence, const CpuAt& cpu, double share);
// The same of what is done in steps: to share_of_steps().
void could_save_of_steps(Finding& finding, const Evidence& evidence, const CpuAt& cpu);

// What could be saved of CPU time, and of the waiting for a processor that comes with it: a share of the run's wall
// time, 0 to 1. What the program's thread does, the program waits for; of what others do it is taken that as many
// threads were at it at once as were ready to run on average.
double share_of_wall(const Evidence& evidence, const CpuAt& cpu);
// The same of what is done in steps, where there are any: what imports and the program's beginning took does not make
// it less. Where it is more than the steps took it is done elsewhere, too: then share_of_wall().
double share_of_steps(const Evidence& evidence, const CpuAt& cpu);

}  // namespace prof::findings
