// abort() is what fuzzers look for.
#pragma once

#include <cstdlib>

namespace prof::fuzz {

inline void expect(bool holds) {
  if (!holds) std::abort();
}

}  // namespace prof::fuzz
