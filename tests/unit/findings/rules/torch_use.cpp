// The rules about how PyTorch is used: anomaly detection that was left on, graphs that are kept.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

namespace {

constexpr const char* kModule = "/v/site-packages/torch/nn/modules/module.py";

std::uint32_t in_torch(FindingsRun& run, std::uint32_t above) {
  return run.log.node(above, run.log.native(run.log.module("/nowhere/torch/lib/libtorch_cpu.so"), 0x100));
}
std::uint32_t formatting(FindingsRun& run, std::uint32_t above) {
  return run.line(above, run.code("format_stack", "/usr/lib/python3.11/traceback.py"), 20);
}

}  // namespace

TEST_CASE("findings: anomaly detection that was left on", "[findings]") {
  FindingsRun run;
  run.log.cpu(formatting(run, in_torch(run, run.train(20))), 60, 600 * kMs);
  run.log.cpu(run.log.node(run.train(22), run.log.named(log::NameKind::Operator, "aten::isnan", "")), 20, 200 * kMs);
  run.log.cpu(in_torch(run, run.train(20)), 80, 800 * kMs);
  const auto found = run.look("anomaly-detection");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4));
  CHECK(has(found.front().seen, "800 ms of CPU time, 50.0 % of all: 600 ms in stacks"));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{20});
}

// Catches imports that make the share of the steps smaller than what they lose.
TEST_CASE("findings: anomaly detection in steps, and imports before them", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    run.steps(10, 100);
    run.log.cpu(formatting(run, in_torch(run, run.train(20))), 60 / half, 600 * kMs / half);
    run.log.cpu(run.train(5), 80, 800 * kMs);
    const auto found = run.look("anomaly-detection");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.6 / static_cast<double>(half)));
  }
}

TEST_CASE("findings: stacks that are formatted by the program, and operators that look for nan", "[findings]") {
  FindingsRun run;
  run.log.cpu(formatting(run, run.train(20)), 60, 600 * kMs);
  run.log.cpu(run.log.node(run.train(22), run.log.named(log::NameKind::Operator, "aten::isnan", "")), 60, 600 * kMs);
  CHECK(run.look("anomaly-detection").empty());
  CHECK(run.look("tracebacks").size() == 1);
}

namespace {

// A model that is called at a line, and allocates in so many contexts so often.
// `inside`: a library that the layers call, which allocates for them; null: they do it themselves.
void call_model(FindingsRun& run, std::uint32_t line, std::uint64_t times, std::uint64_t bytes, std::uint64_t peak,
                const char* inside = nullptr) {
  const auto call = run.line(run.train(line), run.code("Module._call_impl", kModule), 10);
  for (const std::uint32_t layer : {51, 52}) {
    auto at = run.line(call, run.code("Net.forward", "/app/net.py"), layer);
    if (inside != nullptr) at = run.log.node(at, run.log.native(run.log.module(inside), 0x100));
    run.log.memory(
        log::RecordClass::Heap, at,
        test::memory_words(times * log::kCountUnit, bytes / 2, times * log::kCountUnit, bytes / 2, peak / 2, 1, times));
  }
}

}  // namespace

