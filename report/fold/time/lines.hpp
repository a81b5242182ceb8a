// Lines of source: the CPU time that was spent in them and below them, and the memory that they allocated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/fold/call_tree.hpp"

namespace prof::fold {

// A Python line answers for the native code that it called: its own time is python + native. A native line stands for
// itself: its time is also in `native_ns` of the Python line that led to it.
struct SourceLine {
  std::string file;            // as the code names it
  std::uint32_t line = 0;      // never 0
  std::uint32_t function = 0;  // id in Symbols; where several share the line, the one with the most time
  symbols::Language language = symbols::Language::Native;
  std::int64_t python_ns = 0;      // the line itself ran. 0 of native lines
  std::int64_t native_ns = 0;      // Python: native code ran that the line called. Native: the line itself ran
  std::int64_t cumulative_ns = 0;  // stacks that the line is anywhere on, each once
  std::int64_t samples = 0;        // behind python_ns and native_ns
  // Of malloc and its family: by the line itself, and of Python by native code that it called; and by stacks that the
  // line is anywhere on, each once.
  model::MemoryMetric memory, cum_memory;
  model::MemoryMetric python_memory;  // of Python's own allocators, by the line itself
  // On devices: of work that the line launched itself, and of Python by native code that it called; and of stacks that
  // the line is anywhere on, each once. Devices idled for the same launches.
  std::int64_t gpu_ns = 0, cum_gpu_ns = 0, gpu_idle_ns = 0;
  // Blocking calls that the line made itself, and of Python native code that it called; and those of stacks that the
  // line is anywhere on, each once.
  model::WaitMetric wait, cum_wait;
  std::int64_t copied_bytes = 0;  // by the line itself, and of Python by native code that it called

  std::int64_t own_ns() const { return model::saturated_sum(python_ns, native_ns); }
};

struct Lines {
  std::vector<SourceLine> rows;   // by own time, then by blocked time, by that on GPUs, by allocated bytes
  std::int64_t total_ns = 0;      // CPU time of all selected stacks
  std::int64_t no_python_ns = 0;  // of that, in stacks without a Python line
  model::WaitMetric total_wait;   // of all selected stacks
  // What the figures of memory say something of: see CallTree.
  bool live_known = false, exact = false, copies_known = false, python_known = false;
  bool device_known = false, waits_known = false;
  bool any(symbols::Language language) const;
};

// Of a tree with Granularity::Line and Frames::Mixed. Lines whose file or number is not known are left out. Code that
// only hands calls on and has no source (numpy's dispatchers) is as if it were not there: its time is its caller's.
Lines lines(const CallTree& tree);
Lines lines(const model::Run& run, const symbols::Symbols& symbols, Selection selection);

}  // namespace prof::fold
