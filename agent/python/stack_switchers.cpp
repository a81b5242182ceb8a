#include "agent/python/stack_switchers.hpp"

#include <atomic>
#include <cstring>
#include <string_view>

namespace prof::python {

std::atomic<bool> g_work_may_be_named{false};

namespace {

std::atomic<bool> g_uvloop{false};
std::atomic<std::uintptr_t> g_greenlet_start{0}, g_greenlet_end{0};  // the end is stored last

}  // namespace

void note_switcher(const Object& object) {
  const char* slash = std::strrchr(object.name, '/');
  const std::string_view file = slash == nullptr ? object.name : slash + 1;  // substr() may throw: not in the agent
  // Before greenlet 1.0 its module was no part of a package.
  if (file.starts_with("_greenlet.") || file.starts_with("greenlet.cpython")) {
    g_greenlet_start.store(object.start, std::memory_order_relaxed);
    g_greenlet_end.store(object.end, std::memory_order_release);
    g_work_may_be_named.store(true, std::memory_order_relaxed);
  }
  if (file.starts_with("loop.") && std::strstr(object.name, "/uvloop/") != nullptr) {
    g_uvloop.store(true, std::memory_order_relaxed);
    g_work_may_be_named.store(true, std::memory_order_relaxed);
  }
}

bool uvloop_seen() { return g_uvloop.load(std::memory_order_relaxed); }

bool greenlets_seen() { return g_greenlet_end.load(std::memory_order_acquire) != 0; }

bool in_greenlet_module(std::uintptr_t address) {
  return address < g_greenlet_end.load(std::memory_order_acquire) &&
         address >= g_greenlet_start.load(std::memory_order_relaxed);
}

}  // namespace prof::python