// Catches whole results, copies of parts, and parts of what is small itself told as views that keep more.
TEST_CASE("findings: parts that are kept and keep the whole", "[findings]") {
  constexpr std::uint64_t kMiB = 1 << 20;
  const auto line_of = [&](const std::string& body, std::uint64_t peak = 300 << 20, std::uint64_t largest = 0) {
    FindingsRun run;
    run.log.header.heap.epoch = 1;
    const std::string file = run.directory() / "embed.py";
    std::ofstream(file) << "def encode(model, x):\n    return model(x)[:, -1]\n\n\n"
                        << "def embed(model, xs):\n    rows = []\n    for x in xs:\n"
                        << body << "    return rows\n";
    const auto embed = run.line(0, run.code("embed", file, 5), 3);
    const auto encode = run.line(embed, run.code("encode", file, 1), 1);
    const auto layer = run.line(encode, run.code("Module._call_impl", kModule), 10);
    log::HeapWords words =
        test::memory_words(100 * log::kCountUnit, 4'000 * kMiB, 100 * log::kCountUnit, 4'000 * kMiB, peak, 1, 100);
    words.largest = largest;
    run.log.memory(log::RecordClass::Heap, layer, words);
    run.log.memory(log::RecordClass::Heap, run.train(41),
                   test::memory_words(log::kCountUnit, 50 * kMiB, log::kCountUnit, 50 * kMiB, 50 * kMiB, 1, 1));
    const auto found = run.look("kept-views");
    if (found.empty()) return std::int64_t{0};
    CHECK(found.front().saves_bytes == static_cast<std::int64_t>(peak - 2 * largest));
    return found.front().places.front().line;
  };
  CHECK(line_of("        rows.append(encode(model, x))\n") == 8);
  // The one that is made and the one before it live in any case.
  CHECK(line_of("        rows.append(encode(model, x))\n", 300 * kMiB, 40 * kMiB) == 8);
  CHECK(line_of("        rows.append(model(x)[:, 0])\n") == 8);
  CHECK(line_of("        rows.append(encode(model, x))\n", 30 * kMiB) == 0);
  CHECK(line_of("        rows.append(encode(model, x).clone())\n") == 0);
  CHECK(line_of("        rows.append(model(x)[0])\n") == 0);
  CHECK(line_of("        rows.append(score(model, x))\n") == 0);
  // A range may be nearly all of it, and an array for an index copies.
  CHECK(line_of("        rows.append(model(x)[:, :1020])\n") == 0);
  CHECK(line_of("        rows.append(model(x)[chosen, :])\n") == 0);
  CHECK(line_of("        hidden = model(x)\n        rows.append(hidden[:, 0])\n") == 9);
  CHECK(line_of("        hidden = model(x)\n        rows.append(hidden[:, 0].copy())\n") == 0);
  CHECK(line_of("        hidden = model(x)\n        rows.append(other[:, 0])\n") == 0);
  // Given to a method that appends it.
  const auto given = [&](const std::string& value, const std::string& body) {
    return line_of("        states = model(x)\n        index.add(ids, " + value +
                   ")\n    return rows\n\nclass Index:\n    def __init__(self):\n        self.rows = []\n\n"
                   "    def add(self, ids, vectors):\n        " +
                   body + "\n\n    def all(self):\n");
  };
  CHECK(given("states[..., -1]", "self.rows.append(vectors)") == 9);
  CHECK(given("states[..., -1]", "self.rows.append(ids)") == 0);
  CHECK(given("states[..., -1]", "self.rows.append(vectors.clone())") == 0);
  CHECK(given("states", "self.rows.append(vectors)") == 0);
  CHECK(given("states[..., -1]", "vectors = vectors.clone()\n        self.rows.append(vectors)") == 0);
  CHECK(given("states[..., -1]",
              "self.rows.append(vectors)\n\nclass Sum:\n    def add(self, ids, vectors):\n        "
              "self.sum += vectors.sum()") == 0);
}

TEST_CASE("findings: graphs of many batches that are kept", "[findings]") {
  constexpr std::uint64_t kMiB = 1 << 20;
  FindingsRun run;
  run.log.header.heap.epoch = 1;
  call_model(run, 20, 100, 1'000 * kMiB, 10 * kMiB);  // a training
  SECTION("all of them") {
    call_model(run, 40, 200, 400 * kMiB, 390 * kMiB);
    const auto found = run.look("kept-graphs");
    REQUIRE(found.size() == 1);
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{40});
    CHECK(has(found.front().seen, "the program still held 390 MiB of what the model computes here: 97.5 % of all"));
    CHECK(found.front().saves_bytes == Approx(388.0 * kMiB).epsilon(0.001));
  }
  SECTION("half of them") {
    call_model(run, 40, 200, 200 * kMiB, 195 * kMiB);
    const auto found = run.look("kept-graphs");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves_bytes == Approx(194.0 * kMiB).epsilon(0.001));
  }
  // What CUDA allocates when its code is loaded, by the first calls of each layer.
  SECTION("by the driver") {
    call_model(run, 40, 200, 400 * kMiB, 390 * kMiB, "/usr/lib/libcuda.so.1");
    CHECK(run.look("kept-graphs").empty());
  }
  SECTION("one at a time") {
    call_model(run, 40, 200, 400 * kMiB, 80 * kMiB);
    CHECK(run.look("kept-graphs").empty());
  }
  SECTION("one large batch, once") {
    call_model(run, 40, 1, 400 * kMiB, 400 * kMiB);
    CHECK(run.look("kept-graphs").empty());
  }
  SECTION("little of what there is") {
    call_model(run, 40, 200, 60 * kMiB, 60 * kMiB);
    CHECK(run.look("kept-graphs").empty());
  }
}
