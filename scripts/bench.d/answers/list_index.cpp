// Looks items of a list up by their number: each time the list is walked from its start.
#include <cstdio>
#include <ctime>
#include <iterator>
#include <list>

static double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

int main() {
  std::list<int> items;
  for (int i = 0; i < 20000; ++i) items.push_back(i);
  long sum = 0;
  double began = now();
  for (int i = 0; i < 80000; ++i) {
    auto at = items.begin();
    std::advance(at, i * 7919L % items.size());  // FAULT none
    sum += *at;
  }
  printf("%ld\ntruth %.3f\n", sum, now() - began);
}
