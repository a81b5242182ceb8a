// Builds an index of all words of 12 bases in a genome (counting sort into one array) and places short reads with it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

class Draw {
 public:
  explicit Draw(uint64_t seed) : state(seed) {}
  uint32_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> 20;
  }

 private:
  uint64_t state;
};

static std::vector<uint8_t> make_genome(size_t size) {
  Draw draw(99);
  std::vector<uint8_t> genome(size);
  for (size_t i = 0; i < size; ++i) genome[i] = draw.next() & 3;
  // A family of repeats, as genomes have.
  for (int copy = 0; copy < 400; ++copy) {
    size_t to = draw.next() % (size - 2000);
    std::copy(genome.begin() + 5000, genome.begin() + 6000, genome.begin() + to);
  }
  return genome;
}

class Index {
 public:
  static constexpr int kWord = 12;
  static constexpr uint32_t kWords = 1u << (2 * kWord);

  explicit Index(const std::vector<uint8_t>& genome) : genome(genome), starts(kWords + 1) {
    each_word([this](uint32_t word, uint32_t) { ++starts[word + 1]; });
    for (uint32_t i = 0; i < kWords; ++i) starts[i + 1] += starts[i];
    positions.resize(starts[kWords]);
    std::vector<uint32_t> next(starts.begin(), starts.end() - 1);
    each_word([&](uint32_t word, uint32_t at) { positions[next[word]++] = at; });
  }

  // The place with the fewest differences among those that share the read's first or middle word.
  int place(const std::vector<uint8_t>& read, uint32_t& best) const {
    int fewest = 1000;
    for (uint32_t offset : {0u, uint32_t(read.size() / 2)}) {
      uint32_t word = 0;
      for (int i = 0; i < kWord; ++i) word = word << 2 | read[offset + i];
      for (uint32_t i = starts[word]; i < starts[word + 1]; ++i) {
        if (positions[i] < offset || positions[i] - offset + read.size() > genome.size()) continue;
        uint32_t at = positions[i] - offset;
        int differences = 0;
        for (size_t j = 0; j < read.size() && differences < fewest; ++j) differences += read[j] != genome[at + j];
        if (differences < fewest) {
          fewest = differences;
          best = at;
        }
      }
    }
    return fewest;
  }

  size_t size() const { return positions.size(); }

 private:
  template <class Visit>
  void each_word(Visit visit) const {
    uint32_t word = 0;
    for (size_t i = 0; i < genome.size(); ++i) {
      word = (word << 2 | genome[i]) & (kWords - 1);
      if (i + 1 >= size_t(kWord)) visit(word, i + 1 - kWord);
    }
  }

  const std::vector<uint8_t>& genome;
  std::vector<uint32_t> starts, positions;
};

int main() {
  std::vector<uint8_t> genome = make_genome(48000000);
  Index index(genome);
  printf("words %zu\n", index.size());
  Draw draw(5);
  long placed = 0, right = 0, differences = 0;
  for (int number = 0; number < 400000; ++number) {
    uint32_t from = (uint64_t(draw.next()) << 8 | (draw.next() & 255)) % (genome.size() - 100), best = 0;
    std::vector<uint8_t> read(genome.begin() + from, genome.begin() + from + 100);
    for (int i = 0; i < 3; ++i) read[draw.next() % 100] = draw.next() & 3;
    int fewest = index.place(read, best);
    if (fewest > 12) continue;
    ++placed;
    right += best == from;
    differences += fewest;
  }
  printf("placed %ld right %ld differences %ld\n", placed, right, differences);
}
