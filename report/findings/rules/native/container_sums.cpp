#include "report/findings/rules/native/container_sums.hpp"

#include <map>
#include <string>
#include <string_view>

#include "report/findings/below_own.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/native_family.hpp"
#include "report/findings/source_words.hpp"
#include "report/fold/function_match.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace container_sums {
namespace {

const Family kCounters{"concatenations",
                       {},
                       {},
                       {},
                       "A Counter of all that was counted so far is made for each one that is added",
                       "Add in place: total.update(counts) for each into one Counter; a + b, sum(counters, Counter()) "
                       "and += go through all keys of the total each time."};

bool in_counter(const symbols::Function& function, std::string_view name) {
  return function.language == symbols::Language::Python && function.file.ends_with("/collections/__init__.py") &&
         function.name == name;
}
// Makes a third Counter of two.
bool adds(const symbols::Function& function) { return in_counter(function, "Counter.__add__"); }
// What += does besides: it looks through all of the total for counts that are not positive.
bool keeps_positive(const symbols::Function& function) { return in_counter(function, "Counter._keep_positive"); }

// Whether a line of Python adds to what it added before: two Counters that are added once are copied once.
bool adds_up(std::string_view code) {
  if (find_word(code, "sum") != std::string_view::npos || find_word(code, "reduce") != std::string_view::npos ||
      find_word(code, "accumulate") != std::string_view::npos)
    return true;
  // total = total + counts, total = counts + total
  const std::size_t equals = code.find(" = ");
  if (equals == std::string_view::npos) return false;
  const std::string_view name = code.substr(indent_of(code), equals - indent_of(code)), sum = code.substr(equals + 3);
  return !name.empty() && sum.find(" + ") != std::string_view::npos && find_word(sum, name) != std::string_view::npos;
}

// The same by location, each looked at once.
class Lines {
 public:
  explicit Lines(const Evidence& evidence) : evidence_(evidence), files_(evidence.sources()) {}
  bool add_up(std::uint32_t location) {
    const auto [found, is_new] = known_.try_emplace(location, false);
    if (is_new && location != 0) {
      const Place place = place_of(evidence_.symbols(), location);
      const std::string line = files_.line(place.file, static_cast<std::uint32_t>(place.line));
      found->second = adds_up(code_of(line, "#"));
    }
    return found->second;
  }

 private:
  const Evidence& evidence_;
  symbols::SourceFiles& files_;
  std::map<std::uint32_t, bool> known_;
};

}  // namespace
}  // namespace container_sums

std::vector<Finding> look_for_counter_sums(const Evidence& evidence) {
  const std::vector<bool> added = below_own(evidence, container_sums::adds);
  const std::vector<bool> kept = below_own(evidence, container_sums::keeps_positive);
  container_sums::Lines lines(evidence);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    return kept[node] || (added[node] && lines.add_up(evidence.own_location(node)));
  });
  return tell_of(evidence, container_sums::kCounters, cpu);
}

}  // namespace prof::findings
