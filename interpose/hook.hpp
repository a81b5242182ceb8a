// The one way to declare an interposed function.
//
//   PROF_REAL(poll);                                   // a row: how the real function is found
//   PROF_EXPORT int poll(pollfd* f, nfds_t n, int t) { // the exported function, which calls real_poll(...)
//
// The real function is the next definition in the search order (RTLD_NEXT), so that other preloaded libraries and
// allocators keep their place. Rows are resolved together when the library is loaded, or singly at their first call if
// that comes earlier. Every exported name must stand in agent/exports.map; a test compares the two.
#pragma once

#include <dlfcn.h>

#include <atomic>

#include "agent/core/guard.hpp"

// Function types are template arguments here: their attributes (nonnull and the like) do not matter for a call.
#pragma GCC diagnostic ignored "-Wignored-attributes"

#define PROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace prof {

class RealBase {
 public:
  // Looks the function up, once and for all; null when there is none.
  void* resolve() {
    // dlsym may allocate: what it allocates is not the program's, nor is its error message, which the program's next
    // dlerror would otherwise return.
    const RealCall nested;
    const int saved = errno;
    void* found = dlsym(RTLD_NEXT, name_);
    if (found == nullptr) dlerror();
    errno = saved;
    address_.store(found != nullptr ? found : missing(), std::memory_order_release);
    return found;
  }

 protected:
  constexpr explicit RealBase(const char* name) : name_(name) {}
  void* missing() { return this; }  // no function's address
  std::atomic<void*> address_{nullptr};

 private:
  const char* name_;
};

template <class F>
class Real : public RealBase {
 public:
  constexpr explicit Real(const char* name) : RealBase(name) {}
  F* get() {
    void* a = address_.load(std::memory_order_acquire);
    if (a == nullptr) [[unlikely]]
      a = resolve();
    if (a == missing()) [[unlikely]]
      a = nullptr;
    return reinterpret_cast<F*>(a);
  }
  // The same without a look-up: null while there was none. For functions that exist everywhere.
  F* known() const { return reinterpret_cast<F*>(address_.load(std::memory_order_relaxed)); }
  template <class... A>
  auto operator()(A... args) {
    return get()(args...);
  }
};

// Resolves all rows. Called once, when the library is loaded.
void resolve_all_reals();

}  // namespace prof

// For functions that headers do not declare, or declare differently: PROF_REAL_AS(free_sized, void(void*, size_t)).
#define PROF_REAL_AS(name, ...)                                  \
  static constinit ::prof::Real<__VA_ARGS__> real_##name{#name}; \
  static ::prof::RealBase* const real_row_##name __attribute__((section("prof_reals"), used)) = &real_##name
#define PROF_REAL(name) PROF_REAL_AS(name, decltype(::name))
