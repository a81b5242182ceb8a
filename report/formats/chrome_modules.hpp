// Modules of PyTorch (nn.Module) in a trace, as far as its operators tell of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/fold/training/trace_steps.hpp"
#include "report/model/process.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::formats {

// From the first to the last of the operators that followed each other in a module, on one thread and in one step.
struct ModuleSlice {
  std::string name;                  // the class that defines forward()
  std::uint32_t number = 0;          // of modules of that name, from 0 on: each place that calls one is one
  std::optional<std::size_t> outer;  // index of the module around it, which stands before it
  std::uint32_t tid = 0;
  std::uint64_t begin_monotonic_ns = 0, end_monotonic_ns = 0;
};

// Of operators that Python called outside of backward functions, where the frames that called them were recorded
// whole; those of one place that follow right after another are one. Slices lie within and around the other spans of
// their thread. `by_thread` as of trace_links.hpp, `steps` in the order of time; `process` indexes Run::processes.
std::vector<ModuleSlice> module_slices(const model::Run& run, std::size_t process, const symbols::Symbols& symbols,
                                       const std::vector<std::size_t>& by_thread,
                                       const std::vector<fold::TraceStep>& steps);

}  // namespace prof::formats
