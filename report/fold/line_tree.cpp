#include "report/fold/line_tree.hpp"

namespace prof::fold {

CallTree line_tree(const model::Run& run, const symbols::Symbols& symbols, Selection selection) {
  selection.fold.frames = Frames::Mixed;
  return build_call_tree(run, symbols, selection, Granularity::Line);
}

std::vector<std::uint32_t> stack_of(const CallTree& tree, std::uint32_t node) {
  std::vector<std::uint32_t> stack;
  for (std::uint32_t at = node; at != 0; at = tree.nodes()[at].parent) stack.push_back(tree.nodes()[at].location);
  return stack;
}

}  // namespace prof::fold
