// What is read of an operator's inputs, and the floating point operations that are told from them. A stand-in has its
// words where PyTorch has them.
#include "agent/ops/flops.hpp"

#include <new>
#include <string>
#include <vector>

#include "agent/ops/layout.hpp"
#include "agent/thread/guard.hpp"
#include "tests/support/catch.hpp"

using namespace prof;
using ops::Formula;
using ops::Layout;
using ops::RecordFunction;
using ops::Value;

namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;

constexpr std::uint32_t kEnd = 120;
constexpr std::uint32_t kList = 7, kNumber = 4;  // tags

struct Fake {
  std::uint64_t words[kEnd / 8 + 1] = {};
  Shapes shapes{};
  const RecordFunction* function() const { return reinterpret_cast<const RecordFunction*>(this); }
  std::uint64_t& before_end(std::uint32_t bytes) { return words[(kEnd - bytes) / 8]; }
};

void* input_sizes(ops::Sizes* result, const RecordFunction* function, bool) {
  new (result) Shapes(reinterpret_cast<const Fake*>(function)->shapes);
  return result;
}

std::uint64_t flops_in(const char* name, const Fake& fake) {
  ops::Thread thread{};
  const ops::Torch torch{nullptr, nullptr, input_sizes};
  ops::Inputs inputs(thread, torch, fake.function());
  return ops::flops_of(ops::formula_of(name), inputs, Layout(kEnd));
}

std::uint64_t flops(const char* name, Shapes shapes) {
  Fake fake;
  fake.shapes = std::move(shapes);
  return flops_in(name, fake);
}

// A list of numbers as c10 keeps it, with one word of counters or two.
struct List {
  List(std::vector<std::int64_t> numbers, bool two_counters) {
    for (const std::int64_t n : numbers) values.push_back({static_cast<std::uint64_t>(n), kNumber});
    words = {0x1000, 1};
    if (two_counters) words.push_back(1);
    const auto begin = reinterpret_cast<std::uint64_t>(values.data());
    words.insert(words.end(), {begin, begin + values.size() * sizeof(Value), begin + values.size() * sizeof(Value)});
  }
  Value value() const { return {reinterpret_cast<std::uint64_t>(words.data()), kList}; }
  std::vector<Value> values;
  std::vector<std::uint64_t> words;
};

// aten::conv2d(input, weight, bias, stride, padding, dilation, groups)
struct Convolution {
  Shapes shapes{{8, 6, 32, 20}, {10, 3, 5, 3}, {10}, {}, {}, {}, {}};
  std::vector<std::int64_t> stride{2, 1}, padding{1, 0}, dilation{1, 2};
  std::int64_t groups = 2;
  std::uint32_t padding_tag = kList;
  bool two_counters = true;
  std::uint32_t distance = Layout::kDistances[0];

  std::uint64_t flops() const {
    const List s(stride, two_counters), p(padding, two_counters), d(dilation, two_counters);
    std::vector<Value> values(7);
    values[3] = s.value();
    values[4] = p.value();
    values[4].tag = padding_tag;
    values[5] = d.value();
    values[6] = {static_cast<std::uint64_t>(groups), kNumber};
    Fake fake;
    fake.shapes = shapes;
    fake.before_end(distance - 8) = reinterpret_cast<std::uint64_t>(values.data());
    fake.before_end(distance - 16) = values.size();
    return flops_in("aten::conv2d", fake);
  }
};

}  // namespace

TEST_CASE("agent: products of matrices are told as torch.profiler tells them") {
  CHECK(flops("aten::mm", {{3, 4}, {4, 5}}) == 2 * 3 * 4 * 5);
  CHECK(flops("aten::addmm", {{5}, {3, 4}, {4, 5}, {}, {}}) == 2 * 3 * 4 * 5);
  CHECK(flops("aten::bmm", {{7, 3, 4}, {7, 4, 5}}) == 2 * 7 * 3 * 4 * 5);
  CHECK(flops("aten::baddbmm", {{1}, {7, 3, 4}, {7, 4, 5}}) == 2 * 7 * 3 * 4 * 5);
  CHECK(flops("aten::mul", {{3, 4}, {}}) == 12);
  CHECK(flops("aten::add", {{}, {}, {}}) == 1);
  CHECK(flops("aten::mm", {{3, 0}, {0, 5}}) == 0);
  CHECK(flops("aten::bmm", {{0, 3, 4}, {0, 4, 5}}) == 0);
  CHECK(flops("aten::mm", {{}, {4, 5}}) == 0);
  CHECK(flops("aten::mm", {{3, 4}}) == 0);
  CHECK(flops("aten::mul", {}) == 0);
  CHECK(flops("aten::mul", {{INT64_MAX, INT64_MAX}}) == UINT64_MAX);
  CHECK(flops("aten::mul", {{INT64_MAX, INT64_MAX, 0}}) == 0);
  CHECK(flops("aten::mul", {{-1}}) == UINT64_MAX);
  for (const char* none : {"aten::mul_", "aten::linear", "aten::convolution", "mm", ""})
    CHECK(ops::formula_of(none) == Formula::None);
}

