#include "agent/ops/flops.hpp"

namespace prof::ops {
namespace {

using Shape = Vector<std::int64_t>;

std::size_t count(const Shape& shape) { return static_cast<std::size_t>(shape.end - shape.begin); }

// A product that never falls below what it is: the largest number stands for all that do not fit.
class Product {
 public:
  Product& times(std::int64_t factor) {
    if (factor < 0 || __builtin_mul_overflow(value_, static_cast<std::uint64_t>(factor), &value_)) overflown_ = true;
    zero_ = zero_ || factor == 0;
    return *this;
  }
  Product& times_all(const Shape& shape) {
    for (const std::int64_t* size = shape.begin; size != shape.end; ++size) times(*size);
    return *this;
  }
  std::uint64_t value() const { return zero_ ? 0 : overflown_ ? UINT64_MAX : value_; }

 private:
  std::uint64_t value_ = 1;
  bool zero_ = false, overflown_ = false;
};

// 2 for each element of `a` but for its last size, which both have, and each of `b`; of batches the first size counts
// once.
std::uint64_t product_of(const Shape& a, const Shape& b, bool batched) {
  if (count(a) == 0 || a.end[-1] == 0 || (batched && *a.begin == 0)) return 0;
  Product flops;
  flops.times(2).times_all({a.begin + (batched ? 1 : 0), a.end - 1, nullptr});
  return flops.times_all(b).value();
}

// A list of two numbers: a c10 object whose counters of references are one word or two, with a vector of values behind
// them.
bool pair_of(const Value& list, std::uint32_t number, std::int64_t (&pair)[2]) {
  constexpr std::uint64_t kLowest = 4096;  // of addresses
  const auto usable = [](std::uint64_t at) { return at >= kLowest && at % 8 == 0; };
  if (!usable(list.payload)) return false;
  const auto* words = reinterpret_cast<const std::uint64_t*>(list.payload);
  const std::uint64_t* vector = words + (words[2] < kLowest ? 3 : 2);
  if (!usable(vector[0]) || vector[1] - vector[0] != sizeof(pair) / sizeof(pair[0]) * sizeof(Value)) return false;
  const auto* values = reinterpret_cast<const Value*>(vector[0]);
  for (int i = 0; i < 2; ++i) {
    constexpr std::int64_t kMost = 1 << 30;
    pair[i] = static_cast<std::int64_t>(values[i].payload);
    if (values[i].tag != number || pair[i] < 0 || pair[i] > kMost) return false;
  }
  return true;
}

// Padding may also be a word, "same": then it is not a thing of the kind that the stride is, and there is no formula.
std::uint64_t convolution_of(const Sizes& sizes, const Value* values) {
  constexpr int kStride = 3, kPadding = 4, kDilation = 5, kGroups = 6;
  const Shape &input = sizes.begin[0], &weight = sizes.begin[1];
  const std::uint32_t list = values[kStride].tag, number = values[kGroups].tag;
  const auto groups = static_cast<std::int64_t>(values[kGroups].payload);
  if (values[kPadding].tag != list || values[kDilation].tag != list || number == list) return 0;
  // The shapes say it too.
  if (groups <= 0 || input.begin[1] % groups != 0 || input.begin[1] / groups != weight.begin[1]) return 0;
  std::int64_t stride[2], padding[2], dilation[2];
  if (!pair_of(values[kStride], number, stride) || !pair_of(values[kPadding], number, padding) ||
      !pair_of(values[kDilation], number, dilation)) {
    return 0;
  }
  Product flops;
  flops.times(2).times(*input.begin).times_all(weight);
  for (int i = 0; i < 2; ++i) {
    std::int64_t reach = 0, room = 0;
    if (stride[i] == 0 || __builtin_mul_overflow(dilation[i], weight.begin[2 + i] - 1, &reach) ||
        __builtin_add_overflow(input.begin[2 + i], 2 * padding[i] - 1, &room) || room < reach) {
      return 0;
    }
    flops.times((room - reach) / stride[i] + 1);
  }
  return flops.value();
}

}  // namespace

Formula formula_of(std::string_view name) {
  constexpr struct {
    std::string_view name;
    Formula formula;
  } kFormulas[] = {
      {"aten::conv2d", Formula::Convolution},   {"aten::mm", Formula::Product},
      {"aten::addmm", Formula::AddedProduct},   {"aten::bmm", Formula::BatchedProduct},
      {"aten::baddbmm", Formula::AddedBatched}, {"aten::mul", Formula::Elements},
      {"aten::add", Formula::Elements},
  };
  for (const auto& known : kFormulas) {
    if (name == known.name) return known.formula;
  }
  return Formula::None;
}

std::uint64_t flops_of(Formula formula, Inputs& inputs, const Layout& layout) {
  if (formula == Formula::None) return 0;
  const Sizes& sizes = inputs.sizes();
  const auto known = static_cast<std::size_t>(sizes.end - sizes.begin);
  const bool added = formula == Formula::AddedProduct || formula == Formula::AddedBatched;
  const bool batched = formula == Formula::BatchedProduct || formula == Formula::AddedBatched;
  switch (formula) {
    case Formula::Elements:
      return known < 1 ? 0 : Product().times_all(sizes.begin[0]).value();
    case Formula::Convolution: {
      constexpr std::size_t kInputs = 7;
      if (known < kInputs || count(sizes.begin[0]) != 4 || count(sizes.begin[1]) != 4 || !layout.known()) return 0;
      const Value* values = layout.inputs(inputs.function(), known);
      return values == nullptr ? 0 : convolution_of(sizes, values);
    }
    default: {
      const std::size_t first = added ? 1 : 0;
      return known < first + 2 ? 0 : product_of(sizes.begin[first], sizes.begin[first + 1], batched);
    }
  }
}

}  // namespace prof::ops
