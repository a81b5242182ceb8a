#include "agent/ops/inputs.hpp"

#include <atomic>
#include <new>

#include "agent/log/conditions.hpp"
#include "agent/thread/guard.hpp"

namespace prof::ops {
namespace {

constexpr std::size_t kRoomForOne = 40;  // a size, or the end of the text

void write(const Vector<std::int64_t>& sizes, ShapesText& text) {
  text << '[';
  for (const std::int64_t* size = sizes.begin; size != sizes.end; ++size) {
    if (size != sizes.begin) text << ", ";
    if (*size < 0) text << '-';
    text << static_cast<std::uint64_t>(*size < 0 ? -*size : *size);
  }
  text << ']';
}

// Names by their hash: the same in all processes that come of this one.
constexpr std::uint32_t kMostRefused = 64;
constinit std::atomic<std::uint64_t> g_refused[kMostRefused]{};
constinit std::atomic<std::uint32_t> g_refusals{0};

std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

bool Inputs::refused(std::string_view name) {
  const std::uint32_t count = g_refusals.load(std::memory_order_acquire);
  if (count == 0) [[likely]]
    return false;
  const std::uint64_t hash = hash_of(name);
  for (std::uint32_t i = 0; i < count && i < kMostRefused; ++i) {
    if (g_refused[i].load(std::memory_order_relaxed) == hash) return true;
  }
  return false;
}

void Inputs::read() {
  ask();
  const RealCall nested;  // what PyTorch allocates here is not the program's
  torch_.input_sizes(&sizes_, function_, false);
  Tensors::compare(torch_, function_, sizes_);
  mine_.asked = nullptr;
  was_read_ = true;
}

void Inputs::give_back() {
  const RealCall nested;
  for (Vector<std::int64_t>* input = sizes_.begin; input != sizes_.end; ++input) operator delete(input->begin);
  operator delete(sizes_.begin);
}

void Inputs::leave(Thread& mine, const Torch& torch) {
  const std::uint32_t next = g_refusals.load(std::memory_order_relaxed);
  if (next < kMostRefused) {
    g_refused[next].store(hash_of(torch.name_of(mine.asked)), std::memory_order_relaxed);
    g_refusals.store(next + 1, std::memory_order_release);
  }
  mine.asked = nullptr;
  count_loss(log::Loss::OperatorUnbalanced);
  tls.busy = mine.asked_busy - 1;
  tls.suppressed = mine.asked_suppressed - 1;
}

void write_shapes(const Sizes& sizes, ShapesText& text) {
  constexpr std::size_t kMost = 800;
  text << '[';
  for (const Vector<std::int64_t>* input = sizes.begin; input != sizes.end; ++input) {
    const auto dimensions = static_cast<std::size_t>(input->end - input->begin);
    if (text.size() + (dimensions + 2) * kRoomForOne > kMost) {
      text << ", ...";
      break;
    }
    if (input != sizes.begin) text << ", ";
    write(*input, text);
  }
  text << ']';
}

}  // namespace prof::ops
