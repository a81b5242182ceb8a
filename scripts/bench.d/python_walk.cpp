// Nanoseconds that it takes to read and intern the Python frames of a thread, at several depths, in a warm loop; and
// those of a whole stack, native frames and all, anew and from what is remembered of the last one.
//
// usage: python_walk_bench LIBPYTHON
// Runs the interpreter in this very program, with the agent's parts linked in: nothing but the walk is timed.
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "agent/life/lifecycle.hpp"
#include "agent/python/current_thread.hpp"
#include "agent/python/frames.hpp"
#include "agent/python/thread_scratch.hpp"
#include "agent/stack/last_stack.hpp"
#include "agent/stack/stack.hpp"
#include "agent/thread/guard.hpp"

using namespace prof;

// Called by the Python code below, with the GIL.
extern "C" __attribute__((visibility("default"))) void measure(int depth) {
  constexpr int kWalks = 20000, kRounds = 15;
  if (!python::check_frames() || !python::frames_on()) {
    std::puts("this interpreter's frames cannot be read");
    std::exit(1);
  }
  const HookGuard guard;
  if (!guard) {
    std::puts("the agent is off");
    std::exit(1);
  }
  python::Scratch* scratch = python::scratch_of(guard);
  const auto time = [&](const auto& walk) {
    double best = 1e9;
    for (int round = 0; round < kRounds; ++round) {
      const auto begun = std::chrono::steady_clock::now();
      for (int i = 0; i < kWalks; ++i) {
        if (!walk()) std::exit(1);
      }
      const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begun;
      best = std::min(best, taken.count() / kWalks);
    }
    return best;
  };
  const double python_frames = time([&] {
    python::Memory memory(python::Memory::Access::Direct, {});
    const python::Interpreter& of = *python::interpreter();
    const python::Start start{python::current_thread(of).state, 0};
    return python::read_frames(of, start, memory, scratch->codes, scratch->list);
  });
  Stack stack{};
  const double anew = time([&] { return (stack = stack_here(guard)).depth > 0; });
  LastStack* last = nullptr;
  const auto* fp = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  const double remembered = time([&] { return (last = LastStack::take(guard, fp)) != nullptr; });
  // The frames outside this function, which each side sees at its own place, are the same.
  stack = stack_here(guard);
  const std::uint32_t same = last->depth();
  for (std::uint32_t i = 0; i < same; ++i) {
    if (stack.frames[stack.depth - 1 - i] == last->frame(i).entry) continue;
    std::puts("what is remembered of the stack is not the stack");
    std::exit(1);
  }
  std::printf("depth %3d: %3u Python frames %.0f ns; %3u frames in all: anew %.0f ns, remembered %.0f ns\n", depth,
              scratch->list.frames, python_frames, same, anew, remembered);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: python_walk_bench LIBPYTHON\n", stderr);
    return 2;
  }
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  char directory[] = "/tmp/python-walk-XXXXXX";
  if (mkdtemp(directory) == nullptr) return 1;
  setenv("PROF_OUT", directory, 1);
  setenv("PROF_CPU", "off", 1);
  lifecycle::start(environ);
  const auto initialize = reinterpret_cast<void (*)(int)>(dlsym(library, "Py_InitializeEx"));
  const auto run = reinterpret_cast<int (*)(const char*)>(dlsym(library, "PyRun_SimpleString"));
  initialize(0);
  const int failed =
      run("import ctypes\n"
          "measure = ctypes.PyDLL(None).measure\n"
          "def f1(n, d): measure(d) if n == 1 else f2(n - 1, d)\n"
          "def f2(n, d): measure(d) if n == 1 else f3(n - 1, d)\n"
          "def f3(n, d): measure(d) if n == 1 else f4(n - 1, d)\n"
          "def f4(n, d): measure(d) if n == 1 else f1(n - 1, d)\n"
          "for depth in 4, 16, 64: f1(depth - 1, depth)\n");  // with the module's own frame
  return failed == 0 ? 0 : 1;
}
