// Allocates in four threads at once and keeps its own ledger. Run with 0 rounds it does all but the allocations: the
// difference of two runs is exactly the ledger.
#include <atomic>
#include <new>

#include "victim.h"

namespace {

struct Ledger {
  long long allocations = 0, bytes = 0, frees = 0;
};

long rounds;
Ledger ledgers[4];
std::atomic<int> arrived{0}, leaving{0};

// All four live at the same time in every run: a later thread that inherits an earlier one's stack allocates less.
void meet(std::atomic<int>& count) {
  ++count;
  while (count.load() < 4) sched_yield();
}

void* work(void* argument) {
  const long self = reinterpret_cast<long>(argument);
  Ledger own;
  uint32_t seed = static_cast<uint32_t>(self + 1);
  meet(arrived);
  void* kept[16] = {};
  void (*release[16])(void*) = {};
  for (long i = 0; i < rounds; ++i) {
    const unsigned slot = next_random(&seed) % 16;
    if (kept[slot] != nullptr) {
      release[slot](kept[slot]);
      ++own.frees;
    }
    const std::size_t size = 1 + next_random(&seed) % 2000;  // operator new makes 1 of 0
    switch (next_random(&seed) % 4) {
      case 0:
        kept[slot] = malloc(size);
        release[slot] = free;
        own.bytes += size;
        break;
      case 1:
        kept[slot] = calloc(3, size);
        release[slot] = free;
        own.bytes += 3 * size;
        break;
      case 2:
        kept[slot] = operator new(size);
        release[slot] = [](void* p) { operator delete(p); };
        own.bytes += size;
        break;
      default:
        // A multiple of the alignment: libstdc++ would round up to one.
        kept[slot] = operator new[](size / 64 * 64 + 64, std::align_val_t(64));
        release[slot] = [](void* p) { operator delete[](p, std::align_val_t(64)); };
        own.bytes += size / 64 * 64 + 64;
    }
    EXPECT(kept[slot] != nullptr);
    ++own.allocations;
  }
  for (int slot = 0; slot < 16; ++slot) {
    if (kept[slot] == nullptr) continue;
    release[slot](kept[slot]);
    ++own.frees;
  }
  ledgers[self] = own;
  meet(leaving);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  rounds = argument(argc, argv, 1, 500000);
  pthread_t threads[4];
  for (long i = 0; i < 4; ++i) EXPECT(pthread_create(&threads[i], nullptr, work, reinterpret_cast<void*>(i)) == 0);
  for (pthread_t t : threads) pthread_join(t, nullptr);
  Ledger sum;
  for (const Ledger& l : ledgers) {
    sum.allocations += l.allocations;
    sum.bytes += l.bytes;
    sum.frees += l.frees;
  }
  fact("allocations", sum.allocations);
  fact("bytes", sum.bytes);
  fact("frees", sum.frees);
  return 0;
}
