// The way from the descriptors of a graph to the work of its plan, as programs of cuDNN's backend API go it.
#include <cstdint>
#include <map>
#include <vector>

#include "agent/gpu/cudnn_graph.hpp"
#include "agent/gpu/cudnn_names.hpp"
#include "agent/gpu/handle_table.hpp"
#include "tests/support/catch.hpp"

using namespace prof::gpu;
using namespace prof::gpu::cudnn;

namespace {

// Descriptors are told by their addresses alone.
const void* descriptor(Made type) {
  static std::uintptr_t next = 0x1000;
  next += 0x40;
  const void* made = reinterpret_cast<const void*>(next);
  created(made, static_cast<std::int32_t>(type));
  return made;
}

constexpr std::int32_t kHalfType = 2;

const void* tensor(const std::vector<std::int64_t>& sizes, bool is_virtual = false) {
  const void* t = descriptor(Made::Tensor);
  attribute_set(t, kTensorDataType, kTypeDataType, 1, &kHalfType);
  attribute_set(t, kTensorDimensions, kTypeInt64, static_cast<std::int64_t>(sizes.size()), sizes.data());
  attribute_set(t, kTensorIsVirtual, kTypeBoolean, 1, &is_virtual);
  finalized(t);
  return t;
}

void link(const void* from, std::int32_t name, const std::vector<const void*>& to) {
  attribute_set(from, name, kTypeDescriptor, static_cast<std::int64_t>(to.size()), to.data());
}

const void* operation(Made type, const std::vector<std::pair<std::int32_t, const void*>>& operands) {
  const void* o = descriptor(type);
  for (const auto& [name, t] : operands) link(o, name, {t});
  finalized(o);
  return o;
}

const void* plan_of(const void* graph) {
  const void* engine = descriptor(Made::Engine);
  link(engine, kEngineGraph, {graph});
  finalized(engine);
  const void* config = descriptor(Made::EngineConfig);
  link(config, kEngineConfigEngine, {engine});
  finalized(config);
  const void* plan = descriptor(Made::ExecutionPlan);
  link(plan, kPlanEngineConfig, {config});
  finalized(plan);
  for (const void* d : {engine, config}) destroyed(d);
  return plan;
}

const void* graph_of(const std::vector<const void*>& operations) {
  const void* graph = descriptor(Made::OperationGraph);
  link(graph, kGraphOperations, operations);
  finalized(graph);
  return graph;
}

}  // namespace

TEST_CASE("a plan has the work of its graph when all that led to it is gone") {
  const void* x = tensor({8, 64, 56, 56});
  const void* w = tensor({128, 64, 3, 3});
  const void* conv = tensor({8, 128, 28, 28}, true);
  const void* bias = tensor({1, 128, 1, 1});
  const void* y = tensor({8, 128, 28, 28});
  const void* forward = operation(Made::ConvolutionForward, {{704, x}, {703, w}, {705, conv}});
  const void* add = operation(Made::Pointwise, {{751, conv}, {752, bias}, {753, y}});
  const void* graph = graph_of({forward, add});
  const void* plan = plan_of(graph);
  for (const void* d : {x, w, conv, bias, y, forward, add, graph}) destroyed(d);

  const std::uint64_t outputs = 8ULL * 128 * 28 * 28;
  CHECK(work_of(plan).flops == 2 * outputs * 64 * 9 + outputs);
  // What is between the two operations is in no memory.
  CHECK(work_of(plan).bytes == 2 * (8ULL * 64 * 56 * 56 + 128 * 64 * 9 + 128 + outputs));
  destroyed(plan);
  CHECK(work_of(plan).flops == 0);
}

TEST_CASE("all directions of a convolution ask for the same") {
  const void* x = tensor({1, 4, 10, 10});
  const void* w = tensor({2, 4, 3, 3});
  const void* y = tensor({1, 2, 8, 8});
  const std::uint64_t flops = 2ULL * 2 * 64 * 4 * 9;
  const auto work = [](const void* o) { return work_of(plan_of(graph_of({o}))).flops; };
  CHECK(work(operation(Made::ConvolutionForward, {{704, x}, {703, w}, {705, y}})) == flops);
  CHECK(work(operation(Made::ConvolutionBackwardData, {{710, x}, {709, w}, {711, y}})) == flops);
  CHECK(work(operation(Made::ConvolutionBackwardFilter, {{716, x}, {715, w}, {717, y}})) == flops);
}

