#include "report/fold/raw_stack.hpp"

#include "report/fold/interest.hpp"
#include "report/fold/line_tree.hpp"

namespace prof::fold {

std::vector<std::uint32_t> raw_stack(const model::Run& run, const symbols::Symbols& symbols, std::size_t process,
                                     std::uint32_t node) {
  const model::Tree& tree = run.processes[process].tree;
  std::vector<std::uint32_t> stack;
  for (std::uint32_t at = node; at != 0 && at < tree.nodes.size(); at = tree.nodes[at].parent) {
    if (tree.frames[tree.nodes[at].frame].kind == model::Frame::Kind::Named) continue;
    for (const std::uint32_t location : symbols.locations(process, tree.nodes[at].frame)) stack.push_back(location);
  }
  return stack;
}

std::uint32_t caller_of(const OwnCode& own, const std::vector<std::uint32_t>& stack) {
  if (stack.empty()) return kNobody;
  const symbols::Symbols& symbols = own.symbols();
  std::size_t frame = own_or_python_frame(own, stack);
  if (frame == stack.size()) frame = first_frame_of_interest(symbols, stack);
  // As elsewhere, functions without a name of an interpreter are one.
  const symbols::Function& function = symbols.function(symbols.location(stack[frame]).function);
  const std::uint32_t internals =
      function.interpreter && !function.named ? symbols.internals_location(function.module) : symbols::Symbols::kNone;
  return internals != symbols::Symbols::kNone ? internals : stack[frame];
}

}  // namespace prof::fold
