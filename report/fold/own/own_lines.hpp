// Everything that was measured, by the innermost line of the user's own code that led to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/fold/own_code.hpp"

namespace prof::fold {

// How the names of parts begin that are no CPU time: "waiting: file".
inline constexpr std::string_view kWaiting = "waiting: ";

// A part of a line's figure: that of a package or an activity (activity.hpp), or of what it waited for.
struct Part {
  std::string name;
  std::int64_t amount = 0;
};

struct OwnLine {
  // Of the row for what no own code is on the stack of: 0, and empty.
  std::uint32_t function = 0;  // id in Symbols; where several share the line, the first
  std::uint32_t line = 0;
  std::string file;  // as the code names it
  bool own = true;   // false: that row

  model::CpuMetric cpu;
  std::int64_t blocked_ns = 0;  // in calls that wait for something, without the CPU time in them
  std::int64_t idle_ns = 0;     // the same in calls that wait for work: see fold/waiting/idle.hpp
  model::MemoryMetric memory;   // of malloc and its family
  std::int64_t copied_bytes = 0;
  std::int64_t gpu_ns = 0;
  std::vector<Part> spent;  // CPU and blocked time in nanoseconds, most first
  std::vector<Part> held;   // bytes at the peak, by whose code allocated them, most first

  std::int64_t ns() const { return model::saturated_sum(cpu.ns, blocked_ns); }
};

enum class OwnGroup { Line, Function };

struct OwnLines {
  std::vector<OwnLine> rows;  // by ns(), then by memory at the peak; the row of no own code is the last
  // Sums of all rows.
  std::int64_t cpu_ns = 0, blocked_ns = 0, idle_ns = 0, gpu_ns = 0;
  bool any_own() const { return rows.size() > 1; }
};

// `lines`: see line_tree(). What the profiler took is in no row.
OwnLines own_lines(const CallTree& lines, OwnGroup group = OwnGroup::Line);

}  // namespace prof::fold
