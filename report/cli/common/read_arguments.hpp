// What `prof report` and `prof export` ask alike: which run, which part of it, and where the answer goes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/fold/fold_options.hpp"

namespace prof::cli {

struct ReadArguments {
  std::optional<std::filesystem::path> run;
  std::string focus, ignore;  // regular expressions, checked; --view source takes a file or function as its focus
  std::vector<std::uint32_t> pids;
  std::vector<std::int32_t> ranks;
  std::vector<std::string> threads;  // names or tids
  // --frames, --interpreter-frames, --no-ranges, --no-tasks, --no-backward-callers, --no-team-callers
  fold::FoldOptions fold;
  std::vector<std::string> own;  // of `prof report` alone, like all_own
  bool all_own = false;
  std::vector<std::filesystem::path> symbol_path;
  bool no_cache = false;                        // of names: symbols/name_cache.hpp
  std::optional<std::filesystem::path> output;  // none or "-": stdout
};

}  // namespace prof::cli
