// Where the wall time of threads went, as sentences, figures and bars.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/fold/waiting/accounting.hpp"
#include "report/show/figures.hpp"
#include "report/show/terminal.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// Of the blocked time of each class, what was waiting for work.
using IdleTimes = std::array<std::int64_t, log::kWaitClasses>;
// By slot, those of the threads of a process (an index into Run::processes) that have any; `lines`: line_tree().
std::unordered_map<std::uint32_t, IdleTimes> idle_times(const model::Run& run, const fold::CallTree& lines,
                                                        std::size_t process);

// "wall 12.3 s = CPU 61.0 % + file 20.1 % + idle 10.0 % + other 1.4 %": CPU first, then by size; what is less than a
// percent is added up at the end.
std::string wall_sentence(const fold::WallSplit& split, const IdleTimes& idle_ns = {});

// The figures of a split behind wall and CPU time; in tables only parts that `all` has, and unless `roomy` only the sum
// of what was blocked.
Figures<fold::WallSplit> wall_figures(const fold::WallSplit& all, bool roomy);

// What they mean, and what is not known of them.
std::vector<std::string> wall_captions(const fold::WallSplit& all);

// For each process a bar of all its threads together, and one for each of its threads, those with the most wall time;
// with a legend. Empty where no thread was recorded.
std::string wall_bars(const Subject& subject, const ViewOptions& options, const Terminal& terminal);

// The main thread of the process with the most CPU time, or that of the first process where that one lived much
// longer: many short ones do not say what the run waited for. Nothing where it lived too shortly to say anything.
struct MainWall {
  std::size_t process = 0;
  fold::WallSplit split;
  IdleTimes idle_ns{};
};
std::optional<MainWall> main_wall(const Subject& subject);
std::optional<MainWall> main_wall(const Subject& subject,
                                  const fold::CallTree& lines);  // with idle_ns; see line_tree()

}  // namespace prof::show
