#include <cstddef>

#include "tests/fuzz/corpus.hpp"
#include "tests/fuzz/seeds.hpp"

namespace prof::fuzz {
namespace {

// As log_fuzzer.cpp reads it: where it is cut in two, and the bytes.
Input input_of(const test::LogBuilder& log, bool twice) {
  const test::ByteVector bytes = log.bytes();
  Input input{static_cast<std::uint8_t>(twice ? 128 : 0)};
  for (int copy = 0; copy < (twice ? 2 : 1); ++copy) {
    for (const std::byte b : bytes) input.push_back(static_cast<std::uint8_t>(b));
  }
  return input;
}

}  // namespace

std::vector<Input> seeds() {
  std::vector<Input> inputs;
  for (const test::LogBuilder& log : seed_logs()) {
    for (const bool twice : {false, true}) inputs.push_back(input_of(log, twice));
  }
  return inputs;
}

Input of_file(Input bytes) {
  bytes.insert(bytes.begin(), 0);
  return bytes;
}

}  // namespace prof::fuzz
