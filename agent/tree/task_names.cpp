#include "agent/python/tasks.hpp"
#include "agent/tree/bounded_names.hpp"

namespace prof::python {

// A server may name a task for each request. Each name is a part of the tree of its own.
std::uint32_t task_name(const Guard& guard, std::string_view name, std::string_view coroutine) {
  return log::bounded_name_id(guard, log::NameKind::Task, name, coroutine, {1024, 2048, "(other tasks)"});
}

}  // namespace prof::python
