// The one way to declare an interposed function of CUDA or of a library above it.
//
//   PROF_CUDART(cudaMemcpy, Copy, (void* to, const void* from, size_t bytes, int kind), (to, from, bytes, kind),
//               call.bytes = bytes)
//
// exports the function, which finds the real one, counts and times it, and looks at its arguments where the last part
// says so (before the real call; `call` is the gpu::Call). PROF_CUDART_THEN has one part more: what is done after the
// call, when `result` is known; it asks `if (call)` whether the call is the program's own. Types are our own: pointers
// and enumerations are what the ABI makes of them, so that nothing of a toolkit is needed to build; a test compares
// each row with the real headers where these are installed.
//
// The real function is looked up in the scope of the *calling* object, since two versions of a library in one process
// are real; where none exists the API's own error is returned.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/gpu/calls.hpp"
#include "agent/unwind/objects.hpp"
#include "interpose/hook/hook.hpp"

namespace prof::gpu {

// What a function is to the callers of one object. Never changed, but for the generation, and never freed.
struct Reached {
  std::uintptr_t start = 0, bytes = 0;  // of the calling object
  void* function = nullptr;
  std::atomic<std::uint32_t> generation{0};  // of the loader, when it was found so
  const Reached* next = nullptr;
};

// An interposed function of these libraries.
struct Row {
  Api api;
  std::int32_t missing;  // what is returned when there is no real function
  std::atomic<const Reached*> reached{nullptr};

  // The function that `caller` (an address in the calling object) would reach without us; null: there is none, which
  // was counted.
  void* real(const char* name, const void* caller) {
    const auto at = reinterpret_cast<std::uintptr_t>(caller);
    const std::uint32_t now = loader_generation();
    for (const Reached* r = reached.load(std::memory_order_acquire); r != nullptr; r = r->next) {
      if (at - r->start < r->bytes && r->generation.load(std::memory_order_acquire) == now) return r->function;
    }
    return look_up(name, caller);
  }

 private:
  void* look_up(const char* name, const void* caller);
};

// A function of such a library that we call ourselves.
struct Asked {
  const char* name;
  Row row;
  void* real(const void* caller) { return row.real(name, caller); }
};

}  // namespace prof::gpu

#define PROF_GPU_ROW(library_, missing_, not_ready_, Result, name_, role_, params, args, before, error_, ...)     \
  PROF_EXPORT Result name_ params {                                                                               \
    static constinit ::prof::gpu::Row row{{::prof::gpu::Library::library_, ::prof::gpu::Role::role_, not_ready_}, \
                                          missing_};                                                              \
    using Function = Result params;                                                                               \
    auto* const real = reinterpret_cast<Function*>(row.real(#name_, __builtin_return_address(0)));                \
    if (real == nullptr) return (Result)(row.missing);                                                            \
    ::prof::gpu::Call call(row.api, #name_);                                                                      \
    if (call) {                                                                                                   \
      before;                                                                                                     \
    }                                                                                                             \
    const Result result = real args;                                                                              \
    call.done(error_);                                                                                            \
    __VA_ARGS__;                                                                                                  \
    return result;                                                                                                \
  }

#define PROF_GPU_CALL(library_, missing_, not_ready_, Result, name_, role_, params, args, before, ...)             \
  PROF_GPU_ROW(library_, missing_, not_ready_, Result, name_, role_, params, args, before, (std::int64_t)(result), \
               __VA_ARGS__)

// An allocation whose size is known afterwards: `size`, where it succeeded.
#define PROF_GPU_SIZED(library_, missing_, not_ready_, Result, name_, role_, params, args, size, ...) \
  PROF_GPU_ROW(library_, missing_, not_ready_, Result, name_, role_, params, args, ,                  \
               (call.bytes = call && result == 0 ? (size) : 0, (std::int64_t)(result)), __VA_ARGS__)

// The same function under another name: its parameters are those of the first.
#define PROF_GPU_VARIANT(library_, missing_, not_ready_, Result, name_, suffix_, role_, params, args, before, ...) \
  PROF_GPU_CALL(library_, missing_, not_ready_, Result, name_##suffix_, role_, params, args, before, __VA_ARGS__)
// A function whose parameters are not the same in all versions of its library: no header can be asked.
#define PROF_GPU_ANY(library_, missing_, not_ready_, Result, name_, role_, params, args, before, ...) \
  PROF_GPU_CALL(library_, missing_, not_ready_, Result, name_, role_, params, args, before, __VA_ARGS__)
// A small function whose result says nothing about itself.
#define PROF_GPU_QUERY(library_, missing_, Result, name_, params, args) \
  PROF_GPU_ROW(library_, missing_, 0, Result, name_, Plain, params, args, , 0, )
