// Where the wall time of threads went, as sentences, columns and bars.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/fold/waiting/accounting.hpp"
#include "report/show/terminal.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// "wall 12.3 s = CPU 61.0 % + file 20.1 % + run queue 1.0 % + not seen 0.4 %": parts that are not 0, CPU first, then by
// size.
std::string wall_sentence(const fold::WallSplit& split);

// The columns of a split behind wall and CPU time, and their cells; in tables only parts that `all` has, and unless
// `roomy` only the sum of what was blocked.
std::vector<Column> wall_columns(const fold::WallSplit& all, bool roomy);
std::vector<Cell> wall_cells(const fold::WallSplit& split);

// What they mean, and what is not known of them.
std::vector<std::string> wall_captions(const fold::WallSplit& all);

// For each process a bar of all its threads together, and one for each of its threads, those with the most wall time;
// with a legend. Empty where no thread was recorded.
std::string wall_bars(const Subject& subject, const ViewOptions& options, const Terminal& terminal);

// The main thread of the process with the most CPU time; nothing where it lived too shortly to say anything.
struct MainWall {
  std::size_t process = 0;
  fold::WallSplit split;
};
std::optional<MainWall> main_wall(const Subject& subject);

}  // namespace prof::show
