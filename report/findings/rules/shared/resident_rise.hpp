// What memory that is kept costs beside its own bytes: blocks freed between those that stay find no use.
#pragma once

#include <cstdint>

#include "report/findings/evidence.hpp"

namespace prof::findings {

// Times the rise of the process's live bytes by `kept` up to their peak, the rise of its resident memory meanwhile: 1
// where it rose by no more, or where that is not known.
double resident_rise(const model::Process& process, std::int64_t kept);

}  // namespace prof::findings
