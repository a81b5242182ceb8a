// A C++ library as an extension module is one: throws through 20 frames and catches. thrower_run returns nanoseconds
// per throw. That it comes by dlopen into a program that does not link libstdc++ itself is the point: there a preloaded
// library can take over the unwinder of the whole process.
#include <chrono>

namespace {

[[gnu::noinline]] int descend(int depth, volatile int& sink) {
  if (depth == 0) throw depth;
  sink = sink + depth;
  int below = descend(depth - 1, sink);
  sink = sink + below;
  return below;
}

}  // namespace

extern "C" double thrower_run(int count) {
  volatile int sink = 0;
  auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    try {
      descend(20, sink);
    } catch (int) {
      sink = sink + 1;
    }
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began).count() / count;
}
