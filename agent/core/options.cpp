#include "agent/core/options.hpp"

#include <array>
#include <iterator>

#include "agent/contract/option_table.hpp"

namespace prof {
namespace {

// Of the table what is needed here: help is for other programs.
struct Setting {
  std::string_view name, grammar;
  bool (*set)(std::string_view value, Options& options);
};
constexpr auto kSettings = [] {
  std::array<Setting, std::size(option::kOptions)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = {option::kOptions[i].variable, option::kOptions[i].grammar, option::kOptions[i].set};
  }
  return all;
}();

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
      complaint << name << '=' << first(value, 80) << " ignored: it takes ";
      option::write_values(found->grammar, [&complaint](std::string_view part) { complaint << part; });
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
  if (o.cuda_callbacks != Choice::Auto)
    text << "\nPROF_CUDA_CALLBACKS=" << (o.cuda_callbacks == Choice::On ? "on" : "off");
  if (o.stop_on_exit) text << "\nPROF_STOP_ON_EXIT=on";
  if (o.seed != 0) text << "\nPROF_SEED=" << o.seed;
  // Last, as it may be too long for what room there is.
  if (o.cupti[0] != '\0') text << "\nPROF_CUPTI=" << o.cupti;
}

}  // namespace prof
