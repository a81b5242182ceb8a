#include "report/show/trees.hpp"

#include "report/fold/line_tree.hpp"

namespace prof::show {

struct Trees {
  std::optional<fold::CallTree> functions, lines, mixed;
};

std::shared_ptr<Trees> no_trees_yet() { return std::make_shared<Trees>(); }

namespace {

template <typename Make>
const fold::CallTree& kept(std::optional<fold::CallTree>& tree, Make make) {
  if (!tree) tree.emplace(make());
  return *tree;
}

}  // namespace

const fold::CallTree& function_tree(const Subject& subject) {
  return kept(subject.trees->functions,
              [&] { return fold::build_call_tree(subject.run, subject.symbols, subject.selection); });
}

const fold::CallTree& line_tree(const Subject& subject) {
  return kept(subject.trees->lines, [&] {
    return fold::build_call_tree(subject.run, subject.symbols, subject.selection, fold::Granularity::Line);
  });
}

const fold::CallTree& mixed_line_tree(const Subject& subject) {
  if (subject.selection.fold.frames == fold::Frames::Mixed) return line_tree(subject);
  return kept(subject.trees->mixed, [&] { return fold::line_tree(subject.run, subject.symbols, subject.selection); });
}

}  // namespace prof::show
