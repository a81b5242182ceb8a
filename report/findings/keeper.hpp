// A line that may keep memory alive which others have allocated: told by the source, for shapes that are known to.
#pragma once

#include <optional>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

struct Keeper {
  Place place;
  const char* how;  // a sentence: how it keeps what it should not, and what to do
};

// In the files of lines whose memory grows: the first such line.
std::optional<Keeper> keeper_beside(const Evidence& evidence, const std::vector<Place>& growing);

// The same of C++ where it may be meant: a container that is only ever filled, with shared_ptr.
std::optional<Keeper> sharer_beside(const Evidence& evidence, const std::vector<Place>& growing);

}  // namespace prof::findings
