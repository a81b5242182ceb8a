#include "agent/jit/lua_traces.hpp"

#include <atomic>
#include <string_view>

#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/jit/names.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/unwind/made_code.hpp"

namespace prof::jit {
namespace {

// Of all traces: never an address, nor java/events.cpp's.
constexpr std::uintptr_t kTraces = 2;

// Where they stand: they are given up together.
std::atomic<std::uintptr_t> g_low{UINTPTR_MAX}, g_high{0};

void keep_in_range(std::uintptr_t start, std::uintptr_t end) {
  std::uintptr_t low = g_low.load(std::memory_order_relaxed), high = g_high.load(std::memory_order_relaxed);
  while (start < low && !g_low.compare_exchange_weak(low, start, std::memory_order_relaxed)) {
  }
  while (end > high && !g_high.compare_exchange_weak(high, end, std::memory_order_relaxed)) {
  }
}

}  // namespace

void lua_trace(const char* name, const char* source, std::uint32_t line, std::uint32_t at, std::uintptr_t address,
               std::uint32_t bytes) {
  const HookGuard guard;
  if (!guard || !log::ensure_created() || name == nullptr || source == nullptr || address == 0 || bytes == 0) return;
  const std::uint64_t began = clock::thread_cpu();
  // Nothing of it is like a function's: who has called it is searched for.
  RowAt unknown{};
  unknown.row.kind = Row::Guess;
  if (made_code::add(address, bytes, trace_frame_of(guard, name, source, line, at), &unknown, 1, kTraces))
    keep_in_range(address, address + bytes);
  made_code_changed();
  add(guard.thread().record->agent_ns, clock::thread_cpu() - began);
}

void lua_flush() {
  const HookGuard guard;
  if (!guard) return;
  made_code::remove(kTraces, g_low.exchange(UINTPTR_MAX, std::memory_order_relaxed),
                    g_high.exchange(0, std::memory_order_relaxed));
}

}  // namespace prof::jit
