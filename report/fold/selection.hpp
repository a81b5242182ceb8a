// Which part of a run is folded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/fold/fold_options.hpp"
#include "report/fold/pattern.hpp"
#include "report/model/profile.hpp"

namespace prof::fold {

struct Selection {
  std::vector<std::uint32_t> pids;      // empty: all
  std::vector<std::int32_t> ranks;      // of a distributed job; empty: all, and what has none
  std::optional<std::uint64_t> log_id;  // only the image that wrote this log
  std::vector<std::string> threads;     // names or tids; empty: all, and what belongs to no thread
  // Of whole names and, of Python functions, files.
  std::optional<Pattern> focus;   // keep only stacks with a function that matches
  std::optional<Pattern> ignore;  // then drop stacks with a function that matches
  FoldOptions fold;               // which frames of a stack are shown
  // What is the user's own code: see fold/own_code.hpp.
  std::vector<std::string> own_paths;  // folders and files, absolute; what lies below them is own, too
  bool all_own = false;                // everything with a file and a line

  bool by_thread() const { return !threads.empty(); }
  bool includes(const model::Process& process) const;
  bool includes(const model::Thread& thread) const;
};

}  // namespace prof::fold
