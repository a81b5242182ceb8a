// From the writer's ids to a tree in which every reference is sound.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "report/model/build_gpu.hpp"
#include "report/model/build_python.hpp"
#include "report/model/process.hpp"
#include "report/read/raw_log.hpp"

namespace prof::model {

inline constexpr std::uint32_t kLongestPath = 2048;  // twice what an agent records

// The writer's module ids -> indices into Process::modules.
using ModuleIndex = std::unordered_map<std::uint32_t, std::uint32_t>;

// Where the writer's ids of each kind lead.
struct Ids {
  ModuleIndex modules;
  CodeIndex codes;
  NameIndex names;
  const std::vector<Name>* named = nullptr;  // what `names` leads to; null: nothing
};

// What a frame word stands for; Kind::Unknown if it refers to no module that is there. Python code that is not there
// is kNoCode, and a name kNoName.
Frame frame_of(std::uint64_t word, const Ids& ids);

// Frames become unique, and nodes that differ by no more than that one; parents stand before their children, no path is
// longer than kLongestPath. What refers to nothing is kept as near to its place as possible and counted in `damage`.
// Exact counts, totals by stream, distributions, open ranges, and totals of blocking calls, files and locks leave the
// tree: they are in lists of their own, and no node stands for them.
Tree build_tree(const read::RawLog& log, const Ids& ids, Damage& damage);

}  // namespace prof::model
