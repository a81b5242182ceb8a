// An extension that throws through a few frames and catches: what python modules written in C++ do.
#include <stdexcept>

namespace {
int deep(int n) {
  if (n == 0) throw std::runtime_error("shape");
  return deep(n - 1) + 1;
}
}  // namespace

extern "C" long throw_and_catch(long times) {
  long caught = 0;
  for (long i = 0; i < times; ++i) {
    try {
      deep(20);
    } catch (const std::exception&) {
      ++caught;
    }
  }
  return caught;
}
