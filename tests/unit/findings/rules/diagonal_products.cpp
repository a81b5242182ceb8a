// The rule about products with diagonal matrices that are made in full.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

struct Sizes {
  std::uint64_t diagonal = 1000, other = 10;  // n of a diagonal matrix of n by n, p of what is n by p
};

// So long in BLAS below line 3 of a function of that text. What diag() of line `made` allocates, and what line 3 does.
std::vector<findings::Finding> product(const std::string& text, std::uint64_t ms = 1'000, std::uint32_t made = 3,
                                       Sizes sizes = {}) {
  FindingsRun run;
  run.log.header.heap_mode = log::HeapMode::Sampled;
  run.log.header.heap_interval = 512 << 10;
  run.log.header.heap.epoch = 1;
  const std::string file = (run.directory() / "fit.py").string();
  std::ofstream(file) << "def fit(x, w):\n    scale = np.diag(w)\n    " << text
                      << "\ndef other(x):\n    return x @ scale\n";
  const auto in_line = [&](std::uint32_t line) { return run.line(0, run.code("fit", file, 1), line - 1); };
  const auto block = [&](std::uint32_t node, std::uint64_t bytes) {
    log::HeapWords words =
        test::memory_words(50 * log::kCountUnit, 50 * bytes, 50 * log::kCountUnit, 50 * bytes, bytes, 1, 50);
    words.largest = bytes;
    run.log.memory(log::RecordClass::Heap, node, words);
  };
  const auto blas = run.log.native(run.log.module("/nowhere/libblas.so.3"), 0x100);
  const auto products = run.log.node(in_line(3), blas);
  run.log.cpu(products, ms / 10, ms * kMs);
  block(products, 8 * sizes.diagonal * sizes.other);
  block(test::below(run, in_line(made), "diag", "/v/site-packages/numpy/lib/twodim_base.py"),
        8 * sizes.diagonal * sizes.diagonal);
  run.log.cpu(run.train(5), 20, 200 * kMs);
  return run.look("diagonal-products");
}

}  // namespace

TEST_CASE("findings: products with full diagonal matrices", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = product("return x.T @ np.diag(w) @ x", 1'000 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "A diagonal matrix is made in full and multiplied");
    CHECK(found.front().places.front().line == 3);
    CHECK(found.front().saves == Approx(0.5 * 0.99 / static_cast<double>(half)).epsilon(0.01));
    CHECK(has(found.front().advice, "w[:, None] * X"));
  }
  CHECK(product("return np.diagflat(w).dot(x)").size() == 1);
  CHECK(product("return x.dot(np.diag(w))").size() == 1);
  CHECK(product("return (np.diag(w) @ x).sum()").size() == 1);
  CHECK(product("return x.T @ scale @ x", 1'000, 2).size() == 1);  // made in the line above
  CHECK(product("return x @ np.diag(w)", 15).empty());
}

// Catches diagonals that are taken out, added, or small beside what is multiplied all the same.
TEST_CASE("findings: products that have to do with diagonals, and are none of full ones", "[findings]") {
  CHECK(product("return scale * x").empty());
  CHECK(product("return x.T @ w  # @ np.diag(w)").empty());
  CHECK(product("return x @ scaled", 1'000, 2).empty());
  CHECK(product("return x @ y / np.sqrt(scale)", 1'000, 2).empty());
  CHECK(product("return x @ (y * scale[:, None])", 1'000, 2).empty());
  CHECK(product("return x.T @ x + np.diag(w)").empty());
  CHECK(product("return np.diag(x @ x.T)").empty());
  CHECK(product("return x @ np.diag(w)", 1'000, 2).empty());  // of the columns of a matrix: nothing is made
  CHECK(product("return u @ np.diag(s) @ v", 1'000, 3, {.diagonal = 40, .other = 1500}).empty());
  // Half of what is multiplied has to be.
  const auto half = product("return x.T @ np.diag(w) @ x", 1'000, 3, {.diagonal = 600, .other = 600});
  REQUIRE(half.size() == 1);
  CHECK(half.front().saves == Approx(0.25).epsilon(0.05));
}
