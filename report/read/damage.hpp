// What was wrong with one log. The rest of it was read.
#pragma once

#include <cstdint>

namespace prof::read {

struct Damage {
  std::uint64_t torn_bytes = 0;  // belong to no chunk: handed out but never published (a killed process leaves some)
  std::uint64_t bad_references = 0;  // to nodes, frames, modules or code that are not there
  std::uint64_t bad_records = 0;     // whose length does not fit
  bool bad_schema = false;  // what it says of its records made no sense: they were read as ones of this program's agent
  bool truncated = false;   // the file is shorter than its header says

  bool any() const { return bad_references != 0 || bad_records != 0 || bad_schema || truncated; }
};

}  // namespace prof::read
