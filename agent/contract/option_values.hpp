// The grammar of each option: reads a value into the options. False: it is none, and the options stay as they are.
// Usable in every context.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/contract/options.hpp"
#include "agent/contract/parse.hpp"

namespace prof::option {

inline bool set_cpu(std::string_view v, Options& o) {
  std::uint64_t hz = 0;
  if (v == "off") {
    o.cpu_hz = o.cpu_hz_first = 0;
    return true;
  }
  if (!parse_number(v, 1, 10000, hz)) return false;
  o.cpu_hz = o.cpu_hz_first = static_cast<std::uint32_t>(hz);
  return true;
}

inline bool set_ticks(std::string_view v, Options& o) {
  if (v == "auto")
    o.ticks = TicksChoice::Auto;
  else if (v == "timer")
    o.ticks = TicksChoice::Timer;
  else if (v == "perf")
    o.ticks = TicksChoice::Perf;
  else
    return false;
  return true;
}

inline bool set_heap(std::string_view v, Options& o) {
  if (v == "off") {
    o.heap = log::HeapMode::Off;
    return true;
  }
  if (v == "exact") {
    o.heap = log::HeapMode::Exact;
    return true;
  }
  if (v == "sampled") {
    o.heap = log::HeapMode::Sampled;
    return true;
  }
  constexpr std::string_view prefix = "sampled:";
  std::uint64_t bytes = 0;
  if (!v.starts_with(prefix) || !parse_size(from(v, prefix.size()), 1 << 10, 1 << 30, bytes)) return false;
  o.heap = log::HeapMode::Sampled;
  o.heap_interval = o.heap_interval_first = bytes;
  return true;
}

inline bool set_depth(std::string_view v, Options& o) {
  std::uint64_t n = 0;
  if (!parse_number(v, 8, 1024, n)) return false;
  o.depth = static_cast<std::uint32_t>(n);
  return true;
}

inline bool set_unwinder(std::string_view v, Options& o) {
  if (v != "own" && v != "libunwind") return false;
  o.libunwind = v == "libunwind";
  return true;
}

inline bool set_python(std::string_view v, Options& o) {
  constexpr std::string_view chosen = "lines:";
  if (v == "off") {
    o.python = PythonMode::Off;
  } else if (v == "frames" || v == "on") {
    o.python = PythonMode::Frames;
  } else if (v == "calls") {
    o.python = PythonMode::Calls;
  } else if (v == "lines") {
    o.python = PythonMode::Lines;
    o.python_lines[0] = '\0';
  } else if (v.starts_with(chosen) && v.size() > chosen.size() && copy_text(from(v, chosen.size()), o.python_lines)) {
    o.python = PythonMode::Lines;
  } else {
    return false;
  }
  return true;
}

inline bool set_cuda(std::string_view v, Options& o) {
  if (v == "on")
    o.cuda = CudaMode::Device;
  else if (v == "host")
    o.cuda = CudaMode::Host;
  else if (v == "off")
    o.cuda = CudaMode::Off;
  else
    return false;
  o.cuda_given = true;
  return true;
}

inline bool set_graph(std::string_view v, Options& o) {
  if (v != "graph" && v != "node") return false;
  o.cuda_graph_nodes = v == "node";
  return true;
}

inline bool set_callbacks(std::string_view v, Options& o) {
  if (v != "auto" && v != "on" && v != "off") return false;
  o.cuda_callbacks = v == "auto" ? Choice::Auto : v == "on" ? Choice::On : Choice::Off;
  return true;
}

// on, off, or what is recorded besides.
inline bool set_ops(std::string_view v, Options& o) {
  Options wanted;
  if (v == "off") {
    wanted.operators = false;
  } else if (v != "on") {
    std::string_view left = v;
    for (std::size_t comma = 0; comma != std::string_view::npos;) {
      comma = left.find(',');
      const std::string_view word = first(left, comma);
      if (word == "shapes")
        wanted.operator_shapes = true;
      else if (word == "memory")
        wanted.operator_memory = true;
      else if (word == "flops")
        wanted.operator_flops = true;
      else if (word == "stacks")
        wanted.operator_stacks = true;
      else
        return false;
      if (comma != std::string_view::npos) left = from(left, comma + 1);
    }
  }
  o.operators = wanted.operators;
  o.operator_shapes = wanted.operator_shapes;
  o.operator_memory = wanted.operator_memory;
  o.operator_flops = wanted.operator_flops;
  o.operator_stacks = wanted.operator_stacks;
  return true;
}

inline bool set_trace(std::string_view v, Options& o) {
  if (v == "off") {
    o.trace_bytes = 0;
    return true;
  }
  return parse_size(v, 64 << 10, 512 << 20, o.trace_bytes);
}

inline bool set_capture(std::string_view v, Options& o) {
  constexpr std::string_view nvtx = "nvtx:";
  if (v != "cudaProfilerApi" && !(v.starts_with(nvtx) && v.size() > nvtx.size())) return false;
  return copy_text(v, o.capture_range);
}

inline bool set_step(std::string_view v, Options& o) {
  constexpr std::string_view nvtx = "nvtx:";
  if (v.empty() || v == nvtx) return false;
  const bool asked = v != "auto" && v != "off";
  if (!copy_text(asked ? v : std::string_view(), o.step)) return false;
  o.steps = v != "off";
  return true;
}

inline bool set_out(std::string_view v, Options& o) {
  o.out_given = !v.empty() && copy_text(v, o.out);
  return o.out_given || v.empty();
}

inline bool set_log_max(std::string_view v, Options& o) { return parse_size(v, 1 << 20, 1 << 30, o.log_max); }

inline bool set_schedule(std::string_view v, Options& o) { return steps::parse_schedule(v, o.schedule); }

// Read by others alone.
inline bool set_nothing(std::string_view, Options&) { return true; }

template <bool Options::*member>
bool set_switch(std::string_view v, Options& o) {
  return parse_switch(v, o.*member);
}

template <auto member>
bool set_text(std::string_view v, Options& o) {
  return copy_text(v, o.*member);
}

template <std::uint64_t Options::*member, std::uint64_t low, std::uint64_t high>
bool set_number(std::string_view v, Options& o) {
  return parse_number(v, low, high, o.*member);
}

template <std::uint64_t Options::*member>
bool set_seconds(std::string_view v, Options& o) {
  return parse_seconds(v, o.*member);
}

}  // namespace prof::option
