#include "agent/core/gap.hpp"

#include "agent/contract/format.hpp"

namespace prof::heap {

Weight weight_of(std::uint64_t size, std::uint64_t interval) {
  const double s = static_cast<double>(size == 0 ? 1 : size);
  const double inverse = 1 / chance(s / static_cast<double>(interval));
  return {static_cast<std::uint64_t>(inverse * static_cast<double>(log::kCountUnit) + 0.5),
          size == 0 ? 0 : static_cast<std::uint64_t>(s * inverse + 0.5)};
}

}  // namespace prof::heap
