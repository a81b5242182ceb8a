// Libraries share a loop among threads of their own: OpenMP's and OpenBLAS's, which begin in the library and have no
// stack of the program's. Nothing in a log says for whom they worked: this finds it by what they run, as the thread
// that shared its work runs the same function itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "report/model/process.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

struct TeamWork {
  // With the same ids, and behind them others: what such threads did stands where the thread that shared its work with
  // them does the same. Parents may have higher ids than their children. Empty: nothing of the kind is there.
  std::vector<model::Node> nodes;
  // The process's times where some of it is shared among several places; else empty.
  std::vector<model::Row<model::CpuMetric>> cpu;
};

// Where several lines of Python (without Python: several callers of the library) shared the same function with them,
// CPU time goes to those with nine tenths of the time that their own thread spent in that function and what it called,
// eight of them at most, in proportion to it; all else that is known of it to the first of them. What nobody else did,
// and the threads' waiting for work, stands where it stood. `nodes`: the tree's, or what backward_work() made of them.
TeamWork team_work(const model::Process& process, std::size_t index, const symbols::Symbols& symbols,
                   std::span<const model::Node> nodes);

}  // namespace prof::fold
