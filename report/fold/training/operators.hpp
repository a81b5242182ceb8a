// Operators of a framework, as they called each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/fold/operator_grouping.hpp"
#include "report/fold/selection.hpp"
#include "report/model/profile.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

struct OperatorRow {
  std::string name;    // "(unnamed)" where the log had no room for it
  std::string kind;    // "forward", "backward", "script", "scope"
  std::string shapes;  // by shape: "[[8, 3], [4]]"; empty: not recorded, or none
  // By stack: locations of Python, the calling line first; empty: none was recorded, or there was none.
  std::vector<std::uint32_t> stack;
  std::string module;  // by module: "Net > Sequential > Linear"; empty: none, or not recorded
  // By thread: indices into Run::processes and Process::threads. By step: the process.
  std::optional<std::size_t> process, thread;
  std::optional<std::int64_t> step;  // by step: its number; none: outside of the steps

  std::int64_t calls = 0;
  std::int64_t self_ns = 0;   // wall time in it, without the operators inside
  std::int64_t total_ns = 0;  // with them; calls of itself inside it count once
  std::int64_t each_ns = 0;   // of all calls, those inside others of its kind too: what their average is of
  model::Extremes each;
  // Memory of tensors: allocated minus freed; in it alone, and with what is inside.
  std::int64_t self_host_bytes = 0, host_bytes = 0;
  std::int64_t self_device_bytes = 0, device_bytes = 0;
  // Time on devices of what was launched in it.
  std::int64_t self_gpu_ns = 0, gpu_ns = 0;
  // Floating point operations that it asked libraries for: what their calls say, not its inputs.
  std::int64_t self_library_flops = 0, library_flops = 0;
  // By PyTorch's own formulas, of its inputs.
  std::int64_t flops = 0;
};

// A step that the trace has operators of.
struct OperatorStep {
  std::size_t process = 0;  // index into Run::processes
  std::int64_t number = 0;
  bool whole = false;  // the trace has all of it
};

struct Operators {
  std::vector<OperatorRow> rows;  // by self_ns
  std::int64_t self_ns = 0;       // of all rows
  bool shapes = false;            // any has one
  bool host_memory = false;       // any was seen
  bool device_memory = false;
  bool library_flops = false;
  bool flops = false;
  bool stacks = false;           // Python frames were recorded
  std::int64_t backward = 0;     // calls of backward functions
  std::int64_t unlinked = 0;     // of these, it was not known what made so many: they have no frames of their own
  bool gpu_known = false;        // what devices did was seen; never by thread
  std::int64_t self_gpu_ns = 0;  // of all rows
  // By step:
  bool traced = false;              // there is a trace
  std::vector<OperatorStep> steps;  // by process and number, chosen or not
};

// Of the selected processes and threads. Focus keeps operators that match, with all inside them; ignore drops such.
// `symbols`: needed by stack and by module.
Operators operators(const model::Run& run, const Selection& selection, const OperatorGrouping& grouping,
                    const symbols::Symbols* symbols = nullptr);

}  // namespace prof::fold
