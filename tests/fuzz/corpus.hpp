// What corpus.cpp asks of the target that it is linked with.
#pragma once

#include <cstdint>
#include <vector>

namespace prof::fuzz {

using Input = std::vector<std::uint8_t>;

// What every run begins with.
std::vector<Input> seeds();

// The input that is made of a file's bytes.
Input of_file(Input bytes);

}  // namespace prof::fuzz
