// Tokeniser and indexer, one thread each, that hand each document over through a slot.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

struct Slot {
  std::mutex m;
  std::condition_variable cv;
  bool full = false;
  std::string doc;
  double put_wait = 0, take_wait = 0;

  void put(std::string s) {
    auto t = Clock::now();
    std::unique_lock<std::mutex> l(m);
    cv.wait(l, [&] { return !full; });  // FAULT hand-overs
    doc = std::move(s);
    full = true;
    cv.notify_one();
    put_wait += since(t);
  }
  std::string take() {
    auto t = Clock::now();
    std::unique_lock<std::mutex> l(m);
    cv.wait(l, [&] { return full; });  // FAULT hand-overs
    full = false;
    std::string s = std::move(doc);
    cv.notify_one();
    take_wait += since(t);
    return s;
  }
};

std::string normalise(int i) {
  std::string s = "doc " + std::to_string(i) + " the quick brown fox";
  for (auto& c : s) c = c >= 'a' && c <= 'z' ? c - 32 : c;
  return s;
}

long index_one(std::unordered_map<std::string, int>& words, const std::string& s) {
  size_t a = 0;
  while (a < s.size()) {
    size_t b = s.find(' ', a);
    if (b == std::string::npos) b = s.size();
    words[s.substr(a, b - a)]++;
    a = b + 1;
  }
  return words.size();
}

double rank(const std::unordered_map<std::string, int>& words) {
  double r = 0;
  for (int it = 0; it < 25; ++it)
    for (auto& w : words) {
      unsigned h = it;
      for (char c : w.first) h = h * 131 + c;
      r += w.second / (1.0 + h % 100);
    }
  return r;
}

int main() {
  const int n = 110000;
  Slot slot;
  std::unordered_map<std::string, int> words;
  auto t = Clock::now();
  double make = 0;
  std::thread producer([&] {
    for (int i = 0; i < n; ++i) slot.put(normalise(i));
  });
  for (int i = 0; i < n; ++i) index_one(words, slot.take());
  producer.join();
  double wall = since(t), busy_p = wall - slot.put_wait, busy_c = wall - slot.take_wait;
  make = busy_p > busy_c ? busy_p : busy_c;
  double r = rank(words);
  printf("words %zu rank %.1f wall of the stage %.3f\n", words.size(), r, wall);
  printf("truth %.3f\n", wall - make);
}
