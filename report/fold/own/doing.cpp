#include "report/fold/own/doing.hpp"

#include "report/fold/waiting/idle.hpp"

namespace prof::fold {

Doing::Doing(const CallTree& tree)
    : activities(tree.symbols()), below_own(activities_below_own(tree, activities)), idle(idle_waits(tree)) {}

const Doing& doing(const CallTree& tree) {
  if (tree.doing_ == nullptr) tree.doing_ = std::make_shared<const Doing>(tree);
  return *tree.doing_;
}

}  // namespace prof::fold
