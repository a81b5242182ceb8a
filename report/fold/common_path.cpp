#include "report/fold/common_path.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "report/model/metrics_base.hpp"

namespace prof::fold {
namespace {

// Which share of the weight may go another way.
constexpr std::int64_t kOneOf = 10;

// Goes along paths from one of their ends, as long as most of them go the same way.
class Walk {
 public:
  Walk(const std::vector<WeighedPath>& paths, const PathNames& names) : names_(names) {
    for (const WeighedPath& path : paths) {
      all_ = model::saturated_sum(all_, path.weight);
      here_.push_back(&path);
    }
  }

  // `room`: how many steps of a path there are to go. `step_at`: the one to take of a path, `done` steps on.
  template <typename Room, typename StepAt>
  std::vector<std::uint32_t> run(Room room, StepAt step_at) {
    std::vector<std::uint32_t> out;
    for (std::size_t done = 0;; ++done) {
      const auto go_on = [&](auto key_of) -> std::optional<std::uint32_t> {
        std::map<std::uint32_t, std::int64_t> weights;
        for (const WeighedPath* path : here_) {
          if (done < room(*path)) {
            std::int64_t& weight = weights[key_of(step_at(*path, done))];
            weight = model::saturated_sum(weight, path->weight);
          }
        }
        const auto most = std::max_element(weights.begin(), weights.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        if (most == weights.end() || most->second < all_ - all_ / kOneOf || most->second == 0) return std::nullopt;
        std::erase_if(here_, [&](const WeighedPath* path) {
          return done >= room(*path) || key_of(step_at(*path, done)) != most->first;
        });
        return most->first;
      };
      if (const auto same = go_on([](std::uint32_t location) { return location; })) {
        out.push_back(*same);
      } else if (go_on(names_.function)) {
        out.push_back(names_.anywhere(step_at(*here_.front(), done)));
      } else {
        return out;
      }
    }
  }

  // Those that went all the way.
  const std::vector<const WeighedPath*>& here() const { return here_; }

 private:
  const PathNames& names_;
  std::vector<const WeighedPath*> here_;
  std::int64_t all_ = 0;
};

}  // namespace

std::vector<std::uint32_t> common_path(const std::vector<WeighedPath>& paths, const PathNames& names) {
  Walk from_outside(paths, names), from_inside(paths, names);
  std::vector<std::uint32_t> out =
      from_outside.run([](const WeighedPath& path) { return path.steps.size(); },
                       [](const WeighedPath& path, std::size_t done) { return path.steps[done]; });
  const std::size_t begun = out.size();
  const auto rest = [begun](const WeighedPath& path) { return path.steps.size() - std::min(path.steps.size(), begun); };
  const std::vector<std::uint32_t> end = from_inside.run(
      rest, [](const WeighedPath& path, std::size_t done) { return path.steps[path.steps.size() - 1 - done]; });
  out.insert(out.end(), end.rbegin(), end.rend());
  return out;
}

}  // namespace prof::fold
