#include "report/fold/own/main_caller.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace prof::fold {
namespace {

constexpr double kLed = 0.8;          // of the row's CPU time
constexpr double kHardlyMore = 1.15;  // times what the line takes that is called
constexpr int kMostLevels = 16;       // functions that call each other have no end

bool same_line(const symbols::Symbols& symbols, std::uint32_t one, std::uint32_t other) {
  const symbols::Location &a = symbols.location(one), &b = symbols.location(other);
  return one == other || (a.function == b.function && a.line == b.line && a.file == b.file);
}

bool is_at(const symbols::Symbols& symbols, std::uint32_t location, const OwnLine& row) {
  const symbols::Location& at = symbols.location(location);
  const symbols::Function& function = symbols.function(at.function);
  const std::uint32_t line = function.listed() || at.line == 0 ? function.line : at.line;
  return line == row.line && (at.file.empty() ? function.file : at.file) == row.file;
}

std::int64_t cumulative_ns(const CallTree& tree, std::uint32_t location) {
  const symbols::Symbols& symbols = tree.symbols();
  std::vector<bool> below(tree.nodes().size());
  std::int64_t sum = 0;
  for (std::uint32_t node = 1; node < below.size(); ++node) {
    const CallNode& at = tree.nodes()[node];
    below[node] = below[at.parent] || same_line(symbols, at.location, location);
    if (below[node]) sum = model::saturated_sum(sum, tree.self().cpu[node].ns);
  }
  return sum;
}

// Climbs from a line to those that lead to it, by way of the stacks that pass through both.
class Climb {
 public:
  Climb(const CallTree& tree, const OwnLine& row) : tree_(tree), above_(tree.nodes().size()) {
    std::vector<std::uint32_t> own(above_.size());  // by node: the nearest of own code at or above it
    for (std::uint32_t node = 1; node < own.size(); ++node) {
      const std::uint32_t parent = tree.nodes()[node].parent, function = tree.function_id(node);
      own[node] = own[parent];
      above_[node] = above_[parent];
      if (tree.own().function(function)) {
        const std::uint32_t outer = own[parent];
        if (outer != 0 && tree.function_id(outer) != function) above_[node] = outer;
        own[node] = node;
      }
      const std::int64_t ns = tree.self().cpu[node].ns;
      if (ns > 0 && own[node] != 0 && is_at(tree.symbols(), tree.nodes()[own[node]].location, row))
        stacks_.emplace_back(own[node], ns);
    }
  }

  // To the line that leads to at least `least`; false where none does.
  bool up(double least) {
    std::map<std::uint32_t, std::int64_t> led;  // by location
    for (auto& [node, ns] : stacks_) {
      node = above_[node];
      if (node != 0) led[tree_.nodes()[node].location] += ns;
    }
    const auto most =
        std::max_element(led.begin(), led.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == led.end() || static_cast<double>(most->second) < least) return false;
    at_ = most->first;
    std::erase_if(stacks_, [&](const auto& one) { return one.first == 0 || tree_.nodes()[one.first].location != at_; });
    return true;
  }
  std::uint32_t at() const { return at_; }

 private:
  const CallTree& tree_;
  std::vector<std::uint32_t> above_;  // by node: the nearest of own code above it that is of another function
  std::vector<std::pair<std::uint32_t, std::int64_t>> stacks_;  // where they stand now, and their CPU time
  std::uint32_t at_ = 0;
};

}  // namespace

std::optional<MainCaller> main_caller(const CallTree& lines, const OwnLine& row) {
  if (!row.own || row.cpu.ns <= 0) return std::nullopt;
  Climb climb(lines, row);
  const double least = kLed * static_cast<double>(row.cpu.ns);
  std::optional<MainCaller> found;
  for (int level = 0; level < kMostLevels && climb.up(least); ++level) {
    if (is_at(lines.symbols(), climb.at(), row)) continue;  // a comprehension's frame stands on the same line
    const MainCaller next{climb.at(), cumulative_ns(lines, climb.at())};
    if (found && static_cast<double>(next.cumulative_ns) > kHardlyMore * static_cast<double>(found->cumulative_ns))
      break;
    found = next;
  }
  return found;
}

}  // namespace prof::fold
