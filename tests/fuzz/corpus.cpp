// Runs the fuzzer's target without a fuzzer: over files, and over damaged copies of small valid logs.
//
//   log_corpus COUNT [FILE...]   COUNT damaged copies of each seed and file
//   log_corpus --write DIR       writes the seeds, to start libFuzzer with
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/support/log_builder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace prof;
using Input = std::vector<std::uint8_t>;

Input input_of(const test::LogBuilder& log, bool twice) {
  const test::ByteVector bytes = log.bytes();
  Input input{static_cast<std::uint8_t>(twice ? 128 : 0)};
  for (int copy = 0; copy < (twice ? 2 : 1); ++copy) {
    for (const std::byte b : bytes) input.push_back(static_cast<std::uint8_t>(b));
  }
  return input;
}

std::vector<Input> seeds() {
  test::LogBuilder empty, full;
  const auto module = full.module("/bin/program", {1, 2, 3, 4});
  std::uint32_t node = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    node = full.node(i % 5 == 0 ? 0 : node, full.native(module, 0x1000 + i * 16));
    full.cpu(node, 1, 1'000'000, static_cast<std::uint32_t>(i % 3));
    const log::HeapWords words{log::kCountUnit, 100 * i, 0, 50 * i, 70 * i, i % 3, 1};
    full.memory(log::RecordClass::Heap, node, words);
    full.memory(log::RecordClass::Map, node, words);
  }
  for (std::uint32_t slot = 0; slot < 3; ++slot) full.thread(slot).start_routine = log::native_frame(module, 0x1000);
  full.info(log::InfoKey::Argv, std::string("program\0-x", 10));
  full.child(101, 9, 5'000'000'000);
  full.hole(2);
  full.header.end = log::End::Running;
  return {input_of(empty, false), input_of(full, false), input_of(full, true)};
}

// Bits, words with telling values, and lengths: what a torn, overwritten or hostile log may show.
void damage(Input& input, std::mt19937_64& random) {
  static constexpr std::uint64_t kTelling[] = {0,          1,          0x7f,       0xff,      0xffff,
                                               0x7fffffff, 0xffffffff, 1ULL << 63, UINT64_MAX};
  for (std::uint64_t hits = 1 + random() % 12; hits != 0; --hits) {
    const std::size_t at = random() % input.size();
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

int write_seeds(const std::string& directory) {
  int n = 0;
  for (const Input& seed : seeds()) {
    std::ofstream file(directory + "/seed" + std::to_string(n++), std::ios::binary);
    file.write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
    if (!file) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--write") return write_seeds(argv[2]);
  if (argc < 2) {
    std::fprintf(stderr, "usage: log_corpus COUNT [FILE...] | --write DIR\n");
    return 2;
  }
  std::vector<Input> inputs = seeds();
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    Input input{0};
    input.insert(input.end(), std::istreambuf_iterator<char>(file), {});
    inputs.push_back(input);
  }
  std::mt19937_64 random(1);
  const long count = std::strtol(argv[1], nullptr, 10);
  for (const Input& input : inputs) {
    LLVMFuzzerTestOneInput(input.data(), input.size());
    for (long i = 0; i < count; ++i) {
      Input damaged = input;
      damage(damaged, random);
      LLVMFuzzerTestOneInput(damaged.data(), damaged.size());
    }
  }
  std::printf("%zu inputs, %ld damaged copies of each\n", inputs.size(), count);
}
