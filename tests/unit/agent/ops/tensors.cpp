// Sizes of tensors that are read where they are. A stand-in has its inputs where PyTorch has them.
#include "agent/ops/tensors.hpp"

#include <new>
#include <optional>
#include <vector>

#include "agent/ops/inputs.hpp"
#include "agent/ops/layout.hpp"
#include "tests/support/catch.hpp"

using namespace prof;
using ops::Layout;
using ops::RecordFunction;
using ops::Value;

namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;

constexpr std::uint32_t kEnd = 120, kTensor = 1, kNumber = 4;
constexpr std::uint32_t kDistance = Layout::kDistances[1];

const char plain_class = 0, other_class = 0;

struct Tensor {
  const void* type = &plain_class;
  std::vector<std::int64_t> sizes{};
  Value value() const { return {reinterpret_cast<std::uint64_t>(this), kTensor}; }
};
const Tensor none{&other_class, {0}};

// A call as PyTorch describes it, and what its function says of it.
struct Call {
  std::uint64_t words[kEnd / 8 + 1] = {};
  std::vector<Value> values{};
  Shapes told{};
  Call(std::vector<Value> inputs, Shapes shapes) : values(std::move(inputs)), told(std::move(shapes)) {
    words[(kEnd - kDistance + 8) / 8] = reinterpret_cast<std::uint64_t>(values.data());
    words[(kEnd - kDistance + 16) / 8] = values.size();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  const RecordFunction* function() const { return reinterpret_cast<const RecordFunction*>(this); }
};

int g_asked = 0;

void* input_sizes(ops::Sizes* result, const RecordFunction* function, bool) {
  ++g_asked;
  new (result) Shapes(reinterpret_cast<const Call*>(function)->told);
  return result;
}

ops::SizesView sizes_of(const void* tensor) {
  const auto& sizes = static_cast<const Tensor*>(tensor)->sizes;
  return {sizes.data(), sizes.size()};
}

ops::Torch torch_with(ops::TensorSizes* tensor_sizes) {
  ops::Torch torch{nullptr, nullptr, input_sizes};
  torch.layout = Layout(kEnd);
  torch.tensor_sizes = tensor_sizes;
  torch.tensor_class = &plain_class;
  torch.no_tensor = &none;
  return torch;
}

// What is read without asking.
std::optional<Shapes> read(const ops::Torch& torch, const Call& call) {
  ops::Thread thread{};
  ops::Inputs inputs(thread, torch, call.function());
  Shapes shapes;
  const bool all =
      inputs.each([&](const std::int64_t* begin, const std::int64_t* end) { shapes.emplace_back(begin, end); });
  CHECK(thread.asked == nullptr);
  return all ? std::optional(shapes) : std::nullopt;
}

void ask(const ops::Torch& torch, const Call& call) {
  ops::Thread thread{};
  ops::Inputs inputs(thread, torch, call.function());
  const ops::Sizes& sizes = inputs.sizes();
  CHECK(static_cast<std::size_t>(sizes.end - sizes.begin) == call.told.size());
}

}  // namespace

// Catches sizes that are taken for known before they were compared often enough, those of tensors that say themselves
// what their sizes are, and comparisons that are not made any more once they have come out well.
TEST_CASE("agent: sizes of tensors are read where they are once that was seen to be right") {
  const ops::Torch torch = torch_with(sizes_of);
  const Tensor matrix{&plain_class, {3, 4}}, scalar{}, other{&other_class, {5}};
  const Call call({matrix.value(), {7, kNumber}, scalar.value(), none.value()}, {{3, 4}, {}, {}, {}});
  const Call nothing({}, {}), special({matrix.value(), other.value()}, {{3, 4}, {9}});
  const Call without_tensor({{7, kNumber}}, {{}});

  for (int i = 0; i < 100; ++i) {
    ask(torch, nothing);
    ask(torch, without_tensor);
    ask(torch, special);
  }
  CHECK_FALSE(ops::Tensors::readable());  // nothing was there to be compared
  ask(torch_with(nullptr), call);
  CHECK_FALSE(read(torch, call));
  for (int i = 0; i < 100 && !ops::Tensors::readable(); ++i) ask(torch, call);
  REQUIRE(ops::Tensors::readable());

  g_asked = 0;
  CHECK(read(torch, call) == call.told);
  CHECK(read(torch, nothing) == Shapes{});
  CHECK_FALSE(read(torch, special));
  CHECK(g_asked == 0);

  // Here the function says something else than the tensor.
  const Call wrong({matrix.value()}, {{3, 5}});
  ask(torch, special);
  CHECK(ops::Tensors::readable());
  ask(torch, wrong);
  CHECK_FALSE(ops::Tensors::readable());
  CHECK_FALSE(read(torch, call));
  for (int i = 0; i < 100; ++i) ask(torch, call);
  CHECK_FALSE(ops::Tensors::readable());
}
