// Lines of a program that make functions to be compiled, by their source.
#pragma once

#include <cstdint>
#include <optional>

#include "report/findings/finding.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings::made_functions {

enum class By { Nobody, Jax, Numba, Torch, Triton, Cupy };  // who compiles them

// A block of a function, by its first line and one past its last, and the line in it that makes what is compiled.
struct Made {
  Place place;
  std::int64_t begin = 0, end = 0;
};

// What is made anew each time that `place`, which calls a compiled function, is come to again: in a loop around it, by
// a line of it that calls a function that makes one, or by the function that it stands in, which a loop calls. Nothing
// where that is not so, as far as the source tells.
std::optional<Made> made_again(symbols::SourceFiles& files, By by, const Place& place);

}  // namespace prof::findings::made_functions
