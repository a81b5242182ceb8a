// Runs a fuzzer's target without a fuzzer: over its seeds and files, and over damaged copies of them. One program for
// each target:
//
//   log_corpus COUNT [FILE...]         COUNT damaged copies of each seed and file
//   log_corpus --write DIR [FILE...]   writes them as inputs, to start libFuzzer with
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/corpus.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using prof::fuzz::Input;

// Bits, words with telling values, and lengths: what a torn, overwritten or hostile file may show.
void damage(Input& input, std::mt19937_64& random) {
  static constexpr std::uint64_t kTelling[] = {0,          1,          0x7f,       0xff,      0xffff,
                                               0x7fffffff, 0xffffffff, 1ULL << 63, UINT64_MAX};
  for (std::uint64_t hits = 1 + random() % 12; hits != 0; --hits) {
    std::size_t at = random() % input.size();
    for (int tries = 4; tries != 0 && input[at] == 0; --tries) at = random() % input.size();  // most of a log is room
    switch (random() % 4) {
      case 0:
        input[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
        break;
      case 1:
        input[at] = static_cast<std::uint8_t>(random());
        break;
      case 2: {
        const std::uint64_t value = kTelling[random() % std::size(kTelling)];
        const std::size_t width = std::size_t{1} << random() % 4;
        for (std::size_t i = 0; i < width && at + i < input.size(); ++i) {
          input[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
        }
        break;
      }
      default:
        if (random() % 20 == 0) input.resize(1 + at);
        break;
    }
  }
}

int write(const std::vector<Input>& inputs, const std::string& directory) {
  int n = 0;
  for (const Input& input : inputs) {
    std::ofstream file(directory + "/seed" + std::to_string(n++), std::ios::binary);
    file.write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
    if (!file) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool only_write = argc > 2 && std::string(argv[1]) == "--write";
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s COUNT [FILE...] | --write DIR [FILE...]\n", argv[0]);
    return 2;
  }
  std::vector<Input> inputs = prof::fuzz::seeds();
  for (int i = only_write ? 3 : 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s cannot be read\n", argv[i]);
      return 2;
    }
    inputs.push_back(prof::fuzz::of_file(Input(std::istreambuf_iterator<char>(file), {})));
  }
  if (only_write) return write(inputs, argv[2]);
  std::mt19937_64 random(1);
  const long count = std::strtol(argv[1], nullptr, 10);
  for (const Input& input : inputs) {
    LLVMFuzzerTestOneInput(input.data(), input.size());
    for (long i = 0; i < count && !input.empty(); ++i) {
      Input damaged = input;
      damage(damaged, random);
      LLVMFuzzerTestOneInput(damaged.data(), damaged.size());
    }
  }
  std::printf("%zu inputs, %ld damaged copies of each\n", inputs.size(), count);
}
