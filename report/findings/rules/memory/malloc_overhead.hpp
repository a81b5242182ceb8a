// Memory that malloc has of the system beyond what the program ever held.
#pragma once

#include <cstdint>

#include "report/findings/evidence.hpp"

namespace prof::findings {

// Of that process, when its resident memory was highest; 0 where that was not recorded.
std::int64_t malloc_overhead_bytes(const Evidence& evidence, const model::Process& process);

}  // namespace prof::findings
