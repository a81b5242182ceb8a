// What the rules look at: folds of the run that several of them need, each made once, when it is first asked for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "report/findings/finding.hpp"
#include "report/fold/call_tree.hpp"
#include "report/fold/memory/leaks.hpp"
#include "report/fold/own/activity.hpp"
#include "report/fold/own_code.hpp"
#include "report/fold/selection.hpp"
#include "report/fold/training/device_steps.hpp"
#include "report/fold/training/loading_data.hpp"
#include "report/fold/training/operators.hpp"
#include "report/fold/training/steps.hpp"
#include "report/fold/waiting/accounting.hpp"
#include "report/model/profile.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::symbols {
class SourceFiles;
}

namespace prof::findings {

// Keeps references to what it was made with. Not for several threads at once.
class Evidence {
 public:
  // `lines`: fold::line_tree() of the same, where somebody has it; else it is made.
  Evidence(const model::Run& run, const symbols::Symbols& symbols, const fold::Selection& selection,
           const fold::CallTree* lines = nullptr);
  ~Evidence();

  const model::Run& run() const { return run_; }
  const symbols::Symbols& symbols() const { return symbols_; }
  const fold::Selection& selection() const { return selection_; }

  const fold::CallTree& lines() const;                // Granularity::Line, Frames::Mixed
  const std::vector<fold::StepTable>& steps() const;  // most steps first
  const std::vector<fold::Loader>& loaders() const;   // most waiting first
  const fold::Operators& operators() const;           // by name
  const std::vector<fold::DeviceInSteps>& devices() const;
  const fold::StepLimits& step_limits() const;
  const std::map<std::uint32_t, model::IdleMetric>& idle_in_steps() const;  // fold::idle_within() of lines()
  const fold::OwnCode& own() const { return lines().own(); }
  const std::vector<fold::ThreadWall>& thread_walls() const;
  const fold::Leaks& leaks() const;       // of lines()
  const std::vector<bool>& idle() const;  // by node of lines(): fold::idle_waits()
  // The nodes of lines() at or below which a thread computed or waited, parents first: few where allocations were
  // recorded exactly.
  const std::vector<std::uint32_t>& timed() const;
  // stacks_with() of a process, kept: by node of its own tree, whether the stack has such a function.
  using FunctionTest = bool (*)(const symbols::Function&);
  const std::vector<bool>& stacks(std::size_t process, FunctionTest is) const;
  // The same: whether it is below the interpreter's import system, in what the program did before it was at work.
  const std::vector<bool>& imports(std::size_t process) const;
  // By node of lines(): what its stack is doing, fold::activities_below_own(), and how that is called.
  const std::vector<fold::Activity>& activities() const;
  const std::string& activity_name(std::uint32_t node) const;
  // Each file is read once, whoever asks for it.
  symbols::SourceFiles& sources() const;

  bool has_steps() const { return !steps().empty(); }
  // Whether savings are told of the steps' time: where there are steps, and they take longer than what the process with
  // the most of them does beside; not for a model that is trained for a second and used for a minute. What devices do
  // is told of steps in any case.
  bool of_steps() const;
  // The wall time that savings are told of: the steady state's of the process with the most steps, or the run's.
  std::int64_t basis_ns() const;
  // The same for what is known as a share of the steady state.
  double basis_share(double of_steady) const;
  // Of a time that was measured over the whole run: its share of the steps' time, warm-up included, of all processes
  // that have steps; or of the run's wall time. 0 to 1. What share there was of the whole is taken to be
  // that of the steady state.
  double share(std::int64_t ns) const;
  // What `share` is a share of.
  std::int64_t whole_ns() const;
  // The steps of all processes, warm-up included; 0: none were seen.
  std::int64_t step_count() const;

  // Where to change something: the innermost line of the user's own Python code on the path to `node` of lines(), else
  // the innermost line of own code (fold::OwnCode), else of Python, else nothing.
  std::optional<Place> own_place(std::uint32_t node) const;
  // The location of the innermost frame of own code on the path to `node`; 0 where there is none.
  std::uint32_t own_location(std::uint32_t node) const;
  // Of own code, the lines through which own_place() was called, as locations: innermost first, without those of the
  // same function, at most kMostCallers.
  std::vector<std::uint32_t> own_callers(std::uint32_t node) const;
  // Whether it is one of the user's own code.
  bool is_own(const Place& place) const;
  static constexpr std::size_t kMostCallers = 3;

 private:
  struct Made;
  const model::Run& run_;
  const symbols::Symbols& symbols_;
  const fold::Selection& selection_;
  std::unique_ptr<Made> made_;
};

}  // namespace prof::findings
