#include "report/findings/rules/shared/growth_advice.hpp"

#include "report/findings/javascript.hpp"

namespace prof::findings {

std::string growth_advice(const model::Process& process, bool stepping) {
  if (stepping) {
    return "See what keeps it: a list or dict that is appended to in each step, tensors that keep the graph they were "
           "computed by (take detach() or item() of what is only logged), caches without a bound.";
  }
  if (process.python) {
    return "See what keeps the objects: a list or dict that only grows, a cache without a bound (functools.lru_cache "
           "with maxsize), callbacks that are never removed.";
  }
  if (runs_javascript(process)) {
    return "See what keeps the objects: a Map, Set or array that only grows, a cache whose keys never come again "
           "(delete the oldest; a WeakMap for what belongs to another object), listeners that are never removed, "
           "closures of timers that still run.";
  }
  return "Free what this line allocates, or let an owner do it (std::unique_ptr); bound what only grows: a container, "
         "a cache.";
}

}  // namespace prof::findings