// 2 * batch * height * width of the output, for each of them the weights of a group.
TEST_CASE("agent: convolutions are told by their strides, paddings and dilations") {
  constexpr std::uint64_t kWant = 2ULL * 8 * 15 * 16 * (10 * 3 * 5 * 3);
  CHECK(Convolution{}.flops() == kWant);
  Convolution other;
  other.two_counters = false;
  CHECK(other.flops() == kWant);
  other.distance = Layout::kDistances[1];
  CHECK(other.flops() == kWant);
}

// Catches figures made of what is not there: a padding that is a word, shapes that are none of a convolution of images,
// lists that are laid out in another way.
TEST_CASE("agent: a convolution that is not as it is known has no figure") {
  const auto none = [](auto change) {
    Convolution c;
    change(c);
    return c.flops() == 0;
  };
  CHECK(none([](Convolution& c) { c.padding_tag = kList + 1; }));
  CHECK(none([](Convolution& c) { c.shapes[0] = {6, 32, 20}; }));
  CHECK(none([](Convolution& c) { c.shapes[1] = {10, 3, 5}; }));
  CHECK(none([](Convolution& c) { c.shapes.resize(6); }));
  CHECK(none([](Convolution& c) { c.shapes.push_back({}); }));  // there are other inputs than these
  CHECK(none([](Convolution& c) { c.groups = 3; }));
  CHECK(none([](Convolution& c) { c.groups = 0; }));
  CHECK(none([](Convolution& c) { c.stride = {0, 1}; }));
  CHECK(none([](Convolution& c) { c.stride = {1}; }));
  CHECK(none([](Convolution& c) { c.dilation = {100, 1}; }));
  CHECK(none([](Convolution& c) { c.padding = {-1, 0}; }));
  CHECK(none([](Convolution& c) { c.distance = 112; }));
}

TEST_CASE("agent: where the flag stands is read from the code that returns it") {
  const auto of = [](const std::vector<std::uint8_t>& code) {
    return Layout::of(reinterpret_cast<ops::IsAsync*>(reinterpret_cast<std::uintptr_t>(code.data())));
  };
  CHECK(of({0x0f, 0xb6, 0x87, 0x08, 0x01, 0, 0, 0xc3}).known());
  CHECK(of({0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0xb6, 0x87, 0x40, 0x01, 0, 0, 0xc3}).known());
  CHECK_FALSE(of({0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0x7d, 0xf8, 0x48, 0x8b, 0x45, 0xf8}).known());
  CHECK_FALSE(of({0x0f, 0xb6, 0x87, 0x08, 0x01, 0, 0, 0x90}).known());        // goes on
  CHECK_FALSE(of({0x0f, 0xb6, 0x87, 0x09, 0x01, 0, 0, 0xc3}).known());        // at an odd place
  CHECK_FALSE(of({0x0f, 0xb6, 0x87, 0x10, 0, 0, 0, 0xc3}).known());           // too near the beginning
  CHECK_FALSE(of({0x0f, 0xb6, 0x87, 0x08, 0x01, 0xff, 0x7f, 0xc3}).known());  // far beyond the end
  CHECK_FALSE(Layout::of(nullptr).known());
}

// PyTorch throws where nobody knows the sizes, and catches it itself: what was entered on the way would never be left.
TEST_CASE("agent: an operator whose inputs cannot be told leaves its guard when it ends") {
  ops::Thread thread{};
  const ops::Torch torch{[](const RecordFunction*) { return "refused::op"; }, nullptr,
                         [](ops::Sizes*, const RecordFunction*, bool) -> void* { throw 1; }};
  const Fake fake, other;
  const Tls before = tls;
  tls.busy = tls.suppressed = 3;
  try {
    ++tls.busy, ++tls.suppressed;  // the guard
    ops::Inputs inputs(thread, torch, fake.function());
    inputs.sizes();
  } catch (int) {
  }
  ops::Inputs::left(thread, torch, other.function());
  CHECK(tls.busy == 4);
  ops::Inputs::left(thread, torch, fake.function());
  CHECK(tls.busy == 3);
  CHECK(tls.suppressed == 3);
  CHECK(ops::Inputs::refused("refused::op"));
  CHECK_FALSE(ops::Inputs::refused("refused::other"));
  ops::Inputs::left(thread, torch, fake.function());
  CHECK(tls.busy == 3);
  tls.busy = before.busy;
  tls.suppressed = before.suppressed;
}
