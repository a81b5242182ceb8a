// Orders search results by the user's own ranking of categories, for many users.
//
// What is wrong: the comparator that std::sort gets holds the ranking (a vector of 4000 ints) by value, and std::sort
// copies its comparator at every partition and for every element of its last insertion sort.
// First screen should say: most of the time goes to copying vectors (operator new, memmove, free) in the copy constructor
// of ByRank inside std::sort in Results::order - the comparator is copied thousands of times.
// Mend: hold the ranking by reference (or pass std::ref of the comparator).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <numeric>
#include <vector>

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

struct Random {
  uint64_t state;
  uint32_t operator()() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state >> 33;
  }
};

struct Hit {
  int category;
  float score;
  int document;
};

using Ranking = std::vector<int>;

struct ByRank {
  Ranking ranking;  // FAULT container-copies

  bool operator()(const Hit& a, const Hit& b) const {
    int ra = ranking[a.category], rb = ranking[b.category];
    return ra != rb ? ra < rb : a.score != b.score ? a.score > b.score : a.document < b.document;
  }
};

class Results {
 public:
  void collect(Random& random, int n) {
    hits.clear();
    for (int i = 0; i < n; ++i) hits.push_back({int(random() % 4000), float(random() % 1000) / 1000, i});
  }

  void order(const Ranking& ranking) {
    std::sort(hits.begin(), hits.end(), ByRank{ranking});  // FAULT container-copies
  }

  void order_by_reference(const Ranking& ranking) {
    ByRank by{ranking};
    std::sort(hits.begin(), hits.end(), std::ref(by));
  }

  // How far the best documents spread over the categories, and how alike neighbours are.
  double diversity(int window) const {
    double sum = 0;
    for (size_t i = 0; i < hits.size(); ++i)
      for (size_t j = i + 1; j < std::min(hits.size(), i + window); ++j)
        sum += (hits[i].category ^ hits[j].category) % 7 / double(j - i) + hits[i].score * hits[j].score;
    return sum;
  }

  std::vector<Hit> hits;
};

static Ranking make_ranking(Random& random) {
  Ranking ranking(4000);
  std::iota(ranking.begin(), ranking.end(), 0);
  for (size_t i = ranking.size() - 1; i; --i) std::swap(ranking[i], ranking[random() % (i + 1)]);
  return ranking;
}

int main() {
  Random random{5};
  Results results;
  double ordering = 0, mended = 0, diversity = 0;
  const int users = 800;
  for (int user = 0; user < users; ++user) {
    Ranking ranking = make_ranking(random);
    results.collect(random, 9000);
    auto same = results.hits;
    double began = now();
    results.order(ranking);
    ordering += now() - began;
    diversity += results.diversity(48);
    if (user % 20 == 0) {
      results.hits.swap(same);
      began = now();
      results.order_by_reference(ranking);
      mended += now() - began;
    }
  }
  printf("diversity %.3f\n", diversity);
  printf("truth %.3f\n", ordering - mended * 20);
}
