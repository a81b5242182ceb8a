#include "report/cli/suggest.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace prof::cli {
namespace {

// Longer words than this are no mistyped option; the distance takes time and room for each pair of letters.
constexpr std::size_t kLongestWord = 64;

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t wrong = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + wrong});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string_view best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t errors = distance(word, candidate);
    if (errors < least) {
      least = errors;
      best = candidate;
    }
  }
  if (!best.empty() || word.size() < 3) return best;
  const auto begun = std::find_if(candidates.begin(), candidates.end(),
                                  [&](std::string_view candidate) { return candidate.substr(0, word.size()) == word; });
  return begun == candidates.end() ? std::string_view() : *begun;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view found = nearest(word, candidates);
  return found.empty() ? std::string() : " Did you mean '" + std::string(found) + "'?";
}

}  // namespace prof::cli
