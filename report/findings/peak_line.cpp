#include "report/findings/peak_line.hpp"

#include <algorithm>
#include <vector>

#include "report/fold/memory/program_memory.hpp"

namespace prof::findings {

PeakLine peak_line(const Evidence& evidence) {
  std::vector<std::int64_t> peaks(evidence.symbols().location_count());
  PeakLine out;
  for (std::uint32_t node = 1; node < evidence.lines().nodes().size(); ++node) {
    const std::int64_t bytes = fold::program_memory(evidence.lines(), node).peak_bytes;
    std::int64_t& sum = peaks[evidence.own_location(node)];
    sum = model::saturated_sum(sum, bytes);
    out.all = model::saturated_sum(out.all, bytes);
  }
  peaks[0] = 0;  // of no own line
  const auto most = std::max_element(peaks.begin(), peaks.end());
  out.location = static_cast<std::uint32_t>(most - peaks.begin());
  out.bytes = *most;
  return out;
}

}  // namespace prof::findings
