#include "report/show/trees.hpp"

#include "report/fold/line_tree.hpp"

namespace prof::show {

struct Trees {
  std::optional<fold::CallTree> functions, lines, mixed;
  std::optional<std::vector<fold::FunctionRow>> function_rows;
  std::optional<fold::Lines> line_rows;
};

std::shared_ptr<Trees> no_trees_yet() { return std::make_shared<Trees>(); }

namespace {

template <typename Kept, typename Make>
const Kept& kept(std::optional<Kept>& kept, Make make) {
  if (!kept) kept.emplace(make());
  return *kept;
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

const std::vector<fold::FunctionRow>& function_rows(const Subject& subject) {
  return kept(subject.trees->function_rows, [&] { return fold::functions(function_tree(subject)); });
}

const fold::Lines& line_rows(const Subject& subject) {
  return kept(subject.trees->line_rows, [&] { return fold::lines(mixed_line_tree(subject)); });
}

}  // namespace prof::show
