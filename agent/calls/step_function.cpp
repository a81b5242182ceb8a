#include "agent/calls/step_function.hpp"

#include "agent/calls/chosen.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/text.hpp"
#include "agent/log/file.hpp"
#include "agent/python/codes.hpp"
#include "agent/steps/steps.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/threads.hpp"

namespace prof::python::calls {
namespace {

PROF_LARGE constinit Chosen g_step{};
constinit bool g_has_step = false;

bool is_step(const void* code) { return g_has_step && g_step.has(code); }

bool recording(const Guard& guard) {
  if (!guard || !log::ensure_created()) return false;
  threads::settle(guard.thread());
  return true;
}

}  // namespace

bool has_step_function() { return steps::function_pattern()[0] != '\0'; }

const char* with_step_function(const char* patterns) {
  g_has_step = has_step_function();
  if (!g_has_step) return patterns;
  g_step.set(steps::function_pattern());
  if (patterns[0] == '\0') return steps::function_pattern();
  static Text<sizeof(Options::watch) + sizeof(Options::step)> both;
  both << patterns << ',' << steps::function_pattern();
  return both.c_str();
}

void step_function_begins(const void* code) {
  if (!is_step(code)) return;
  const HookGuard guard;
  if (!recording(guard)) return;
  const std::uint64_t frame = log::python_frame(code_id(guard, code), log::kWholeCode);
  steps::function_begins(guard, frame, clock::monotonic());
}

void step_function_ends(const void* code) {
  if (!is_step(code)) return;
  const HookGuard guard;
  if (recording(guard)) steps::function_ends(guard, clock::monotonic());
}

}  // namespace prof::python::calls
