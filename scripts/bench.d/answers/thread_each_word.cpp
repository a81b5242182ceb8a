// Checks words in threads: one thread is started for each of them.
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

static void check(const std::string& word, int* out) {
  int vowels = 0;
  for (char c : word) vowels += c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
  *out = vowels;
}

int main() {
  std::vector<std::string> words;
  for (int i = 0; i < 40000; ++i) words.push_back("word" + std::to_string(i * 7919 % 40000) + "ending");
  std::vector<int> vowels(words.size());
  auto began = Clock::now();
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::thread worker(check, words[i], &vowels[i]);  // FAULT thread-starts
    worker.join();                                    // FAULT thread-starts
  }
  double spent = std::chrono::duration<double>(Clock::now() - began).count();
  unsigned sum = 0;
  for (int pass = 0; pass < 1500; ++pass) {
    for (const std::string& word : words) sum = sum * 31 + word[pass % word.size()];
  }
  printf("%u %d\ntruth %.3f\n", sum, vowels[7], spent);
}
