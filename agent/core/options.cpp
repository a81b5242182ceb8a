#include "agent/core/options.hpp"

#include "agent/core/parse.hpp"

namespace prof {
namespace {

bool set_cpu(std::string_view v, Options& o) {
  std::uint64_t hz = 0;
  if (v == "off") {
    o.cpu_hz = 0;
    return true;
  }
  if (!parse_number(v, 1, 10000, hz)) return false;
  o.cpu_hz = static_cast<std::uint32_t>(hz);
  return true;
}

bool set_ticks(std::string_view v, Options& o) {
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

bool set_heap(std::string_view v, Options& o) {
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

bool set_depth(std::string_view v, Options& o) {
  std::uint64_t n = 0;
  if (!parse_number(v, 8, 1024, n)) return false;
  o.depth = static_cast<std::uint32_t>(n);
  return true;
}

bool set_unwinder(std::string_view v, Options& o) {
  if (v != "own" && v != "libunwind") return false;
  o.libunwind = v == "libunwind";
  return true;
}

bool set_python(std::string_view v, Options& o) {
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

bool set_cuda(std::string_view v, Options& o) {
  if (v == "on")
    o.cuda = CudaMode::Device;
  else if (v == "host")
    o.cuda = CudaMode::Host;
  else if (v == "off")
    o.cuda = CudaMode::Off;
  else
    return false;
  return true;
}

bool set_graph(std::string_view v, Options& o) {
  if (v != "graph" && v != "node") return false;
  o.cuda_graph_nodes = v == "node";
  return true;
}

bool set_callbacks(std::string_view v, Options& o) {
  if (v != "auto" && v != "on" && v != "off") return false;
  o.cuda_callbacks = v == "auto" ? Choice::Auto : v == "on" ? Choice::On : Choice::Off;
  return true;
}

// on, off, or what is recorded besides.
bool set_ops(std::string_view v, Options& o) {
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

bool set_trace(std::string_view v, Options& o) {
  if (v == "off") {
    o.trace_bytes = 0;
    return true;
  }
  return parse_size(v, 64 << 10, 512 << 20, o.trace_bytes);
}

bool set_capture(std::string_view v, Options& o) {
  constexpr std::string_view nvtx = "nvtx:";
  if (v != "cudaProfilerApi" && !(v.starts_with(nvtx) && v.size() > nvtx.size())) return false;
  return copy_text(v, o.capture_range);
}

bool set_step(std::string_view v, Options& o) {
  constexpr std::string_view nvtx = "nvtx:";
  if (v.empty() || v == nvtx) return false;
  const bool asked = v != "auto" && v != "off";
  if (!copy_text(asked ? v : std::string_view(), o.step)) return false;
  o.steps = v != "off";
  return true;
}

bool set_out(std::string_view v, Options& o) {
  o.out_given = !v.empty() && copy_text(v, o.out);
  return o.out_given || v.empty();
}

struct Setting {
  std::string_view name;
  bool (*set)(std::string_view value, Options& options);
  std::string_view values;  // what a user may write
};
constexpr std::string_view kSeconds = "seconds, with up to three decimals";

constexpr Setting kSettings[] = {
    {"PROF_OUT", set_out, "a directory"},
    {"PROF_CPU", set_cpu, "off or 1..10000 (samples per second of CPU time)"},
    {"PROF_TICKS", set_ticks, "auto, timer or perf"},
    {"PROF_HEAP", set_heap, "off, sampled, sampled:BYTES (1K..1G) or exact"},
    {"PROF_DEPTH", set_depth, "8..1024 (frames)"},
    {"PROF_CHILDREN", [](std::string_view v, Options& o) { return parse_switch(v, o.children); }, "on or off"},
    {"PROF_CMDLINE", [](std::string_view v, Options& o) { return parse_switch(v, o.command_lines); }, "on or off"},
    {"PROF_LOG_MAX", [](std::string_view v, Options& o) { return parse_size(v, 1 << 20, 1 << 30, o.log_max); },
     "1M..1G"},
    {"PROF_QUIET", [](std::string_view v, Options& o) { return parse_switch(v, o.quiet); }, "on or off"},
    {"PROF_UNWINDER", set_unwinder, "own or libunwind"},
    {"PROF_PYTHON", set_python, "off, frames, calls, lines or lines:PATTERN[,PATTERN...] (up to 511 bytes)"},
    {"PROF_PYTHON_ALLOC", [](std::string_view v, Options& o) { return parse_switch(v, o.python_alloc); }, "on or off"},
    {"PROF_COPIES", [](std::string_view v, Options& o) { return parse_switch(v, o.copies); }, "on or off"},
    {"PROF_WATCH", [](std::string_view v, Options& o) { return copy_text(v, o.watch); },
     "PATTERN[,PATTERN...] (up to 511 bytes)"},
    {"PROF_WAIT", [](std::string_view v, Options& o) { return parse_switch(v, o.wait); }, "on or off"},
    {"PROF_OSRT_THRESHOLD",
     [](std::string_view v, Options& o) { return parse_number(v, 0, 1'000'000'000, o.wait_threshold); },
     "0..1000000000 (nanoseconds)"},
    {"PROF_CUDA", set_cuda, "on, host (no device times) or off"},
    {"PROF_CUDA_GRAPH", set_graph, "graph or node"},
    {"PROF_CUDA_CALLBACKS", set_callbacks, "auto, on or off"},
    {"PROF_CUPTI", [](std::string_view v, Options& o) { return copy_text(v, o.cupti); }, "the path of a libcupti.so"},
    {"PROF_RANGES", [](std::string_view v, Options& o) { return parse_switch(v, o.ranges); }, "on or off"},
    {"PROF_OPS", set_ops, "on, off, or of shapes, memory, flops and stacks those that are wanted, with commas"},
    {"PROF_TRACE", set_trace, "off or 64K..512M (bytes of the ring)"},
    {"PROF_STEP", set_step, "auto, off, NAME of a range or Python function, or nvtx:TEXT (up to 255 bytes)"},
    {"PROF_SCHEDULE", [](std::string_view v, Options& o) { return steps::parse_schedule(v, o.schedule); },
     steps::kScheduleValues},
    {"PROF_CAPTURE_RANGE", set_capture, "cudaProfilerApi or nvtx:TEXT (up to 255 bytes)"},
    {"PROF_DELAY", [](std::string_view v, Options& o) { return parse_seconds(v, o.delay_ms); }, kSeconds},
    {"PROF_DURATION", [](std::string_view v, Options& o) { return parse_seconds(v, o.duration_ms); }, kSeconds},
    {"PROF_STOP_ON_EXIT", [](std::string_view v, Options& o) { return parse_switch(v, o.stop_on_exit); }, "on or off"},
    {"PROF_SEED", [](std::string_view v, Options& o) { return parse_number(v, 0, 999'999'999'999, o.seed); },
     "a whole number"},
    {"PROF_WINDOW_FROM", [](std::string_view v, Options& o) { return parse_number(v, 1, UINT64_MAX, o.window_from); },
     "set by libprof itself"},
    {"PROF_RUN", [](std::string_view v, Options& o) { return copy_text(v, o.run); }, "set by libprof itself"},
    {"PROF_LIBRARY", [](std::string_view, Options&) { return true; }, "a path (read by prof run)"},
};

}  // namespace

void read_options(const char* const* environment, Options& options, TextBuilder& complaint) {
  for (const char* const* e = environment; e != nullptr && *e != nullptr; ++e) {
    const std::string_view entry = *e;
    if (!entry.starts_with("PROF_")) continue;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = first(entry, equals);
    const std::string_view value = from(entry, equals + 1);
    const Setting* found = nullptr;
    for (const Setting& s : kSettings) {
      if (s.name == name) found = &s;
    }
    if (found != nullptr && found->set(value, options)) continue;
    if (complaint.size() > 0) complaint << "; ";
    if (found == nullptr) {
      complaint << "unknown option " << name << " ignored";
    } else {
      complaint << name << '=' << first(value, 80) << " ignored: it takes " << found->values;
    }
  }
}

void describe_options(const Options& o, TextBuilder& text) {
  text << "PROF_CPU=";
  if (o.cpu_hz == 0)
    text << "off";
  else
    text << o.cpu_hz;
  text << "\nPROF_TICKS=" << (o.ticks == TicksChoice::Auto ? "auto" : o.ticks == TicksChoice::Timer ? "timer" : "perf");
  text << "\nPROF_HEAP=";
  if (o.heap == log::HeapMode::Off)
    text << "off";
  else if (o.heap == log::HeapMode::Exact)
    text << "exact";
  else
    text << "sampled:" << o.heap_interval;
  text << "\nPROF_DEPTH=" << o.depth << "\nPROF_CHILDREN=" << (o.children ? "on" : "off");
  text << "\nPROF_CMDLINE=" << (o.command_lines ? "on" : "off") << "\nPROF_LOG_MAX=" << o.log_limit();
  constexpr std::string_view modes[] = {"off", "frames", "calls", "lines"};
  text << "\nPROF_PYTHON=" << modes[static_cast<std::size_t>(o.python)];
  if (o.python_lines[0] != '\0') text << ':' << o.python_lines;
  text << "\nPROF_PYTHON_ALLOC=" << (o.python_alloc ? "on" : "off") << "\nPROF_COPIES=" << (o.copies ? "on" : "off");
  text << "\nPROF_WAIT=" << (o.wait ? "on" : "off");
  if (o.wait_threshold != kWaitThreshold) text << "\nPROF_OSRT_THRESHOLD=" << o.wait_threshold;
  constexpr std::string_view cuda[] = {"off", "host", "on"};
  text << "\nPROF_CUDA=" << cuda[static_cast<std::size_t>(o.cuda)];
  if (o.cuda_graph_nodes) text << "\nPROF_CUDA_GRAPH=node";
  if (!o.ranges) text << "\nPROF_RANGES=off";
  const struct {
    bool wanted;
    std::string_view word;
  } besides[] = {{o.operator_shapes, "shapes"},
                 {o.operator_memory, "memory"},
                 {o.operator_flops, "flops"},
                 {o.operator_stacks, "stacks"}};
  std::string_view before = "\nPROF_OPS=";
  for (const auto& one : besides) {
    if (!one.wanted) continue;
    text << before << one.word;
    before = ",";
  }
  if (before != ",") text << before << (o.operators ? "on" : "off");
  if (o.trace_bytes != 0) text << "\nPROF_TRACE=" << o.trace_bytes;
  if (!o.steps) text << "\nPROF_STEP=off";
  if (o.step[0] != '\0') text << "\nPROF_STEP=" << o.step;
  if (const steps::Schedule& s = o.schedule; s.active != 0) {
    text << "\nPROF_SCHEDULE=skip_first=" << s.skip_first << ",wait=" << s.wait << ",warmup=" << s.warmup
         << ",active=" << s.active << ",repeat=" << s.repeat;
  }
  if (o.capture_range[0] != '\0') text << "\nPROF_CAPTURE_RANGE=" << o.capture_range;
  if (o.delay_ms != 0) text << "\nPROF_DELAY=" << o.delay_ms;
  if (o.duration_ms != 0) text << "\nPROF_DURATION=" << o.duration_ms;
  if (o.watch[0] != '\0') text << "\nPROF_WATCH=" << o.watch;
  text << "\nPROF_UNWINDER=" << (o.libunwind ? "libunwind" : "own");
}

}  // namespace prof
