// Keeps each word of a text once, in a vector that is searched from its start.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

static double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

int main() {
  std::vector<std::string> seen;
  double spent = 0;
  unsigned seed = 7;
  for (int i = 0; i < 80000; ++i) {
    seed = seed * 1103515245 + 12345;
    std::string word = "word-" + std::to_string(seed % 9000);
    double began = now();
    bool known = std::find(seen.begin(), seen.end(), word) != seen.end();  // FAULT container-searches
    spent += now() - began;
    if (!known) seen.push_back(word);
  }
  printf("%zu words\ntruth %.3f\n", seen.size(), spent);
}
