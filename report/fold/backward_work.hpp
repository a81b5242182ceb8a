// PyTorch runs backward() in threads of its own, one for each GPU, while its caller waits. Nothing in a log says which
// call a piece of their work is for: this finds that work in a process's tree, and who waited for it.
#pragma once

#include <cstdint>
#include <vector>

#include "report/model/process.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

struct BackwardWork {
  // The nodes of the process's tree, with the same ids, and behind them others, whose parents may have higher ids than
  // they have; below `caller` what the engine's threads did: from the outermost function of PyTorch on, with the ranges
  // outside of it. Their waits for work stand where they stood: nobody waits for them.
  std::vector<model::Node> nodes;
  std::vector<bool> worked;  // by node: whether it is below `caller`
  std::uint32_t caller = 0;  // stands for who called the engine: its frame is that of one of the `waits`

  // The functions of Python that ran the engine, in other threads, and how long they waited in it.
  struct Caller {
    std::uint32_t node = 0;
    std::int64_t weight = 0;
  };
  std::vector<Caller> callers;

  bool any() const { return caller != 0; }
};

// Nothing where there is no such work, or where nobody was seen to call the engine. Threads of the engine are known by
// their name, or by functions of the engine outside of all else of PyTorch: with both, stacks are found where libraries
// are not at hand. A context that other threads have too is none of theirs.
// Python that runs in those threads (hooks, functions of the program's own, checkpoints that compute again) is below
// `caller` like the rest, and calls no other thread's engine.
BackwardWork backward_work(const model::Process& process, std::size_t index, const symbols::Symbols& symbols);

}  // namespace prof::fold
