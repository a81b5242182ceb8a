// Support vector machines that are fitted again for the probabilities of their classes.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::kMs;

namespace {

constexpr const char* kSvm = R"(
extern "C" {
int svm_train(int x) { return x; }
int svm_predict_values(int x) { return x + 1; }
}
)";

// A fit at line 3 that takes so long itself, and so long for each of the two parts of a cross-validation; a prediction
// at line 4 takes a quarter of a second.
std::vector<findings::Finding> fitted(std::uint64_t itself_ms, std::uint64_t again_ms) {
  static const test::NativeLibrary library(kSvm, "_libsvm.so", "-O0");
  FindingsRun run;
  const std::string file = run.directory() / "churn.py";
  std::ofstream(file) << "def main():\n    model = SVC(probability=True)\n    model.fit(x, y)\n    model.predict(z)\n";
  const std::uint32_t module = run.log.module(library.path());
  const auto below = [&](std::uint32_t node, const char* name) {
    return run.log.node(node, run.log.native(module, library.in(name)));
  };
  const auto spend = [&](std::uint32_t node, std::uint64_t ms) {
    if (ms > 0) run.log.cpu(node, ms / 10, ms * kMs);
  };
  const auto line = [&](std::uint32_t number) { return run.line(0, run.code("main", file, 1), number - 1); };
  const auto fit = below(line(3), "svm_train");
  spend(fit, itself_ms);
  spend(below(fit, "svm_train"), again_ms);
  spend(below(fit, "svm_predict_values"), again_ms);
  spend(below(line(4), "svm_predict_values"), 250);
  return run.look("class-probabilities");
}

}  // namespace

TEST_CASE("findings: support vector machines that are fitted for probabilities", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = fitted(350, 400 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves_ns == Approx(0.8e9 / static_cast<double>(half)));
    REQUIRE(found.front().places.size() == 2);
    CHECK(found.front().places[0].line == 3);
    CHECK(found.front().places[1].line == 2);
    CHECK(found.front().places[1].function == "main");
  }
  CHECK(fitted(1'000, 0).empty());
}
