// Names that a program may make without end: "step 1", "step 2", ... Of one kind there are so many and no more.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/contract/format.hpp"
#include "agent/thread/guard.hpp"

namespace prof::log {

struct NameBounds {
  std::uint32_t own;      // beyond, names that differ in their numbers alone are one
  std::uint32_t most;     // beyond, all new ones are one:
  std::string_view more;  // this one
};

// As name_id. At most 1000 bytes of `text` count.
std::uint32_t bounded_name_id(const Guard& guard, NameKind kind, std::string_view text, std::string_view group,
                              const NameBounds& bounds);

}  // namespace prof::log