TEST_CASE("matrix products, sums and attention in graphs") {
  const auto work = [](const void* o) { return work_of(plan_of(graph_of({o}))); };
  const void* a = tensor({2, 16, 8});
  const void* b = tensor({1, 8, 32});
  const void* c = tensor({2, 16, 32});
  CHECK(work(operation(Made::Matmul, {{1520, a}, {1521, b}, {1522, c}})).flops == 2ULL * 2 * 16 * 32 * 8);
  const void* sum = tensor({2, 16, 1});
  CHECK(work(operation(Made::Reduction, {{1610, c}, {1611, sum}})).flops == 2ULL * 16 * 32);
  const void* q = tensor({2, 4, 100, 64});
  const void* k = tensor({2, 4, 300, 64});
  const void* v = tensor({2, 4, 300, 32});
  const void* o = tensor({2, 4, 100, 32});
  const Work forward = work(operation(Made::AttentionForward, {{2800, q}, {2801, k}, {2802, v}, {2803, o}}));
  CHECK(forward.flops == 2ULL * 2 * 4 * 100 * 300 * (64 + 32));
  const Work backward = work(operation(Made::AttentionBackward, {{2851, q}, {2852, k}, {2853, v}, {2854, o}}));
  CHECK(backward.flops == 2ULL * 2 * 4 * 100 * 300 * (3 * 64 + 2 * 32));
  CHECK(backward.bytes == 2 * forward.bytes);
}

// Catches a shadow that follows what the program sets alone: the configurations that a heuristic suggests are filled in
// by the library.
TEST_CASE("what a heuristic suggests has the work of the graph that it was asked about") {
  const void* x = tensor({1, 4, 10, 10});
  const void* w = tensor({2, 4, 3, 3});
  const void* y = tensor({1, 2, 8, 8});
  const void* graph = graph_of({operation(Made::ConvolutionForward, {{704, x}, {703, w}, {705, y}})});
  const void* heuristic = descriptor(Made::EngineHeuristic);
  link(heuristic, kHeuristicGraph, {graph});
  finalized(heuristic);
  std::vector<const void*> configs{descriptor(Made::EngineConfig), descriptor(Made::EngineConfig)};
  attribute_got(heuristic, kTypeDescriptor, 2, configs.data());
  destroyed(heuristic);
  destroyed(graph);
  const void* plan = descriptor(Made::ExecutionPlan);
  link(plan, kPlanEngineConfig, {configs[1]});
  CHECK(work_of(plan).flops == 2ULL * 2 * 64 * 4 * 9);
}

TEST_CASE("what makes no sense does no harm") {
  const std::uint32_t before = known_descriptors();
  const void* t = tensor({1, 2, 3, 4, 5, 6, 7, 8, 9});  // more dimensions than cuDNN has
  const void* w = tensor({-2, 4, 3, 3});
  const void* y = tensor({1, 2, 8, 8});
  const void* o = operation(Made::ConvolutionForward, {{704, t}, {703, w}, {705, y}});
  CHECK(work_of(plan_of(graph_of({o, o, nullptr, t}))).flops == 0);
  attribute_set(reinterpret_cast<const void*>(8), kTensorDimensions, kTypeInt64, 1, &before);
  attribute_set(t, kTensorDimensions, kTypeInt64, 4, nullptr);
  attribute_set(t, kTensorDimensions, kTypeInt64, -1, &before);
  finalized(nullptr);
  destroyed(nullptr);
  created(nullptr, static_cast<std::int32_t>(Made::Tensor));
  CHECK(work_of(nullptr).flops == 0);
  CHECK(work_of(t).flops == 0);
  CHECK(known_descriptors() == before + 6);
  // A descriptor of a kind that leads nowhere takes the place of one that was given up unseen.
  created(t, 0);
  CHECK(known_descriptors() == before + 5);
}

TEST_CASE("a table of handles keeps all of them through removals, and takes no more than it has room for") {
  HandleTable<std::uint64_t, 64> table;
  const auto value = [&](std::uint64_t handle) {
    std::uint64_t found = 0;
    table.read(handle, found);
    return found;
  };
  for (std::uint64_t h = 1; h <= 48; ++h) REQUIRE(table.enter(h * 16, h));
  CHECK_FALSE(table.enter(49 * 16, 49));
  CHECK(table.enter(5 * 16, 500));  // one that is there
  for (std::uint64_t h = 1; h <= 48; h += 2) table.remove(h * 16);
  CHECK(table.count() == 24);
  for (std::uint64_t h = 1; h <= 48; ++h) CHECK(value(h * 16) == (h % 2 == 1 ? 0 : h));
  for (std::uint64_t h = 1; h <= 48; h += 2) REQUIRE(table.enter(h * 16, h + 1000));
  for (std::uint64_t h = 1; h <= 48; ++h) CHECK(value(h * 16) == (h % 2 == 1 ? h + 1000 : h));
}

TEST_CASE("a table of handles is what a map is, whatever comes and goes") {
  HandleTable<std::uint64_t, 64> table;
  std::map<std::uint64_t, std::uint64_t> truth;
  std::uint64_t random = 1;
  for (int i = 0; i < 20'000; ++i) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t handle = (random >> 33) % 100 + 1;
    if (random >> 63 != 0) {
      table.remove(handle);
      truth.erase(handle);
    } else if (table.enter(handle, random)) {
      truth[handle] = random;
    } else {
      REQUIRE(truth.size() == 48);
    }
    REQUIRE(table.count() == truth.size());
    if (std::uint64_t v = 0; table.read(handle, v)) REQUIRE(v == truth.at(handle));
  }
  for (const auto& [handle, expected] : truth) {
    std::uint64_t found = 0;
    table.read(handle, found);
    CHECK(found == expected);
  }
}
