// The one way to declare an interposed function.
//
//   PROF_REAL(poll);                                   // a row: how the real function is found
//   PROF_EXPORT int poll(pollfd* f, nfds_t n, int t) { // the exported function, which calls real_poll(...)
//
// The real function is the next definition in the search order (RTLD_NEXT), so that other preloaded libraries and
// allocators keep their place. Rows are resolved together when the library is loaded (late ones before the program's
// first thread), or singly at their first call if that comes earlier. Every exported name must stand in
// agent/exports.map; a test compares the two.
#pragma once

#include <dlfcn.h>

#include <atomic>

#include "agent/thread/guard.hpp"
#include "interpose/hook/next_definition.hpp"

// Function types are template arguments here: their attributes (nonnull and the like) do not matter for a call.
#pragma GCC diagnostic ignored "-Wignored-attributes"

#define PROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace prof {

class RealBase {
 public:
  // Looks the function up, once and for all; null when there is none. Out of line: it is in every interposed function.
  [[gnu::noinline, gnu::cold]] void* resolve() {
    // dlsym may allocate: what it allocates is not the program's, nor is its error message, which the program's next
    // dlerror would otherwise return.
    const RealCall nested;
    const int saved = errno;
    void* found = version_ != nullptr ? dlvsym(RTLD_NEXT, name_, version_) : nullptr;
    if (found == nullptr) found = dlsym(RTLD_NEXT, name_);
    if (found == nullptr) dlerror();
    errno = saved;
    settle(found);
    return found;
  }
  // The same for many rows, of one look at what there is.
  void resolve(const NextDefinitions& next) {
    void* found = nullptr;
    if (address_.load(std::memory_order_relaxed) != nullptr) return;
    if (version_ == nullptr && next.find(name_, found))
      settle(found);
    else
      resolve();
  }

 protected:
  constexpr explicit RealBase(const char* name, const char* version) : name_(name), version_(version) {}
  void* missing() { return this; }  // no function's address
  void settle(void* found) { address_.store(found != nullptr ? found : missing(), std::memory_order_release); }
  std::atomic<void*> address_{nullptr};

 private:
  const char* name_;
  const char* version_;  // that is asked for first; null: the default one
};

template <class F>
class Real : public RealBase {
 public:
  constexpr explicit Real(const char* name, const char* version = nullptr) : RealBase(name, version) {}
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

// Resolves the rows that may not wait, when the library is loaded; and all others, when the program makes its first
// thread.
void resolve_early_reals();
void resolve_late_reals();

}  // namespace prof

// For functions that headers do not declare, or declare differently: PROF_REAL_AS(free_sized, void(void*, size_t)).
#define PROF_REAL_IN(rows, type, name, ...)                     \
  static constinit ::prof::Real<type> real_##name{__VA_ARGS__}; \
  static ::prof::RealBase* const real_row_##name __attribute__((section(rows), used)) = &real_##name
#define PROF_REAL_AS(name, type) PROF_REAL_IN("prof_reals", type, name, #name)
#define PROF_REAL(name) PROF_REAL_AS(name, decltype(::name))
// For functions of which libc keeps an older, different one under the same name: a look-up that names no version may
// give that one.
#define PROF_REAL_VERSION(name, version) PROF_REAL_IN("prof_reals", decltype(::name), name, #name, version)
// For the many functions of which a program calls but a few: each is looked up when it is called first, which spares
// the start of every process the search for all of them. A look-up takes the loader's lock, which another thread may
// hold while it waits for this one (a library's constructor that waits for a thread): so they are all looked up before
// there is a second thread.
#define PROF_REAL_LATE_AS(name, type) PROF_REAL_IN("prof_late_reals", type, name, #name)
#define PROF_REAL_LATE(name) PROF_REAL_LATE_AS(name, decltype(::name))
