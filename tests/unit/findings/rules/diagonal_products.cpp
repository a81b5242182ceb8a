// The rule about products with diagonal matrices that are made in full.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

// So long in BLAS below line 3 of a function of that text.
std::vector<findings::Finding> product(const std::string& text, std::uint64_t ms = 1'000) {
  FindingsRun run;
  const std::string file = (run.directory() / "fit.py").string();
  std::ofstream(file) << "def fit(x, w):\n    scale = np.diag(w)\n    " << text
                      << "\ndef other(x):\n    return x @ scale\n";
  const auto blas = run.log.native(run.log.module("/nowhere/libblas.so.3"), 0x100);
  run.log.cpu(run.log.node(run.line(0, run.code("fit", file, 1), 2), blas), ms / 10, ms * kMs);
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
    CHECK(found.front().saves == Approx(0.5 / static_cast<double>(half)));
    CHECK(has(found.front().advice, "w[:, None] * X"));
  }
  CHECK(product("return np.diagflat(w).dot(x)").size() == 1);
  CHECK(product("return torch.matmul(torch.diag(w), x)").size() == 1);
  CHECK(product("return x.T @ scale @ x").size() == 1);  // made in a line above
  CHECK(product("return scale * x").empty());
  CHECK(product("return x.T @ w  # np.diag(w)").empty());
  CHECK(product("return x @ scaled").empty());
  CHECK(product("return np.diag(x)").empty());
  CHECK(product("return x @ np.diag(w)", 15).empty());
}

TEST_CASE("findings: products that are made for their diagonal", "[findings]") {
  const auto found = product("return np.diag(x @ x.T)");
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == "A product is made for its diagonal");
  CHECK(has(found.front().advice, "einsum('ij,ji->i')"));
  CHECK(product("return np.trace(a.dot(b))").size() == 1);
  CHECK(product("return (x @ x.T).diagonal()").empty());
}
