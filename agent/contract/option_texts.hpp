// The options as the log states them: writes the value in force as its option takes it. Nothing is written where the
// value need not be stated. Usable in every context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "agent/contract/options.hpp"
#include "agent/contract/text_builder.hpp"

namespace prof::option {

inline void write_cpu(const Options& o, TextBuilder& text) {
  if (o.cpu_hz == 0)
    text << "off";
  else
    text << o.cpu_hz;
}

inline void write_ticks(const Options& o, TextBuilder& text) {
  constexpr std::string_view words[] = {"auto", "timer", "perf"};
  text << words[static_cast<std::size_t>(o.ticks)];
}

inline void write_heap(const Options& o, TextBuilder& text) {
  if (o.heap == log::HeapMode::Off)
    text << "off";
  else if (o.heap == log::HeapMode::Exact)
    text << "exact";
  else
    text << "sampled:" << o.heap_interval;
}

inline void write_depth(const Options& o, TextBuilder& text) { text << o.depth; }

inline void write_log_max(const Options& o, TextBuilder& text) { text << o.log_limit(); }

inline void write_unwinder(const Options& o, TextBuilder& text) { text << (o.libunwind ? "libunwind" : "own"); }

inline void write_python(const Options& o, TextBuilder& text) {
  constexpr std::string_view words[] = {"off", "frames", "calls", "lines"};
  text << words[static_cast<std::size_t>(o.python)];
  if (o.python_lines[0] != '\0') text << ':' << o.python_lines;
}

inline void write_cuda(const Options& o, TextBuilder& text) {
  constexpr std::string_view words[] = {"off", "host", "on"};
  text << words[static_cast<std::size_t>(o.cuda)];
}

inline void write_graph(const Options& o, TextBuilder& text) {
  if (o.cuda_graph_nodes) text << "node";
}

inline void write_callbacks(const Options& o, TextBuilder& text) {
  if (o.cuda_callbacks != Choice::Auto) text << (o.cuda_callbacks == Choice::On ? "on" : "off");
}

inline void write_ops(const Options& o, TextBuilder& text) {
  const struct {
    bool wanted;
    std::string_view word;
  } details[] = {{o.operator_shapes, "shapes"},
                 {o.operator_memory, "memory"},
                 {o.operator_flops, "flops"},
                 {o.operator_stacks, "stacks"}};
  std::string_view before;
  for (const auto& one : details) {
    if (!one.wanted) continue;
    text << before << one.word;
    before = ",";
  }
  if (before.empty()) text << (o.operators ? "on" : "off");
}

inline void write_step(const Options& o, TextBuilder& text) {
  if (!o.steps)
    text << "off";
  else
    text << o.step;
}

inline void write_schedule(const Options& o, TextBuilder& text) {
  const steps::Schedule& s = o.schedule;
  if (s.active == 0) return;
  text << "skip_first=" << s.skip_first << ",wait=" << s.wait << ",warmup=" << s.warmup << ",active=" << s.active
       << ",repeat=" << s.repeat;
}

template <bool Options::*member>
void write_switch(const Options& o, TextBuilder& text) {
  text << (o.*member ? "on" : "off");
}

// A switch or a number that is not what holds without the option.
template <auto member>
void write_other(const Options& o, TextBuilder& text) {
  constexpr auto standard = Options{}.*member;
  if (o.*member == standard) return;
  if constexpr (std::is_same_v<decltype(standard), const bool>)
    text << (o.*member ? "on" : "off");
  else
    text << o.*member;
}

template <auto member>
void write_text(const Options& o, TextBuilder& text) {
  text << o.*member;
}

template <std::uint64_t Options::*member>
void write_seconds(const Options& o, TextBuilder& text) {
  if (o.*member == 0) return;
  text << o.*member / 1000 << '.';
  text.decimal(o.*member % 1000, 3);
}

}  // namespace prof::option
