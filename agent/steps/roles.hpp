// What operators and ranges are to a step.
#pragma once

#include <cstdint>
#include <string_view>

namespace prof::steps {

enum class Role : std::uint8_t {
  None,   // a scope of the program's own: what is in it counts by itself
  Inner,  // in another operator, or one that nothing begins with
  Compute,
  Backward,
  Collective,  // communicates
};

// Of an operator that is in no other one. `scope`: it is a scope of the program's own; `backward`: PyTorch calls it a
// backward function.
Role role_of(std::string_view name, bool scope, bool backward);

// What a range is.
enum class Mark : std::uint8_t { None, Data, Optimizer, ZeroGrad, Profiler, Asked, Outermost };

// Of a range by its name, as PyTorch's own scopes are called; None for all others.
Mark mark_of(std::string_view text, std::string_view domain);

// Whether the range is a library's own, which opens one for each of its calls: no step of the program. By its domain.
bool of_library(std::string_view domain);

// The hash of a name in which all numbers are alike.
std::uint64_t hash_alike(std::string_view text, std::string_view domain);
// Whether `asked` is TEXT or TEXT@DOMAIN of this range, exactly or with '#' for each of its numbers.
bool is_asked(std::string_view asked, std::string_view text, std::string_view domain);

}  // namespace prof::steps
