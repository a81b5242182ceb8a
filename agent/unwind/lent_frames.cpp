#include "agent/unwind/lent_frames.hpp"

#include <atomic>

#include "agent/core/pages.hpp"

namespace prof::lent_frames {
namespace {

PROF_WIPED constinit pages::Wiped<std::atomic<std::uintptr_t>> g_code{};

}  // namespace

void mark(std::uintptr_t code) { g_code.value.store(code, std::memory_order_release); }

std::uintptr_t code() { return g_code.value.load(std::memory_order_relaxed); }

void prepare() { pages::wipe_in_child(g_code); }

}  // namespace prof::lent_frames
