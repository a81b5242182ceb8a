// Allocates where threads are taken apart: in destructors of thread_local objects and of pthread keys, round after
// round.
#include <limits.h>

#include "victim.h"

namespace {

long rounds;
long long allocations, bytes;
pthread_key_t key;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void note(std::size_t size) {
  pthread_mutex_lock(&lock);
  ++allocations;
  bytes += static_cast<long long>(size);
  pthread_mutex_unlock(&lock);
}

void allocate(std::size_t size) {
  if (rounds == 0) return;
  free(malloc(size));
  note(size);
}

struct AtEnd {
  int touched = 0;
  ~AtEnd() { allocate(500); }
};
thread_local AtEnd at_end;

// Asks to be called again as often as libc allows: the last call comes after everybody else's destructors.
void key_destructor(void* value) {
  const long turn = reinterpret_cast<long>(value);
  allocate(600);
  if (turn < PTHREAD_DESTRUCTOR_ITERATIONS) pthread_setspecific(key, reinterpret_cast<void*>(turn + 1));
}

void* work(void*) {
  at_end.touched = 1;
  pthread_setspecific(key, reinterpret_cast<void*>(1));
  allocate(400);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  rounds = argument(argc, argv, 1, 50);
  EXPECT(pthread_key_create(&key, key_destructor) == 0);
  for (long i = 0; i < 50; ++i) {
    pthread_t t;
    EXPECT(pthread_create(&t, nullptr, work, nullptr) == 0);
    EXPECT(pthread_join(t, nullptr) == 0);
  }
  fact("allocations", allocations);
  fact("bytes", bytes);
  fact("frees", allocations);
  return 0;
}
