// Where the time of the program's thread and of all threads went, on the tree of lines: for rules about lines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/thread_time.hpp"

namespace prof::findings {

// Why nothing can be told of lines of Python; null: it can.
const char* no_python_frames(const Evidence& evidence);

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

// CPU time of nodes of lines() for which `is` holds, all threads and processes together, by own line.
struct CpuAt {
  std::int64_t ns = 0;      // in those nodes
  std::int64_t all_ns = 0;  // in all, the profiler's left out
  std::vector<Place> places;
  double share() const { return all_ns > 0 ? static_cast<double>(ns) / static_cast<double>(all_ns) : 0; }
};
CpuAt cpu_at(const Evidence& evidence, const std::function<bool(std::uint32_t node)>& is);

// What could be saved of CPU time that ran on as many processors as the run kept busy on average: a share of the wall
// time that savings are told of, 0 to 1.
double share_of_wall(const Evidence& evidence, const CpuAt& cpu);

}  // namespace prof::findings
