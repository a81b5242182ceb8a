// Throws, rethrows and jumps from several threads under a fast sampler: nobody may lose an object or a value on the
// way.
#include <setjmp.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "victim.h"

namespace {

std::atomic<long> alive{0};

struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
};

int thrower(int depth) {
  Counted c;
  if (depth == 0) throw std::runtime_error(std::string(100, 'x'));
  return thrower(depth - 1) + 1;
}

int rethrower(int depth) {
  try {
    return thrower(depth);
  } catch (const std::runtime_error& e) {
    EXPECT(std::string(e.what()).size() == 100);
    throw;
  }
}

thread_local jmp_buf target;

void jumper(int depth) {
  volatile char pad[100];
  pad[0] = 0;
  if (depth > 0) jumper(depth - 1);
  if (depth == 0) longjmp(target, 42);
  pad[1] = pad[0];
}

long jump(int depth) {
  const int value = setjmp(target);
  if (value == 0) jumper(depth);
  EXPECT(value == 42);
  return 1;
}

void* work(void*) {
  const int64_t until = thread_cpu_ns() + 400000000;
  long caught = 0, landed = 0;
  for (int i = 0; thread_cpu_ns() < until; ++i) {
    try {
      rethrower(i % 60);
    } catch (const std::exception&) {
      ++caught;
    }
    landed += jump(i % 60);
  }
  EXPECT(caught == landed && caught > 0);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[3];
  for (pthread_t& t : threads) EXPECT(pthread_create(&t, nullptr, work, nullptr) == 0);
  for (pthread_t t : threads) EXPECT(pthread_join(t, nullptr) == 0);
  EXPECT(alive == 0);
  fact("cpu_ns", rusage_cpu_ns());
  return 0;
}
