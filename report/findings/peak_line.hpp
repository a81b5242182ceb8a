// The line of the user's own that had most memory when most lived.
#pragma once

#include <cstdint>

#include "report/findings/evidence.hpp"

namespace prof::findings {

struct PeakLine {
  std::uint32_t location = 0;
  std::int64_t bytes = 0;  // that this line had allocated of what lived at the peak
  std::int64_t all = 0;    // what lived at the peak
};

// 0 bytes where no line of the user's own had any.
PeakLine peak_line(const Evidence& evidence);

}  // namespace prof::findings
