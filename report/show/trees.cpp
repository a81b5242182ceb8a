#include "report/show/trees.hpp"

#include <atomic>
#include <mutex>
#include <optional>

#include "report/fold/own/doing.hpp"
#include "report/read/in_parallel.hpp"

namespace prof::show {

// One of them, made by whoever asks first, while others wait.
template <typename Of>
class Kept {
 public:
  template <typename Make>
  const Of& get(Make make) {
    const std::lock_guard guard(lock_);
    if (!of_) of_.emplace(make());
    return *of_;
  }
  bool made() {
    const std::lock_guard guard(lock_);
    return of_.has_value();
  }

 private:
  std::mutex lock_;
  std::optional<Of> of_;
};

struct Trees {
  Kept<fold::CallTree> functions, lines, mixed, functions_with_python;
  Kept<std::vector<fold::FunctionRow>> function_rows, function_times;
  Kept<fold::Lines> line_rows;
  Kept<fold::Leaks> leaks;
  std::atomic<bool> shared = false;  // by threads: all that a tree makes when it is asked is made with it
};

std::shared_ptr<Trees> no_trees_yet() { return std::make_shared<Trees>(); }

namespace {

// Several threads may ask it afterwards.
void complete(const fold::CallTree& tree, fold::Granularity granularity) {
  tree.make_totals();
  if (granularity == fold::Granularity::Line) fold::doing(tree);
}

fold::CallTree built(const Subject& subject, const fold::Selection& selection, fold::Granularity granularity) {
  fold::CallTree tree = fold::build_call_tree(subject.run, subject.symbols, selection, granularity);
  if (subject.trees->shared) complete(tree, granularity);
  return tree;
}

fold::Selection mixed(fold::Selection selection) {
  selection.fold.frames = fold::Frames::Mixed;
  return selection;
}

}  // namespace

const fold::CallTree& function_tree(const Subject& subject) {
  return subject.trees->functions.get([&] { return built(subject, subject.selection, fold::Granularity::Function); });
}

const fold::CallTree& line_tree(const Subject& subject) {
  return subject.trees->lines.get([&] { return built(subject, subject.selection, fold::Granularity::Line); });
}

const fold::CallTree& any_tree(const Subject& subject) {
  return subject.trees->lines.made() ? line_tree(subject) : function_tree(subject);
}

const fold::CallTree& mixed_line_tree(const Subject& subject) {
  if (subject.selection.fold.frames == fold::Frames::Mixed) return line_tree(subject);
  return subject.trees->mixed.get([&] { return built(subject, mixed(subject.selection), fold::Granularity::Line); });
}

const fold::CallTree& function_tree_with_python(const Subject& subject) {
  if (subject.selection.fold.frames != fold::Frames::Native) return function_tree(subject);
  return subject.trees->functions_with_python.get(
      [&] { return built(subject, mixed(subject.selection), fold::Granularity::Function); });
}

const std::vector<fold::FunctionRow>& function_rows(const Subject& subject) {
  return subject.trees->function_rows.get([&] { return fold::functions(any_tree(subject)); });
}

const std::vector<fold::FunctionRow>& function_times(const Subject& subject) {
  if (subject.trees->function_rows.made()) return function_rows(subject);
  return subject.trees->function_times.get([&] { return fold::functions(any_tree(subject), fold::Figures::Times); });
}

const fold::Lines& line_rows(const Subject& subject) {
  return subject.trees->line_rows.get([&] { return fold::lines(mixed_line_tree(subject)); });
}

const fold::Leaks& leaks(const Subject& subject) {
  return subject.trees->leaks.get([&] { return fold::leaks(subject.run, line_tree(subject), subject.selection); });
}

void share_trees(const Subject& subject) {
  const fold::CallTree& tree = line_tree(subject);
  subject.trees->shared = true;
  read::in_parallel(2, 0, [&](std::size_t part) {
    if (part == 0) return tree.make_totals();
    tree.make_order();
    fold::doing(tree);
  });
}

}  // namespace prof::show
