#include "report/show/view.hpp"

#include <algorithm>

namespace prof::show {

std::size_t ViewOptions::rows_of(std::size_t count, std::size_t usual) const {
  const std::size_t wanted = limit.value_or(everything ? 0 : usual);
  return wanted == 0 ? count : std::min(count, wanted);
}

}  // namespace prof::show
