// Comparisons with what a loop goes through, by the source of Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace prof::findings {

enum class ComparedKey : std::uint8_t {
  None,
  OfLoop,    // the variable of a loop around the line, or in it
  Argument,  // an argument of the function around it
};

// What line `number` (from 1) of a file of Python compares something with by ==, where that is a plain name; or what
// the line that made the mask that it uses does. None where the text does not say, or where the line groups, sorts or
// joins as well, which takes longer.
ComparedKey compared_key(const std::vector<std::string>& lines, std::size_t number);

}  // namespace prof::findings
