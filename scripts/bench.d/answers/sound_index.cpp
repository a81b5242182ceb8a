// SOUND: counts words with a hash table.
#include <cstdio>
#include <string>
#include <unordered_map>

int main() {
  std::unordered_map<std::string, int> counts;
  counts.reserve(200000);
  unsigned seed = 7;
  std::string word;
  for (int i = 0; i < 6000000; ++i) {
    seed = seed * 1103515245 + 12345;
    word.assign("word-").append(std::to_string(seed >> 16 & 0xffff));
    ++counts[word];
  }
  printf("%zu\n", counts.size());
}
