// Joins the frames of a recording to one buffer, and makes room for each frame before it comes.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

using Clock = std::chrono::steady_clock;

static std::vector<std::uint8_t> frame_of(unsigned number) {
  std::vector<std::uint8_t> frame(400);
  for (std::size_t i = 0; i < frame.size(); ++i) frame[i] = static_cast<std::uint8_t>(number * 31 + i * i);
  return frame;
}

int main() {
  std::vector<std::uint8_t> all;
  double spent = 0;
  for (unsigned i = 0; i < 6000; ++i) {
    const std::vector<std::uint8_t> frame = frame_of(i);
    auto began = Clock::now();
    all.reserve(all.size() + frame.size());  // FAULT container-reserves
    spent += std::chrono::duration<double>(Clock::now() - began).count();
    all.insert(all.end(), frame.begin(), frame.end());
  }
  unsigned sum = 0;
  for (int pass = 0; pass < 20; ++pass) {
    for (std::uint8_t byte : all) sum = sum * 33 + byte;
  }
  printf("%u\ntruth %.3f\n", sum, spent);
}
