// The views of `prof report`: each turns a run into sheets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "report/fold/selection.hpp"
#include "report/fold/training/operators.hpp"
#include "report/model/profile.hpp"
#include "report/show/sheet.hpp"
#include "report/show/terminal.hpp"
#include "report/symbols/source_files.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::show {

enum class SortKey {
  Tottime,
  Cumtime,
  Calls,
  Live,
  Peak,
  Allocated,
  Allocations,
  Temporary,
  Leaks,
  Gpu,
  Blocked,
  Wall,
  Total,
  Average,
  Bytes,
  Flops,
  Name,
  HostBytes,  // memory of tensors, as operators have it
  SelfHostBytes,
  DeviceBytes,
  SelfDeviceBytes,
  SelfGpu,     // as operators have it; Gpu: with what is inside
  GpuAverage,  // of a call
};
class SortKeys {
 public:
  constexpr SortKeys() = default;
  constexpr SortKeys(std::initializer_list<SortKey> keys) {
    for (const SortKey key : keys) bits_ |= bit(key);
  }
  constexpr bool contain(SortKey key) const { return (bits_ & bit(key)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr SortKeys operator|(SortKeys other) const {
    other.bits_ |= bits_;
    return other;
  }

 private:
  static constexpr std::uint32_t bit(SortKey key) { return 1U << static_cast<unsigned>(key); }
  std::uint32_t bits_ = 0;
};
// Those that order by memory; those of what has calls with a time each.
inline constexpr SortKeys kMemoryKeys{SortKey::Live,        SortKey::Peak,      SortKey::Allocated,
                                      SortKey::Allocations, SortKey::Temporary, SortKey::Leaks};
inline constexpr SortKeys kCallKeys{SortKey::Total, SortKey::Calls, SortKey::Average, SortKey::Name};

// True of keys that order by memory; and the measure that they order functions and lines by: CPU time of all others.
bool by_memory(SortKey key);
model::Measure measure_of(SortKey key);

struct Trees;  // trees.hpp
std::shared_ptr<Trees> no_trees_yet();

// What is shown: all of it must outlive the call. Not for several threads at once.
struct Subject {
  const model::Run& run;
  const symbols::Symbols& symbols;
  const fold::Selection& selection;
  std::shared_ptr<Trees> trees = no_trees_yet();  // copies share them
};

struct ViewOptions {
  std::optional<SortKey> sort{};
  std::optional<std::size_t> limit{};                // rows; 0: all; without a value: as many as read well
  bool everything = false;                           // for other programs: without `limit` all rows, nothing pruned
  bool wide = false;                                 // whole names and paths
  bool memory_columns = true;                        // there is room for them
  model::Measure measure = model::Measure::CpuTime;  // of callers and tree
  std::string function{};                            // callers: regular expression; empty: those with most tottime
  std::optional<symbols::Language> language{};       // functions, lines: only those of this one
  bool bottom_up = false;
  bool by_function = false;              // own: a row for each function, not for each line
  double min_percent = 1.0;              // tree, imports, modules: smaller branches are pruned
  fold::OperatorGrouping group_by{};     // ops
  std::optional<std::uint64_t> steps{};  // that the run took: leaks are told by step, too; never 0
  std::string focus{}, ignore{};  // the texts behind the selection's expressions; what source, calls and line hits show

  symbols::SourceFiles::Allowed source_allowed{};  // of which files text may be shown; empty: of all

  // Rows to show of `count`, where `usual` read well.
  std::size_t rows_of(std::size_t count, std::size_t usual) const;
};

// What a view is about, which orders `prof report --list-views` and the summary's "Next".
enum class Topic { Time, Python, Training, Waiting, Gpu, Memory, Run };

// A view: a row, which stands in the file that makes its sheets. summary/views.cpp lists them.
struct View {
  std::string_view name;  // of --view
  std::string_view help;  // what it shows, in a line
  Topic topic;
  bool (*available)(const Subject&) = nullptr;  // whether the run holds something for it; quick. Null: every run does
  std::vector<Sheet> (*sheets)(const Subject&, const ViewOptions&);  // not none; one list as CSV
  // For people, where that is not the sheets as tables.
  std::string (*text)(const Subject&, const ViewOptions&, const Terminal&) = nullptr;
  bool own_focus = false;         // looks its focus up itself: there are no stacks in what it shows, or all are wanted
  std::string_view with = {};     // what else has to be typed
  SortKeys sorts{};               // the keys of --sort that order its rows; none: they have an order of their own
  std::string_view options = {};  // of those that some views alone use: "--metric --bottom-up"
};

// For `available`: whether a selected process is such a one.
template <bool (*has)(const model::Process&)>
bool any_process(const Subject& subject) {
  const auto& processes = subject.run.processes;
  return std::any_of(processes.begin(), processes.end(),
                     [&](const model::Process& p) { return subject.selection.includes(p) && has(p); });
}

// For `sheets`, of a view that is one.
template <Sheet (*make)(const Subject&, const ViewOptions&)>
std::vector<Sheet> one_sheet(const Subject& subject, const ViewOptions& options) {
  return {make(subject, options)};
}

// What --focus looks for is not there, or is not one thing: what() says so and lists what comes nearest.
struct NoSuchFocus : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace prof::show
