// The rule about products of matrices that numpy computes in its own loops.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

// A second below that line, or another time: so much of it in numpy's own code, the rest in BLAS.
std::vector<findings::Finding> product(const std::string& text, std::uint64_t own_ms = 1'000,
                                       std::uint64_t all_ms = 1'000) {
  FindingsRun run;
  const std::string file = (run.directory() / "pairs.py").string();
  std::ofstream(file) << "def pairs(a, b):\n    n = 0\n    " << text << "\n";
  const auto at = run.line(0, run.code("pairs", file, 1), 2);
  const auto numpy = run.log.module("/nowhere/numpy/core/_multiarray_umath.so");
  run.log.cpu(run.log.node(at, run.log.native(numpy, 0x100)), 100, own_ms * kMs);
  const auto blas = run.log.module("/nowhere/libblas.so.3");
  run.log.cpu(run.log.node(at, run.log.native(blas, 0x100)), 100, (all_ms - own_ms) * kMs);
  run.log.cpu(run.train(5), 20, 200 * kMs);
  return run.look("products-without-blas");
}

}  // namespace

TEST_CASE("findings: products of matrices without BLAS", "[findings]") {
  const auto found = product("return a.T @ b");
  REQUIRE(found.size() == 1);
  CHECK(found.front().places.front().line == 3);
  CHECK(found.front().saves == Approx(0.5));
  CHECK(has(found.front().seen, "1.00 s of CPU time, 83.3 % of all"));
  const auto half = product("return a.T @ b", 500, 500);
  REQUIRE(half.size() == 1);
  CHECK(half.front().saves == Approx(0.25));
  CHECK(product("return a.T @ b", 900).empty());  // and the tenth of another line would not be in BLAS
  CHECK(product("return numpy.dot(a.reshape(3, -1), b)  # exp(x)").size() == 1);
  CHECK(product("a @= b").size() == 1);
  CHECK(product("return a * b").empty());
  CHECK(product("return numpy.exp(a @ b)").empty());
  CHECK(product("@ cached").empty());
  CHECK(product("return np.einsum('ij,jk->ik', a, b)").size() == 1);
  CHECK(product("return np.einsum('ij,jk->ik', a, b, optimize=True)").empty());
  CHECK(product("return np.einsum('nij,nj->ni', a, b)").empty());  // no product that BLAS has
  CHECK(product("return np.einsum('ij,ij->i', a, b)").empty());
  CHECK(product("return np.einsum(how, a, b)").empty());
  CHECK(product("").empty());
}
