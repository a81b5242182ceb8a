// Sound: counts words and word pairs of a long text by string_view, in hash tables of the right size, and sorts them.
//
// Hashing, comparing and sorting is the work; there is nothing here that is worth mending.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

static std::string make_text(size_t words) {
  std::string text;
  text.reserve(words * 10);
  uint64_t state = 88172645463325252ull;
  for (size_t i = 0; i < words; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    uint64_t a = state & 1023, b = state >> 20 & 1023, c = state >> 40 & 1023;
    uint32_t pick = uint32_t(a * a * b * c >> 25);
    do text += char('a' + pick % 26);
    while (pick /= 26);
    text += ' ';
  }
  return text;
}

struct Counts {
  std::unordered_map<std::string_view, uint32_t> numbers;
  std::vector<std::string_view> words;
  std::vector<uint32_t> times;
  std::unordered_map<uint64_t, uint32_t> pairs;

  Counts() {
    numbers.reserve(1 << 17);
    pairs.reserve(1 << 23);
    words.reserve(1 << 16);
    times.reserve(1 << 16);
  }

  uint32_t number_of(std::string_view word) {
    auto [place, fresh] = numbers.try_emplace(word, uint32_t(words.size()));
    if (fresh) {
      words.push_back(word);
      times.push_back(0);
    }
    return place->second;
  }

  void add(std::string_view text) {
    uint64_t last = 0;
    for (size_t at = 0; at < text.size();) {
      size_t end = text.find(' ', at);
      uint32_t number = number_of(text.substr(at, end - at));
      ++times[number];
      ++pairs[last << 32 | number];
      last = number;
      at = end + 1;
    }
  }
};

int main() {
  std::string text = make_text(6'000'000);
  Counts counts;
  counts.add(text);
  std::vector<std::pair<uint32_t, uint64_t>> ranked;
  ranked.reserve(counts.pairs.size());
  for (auto& [pair, n] : counts.pairs) ranked.emplace_back(n, pair);
  std::sort(ranked.begin(), ranked.end(), [](auto& a, auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  auto word = [&](uint64_t number) { return std::string(counts.words[number & 0xffffffff]); };
  printf("words %zu pairs %zu most %s %s %u\n", counts.words.size(), ranked.size(), word(ranked[0].second >> 32).c_str(),
         word(ranked[0].second).c_str(), ranked[0].first);
}
