// Loops that go through an array across the way it lies, by their text.
#include "report/findings/strides.hpp"

#include <string>
#include <vector>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;

namespace {

bool across(const std::vector<std::string>& lines, std::size_t number) { return findings::goes_across(lines, number); }

// Two loops, the outer one over `outer`, the inner one over `inner`, around a statement on a line of its own.
bool loops(const std::string& outer, const std::string& inner, const std::string& body) {
  return across(
      {"void f() {", "  for (int " + outer + " = 0; " + outer + " < n; ++" + outer + ")",
       "    for (size_t " + inner + " = 0; " + inner + " < n; " + inner + "++) {", "      " + body, "    }", "}"},
      4);
}

}  // namespace

TEST_CASE("findings: loops that go across an array", "[findings]") {
  CHECK(loops("c", "r", "sum += m[r * n + c];"));
  CHECK(loops("c", "r", "sum += m[size_t(r) * n + c];"));
  CHECK(loops("c", "r", "sum += m[c + n * r];"));
  CHECK(loops("c", "r", "sum += m[r][c];"));
  CHECK(loops("j", "k", "c[i * n + j] += a[i * n + k] * b[k * n + j];"));
  CHECK_FALSE(loops("r", "c", "sum += m[r * n + c];"));
  CHECK_FALSE(loops("r", "c", "sum += m[r][c];"));
  CHECK_FALSE(loops("c", "r", "sum += m[r];"));
  CHECK_FALSE(loops("c", "r", "out[c * n + r] = in[r * n + c];"));  // a transposition
  CHECK_FALSE(loops("c", "r", "out[c][r] = in[r][c];"));
  CHECK_FALSE(loops("c", "r", "sum += m[(r * 7) & mask];"));
  // What lies next to each other in the caches: few elements a row, few rows, a window around a place.
  CHECK_FALSE(loops("c", "i", "sum += image[i * 3 + c];"));
  CHECK_FALSE(loops("i", "pass", "++hist[pass * 256 + (key[i] >> 8)];"));
  CHECK_FALSE(loops("y", "k", "sum += in[size_t(y + k) * w + y];"));
  CHECK_FALSE(across({"constexpr int kTaps = 9;", "for (int x = 0; x < w; ++x)", "  for (int k = 0; k < kTaps; ++k)",
                      "    sum += in[k * w + x];"},
                     4));
  CHECK_FALSE(across({"const int kChannels = 4;", "for (int c = 0; c < n; ++c)", "  for (int i = 0; i < m; ++i)",
                      "    sum += in[i * kChannels + c];"},
                     4));
  // On one line, at the head, and in one loop alone.
  CHECK(across({"for (int c = 0; c < n; ++c)", "  for (int r = 0; r < n; r += 2) sum += m[r * n + c];"}, 2));
  CHECK(across(
      {"for (int c = 0; c < n; ++c) {", "  for (int r = 0; r < n; ++r) {", "    sum += m[r * n + c];", "  }", "}"}, 2));
  CHECK_FALSE(across({"for (int r = 0; r < n; ++r) sum += m[r * n + c];"}, 1));
  CHECK_FALSE(across({"for (int c = 0; c < n; ++c)", "  for (auto r : rows) sum += m[r * n + c];"}, 2));
  CHECK_FALSE(across({}, 1));
  CHECK_FALSE(across({"for (", "  for (int r = 0; r < n; ++r", "m[r *"}, 3));
}

TEST_CASE("findings: loops that go across an array by a function of its class", "[findings]") {
  const auto image = [](const std::string& index, const std::string& call) {
    return across({"  float at(int x, int y) const { return px_[" + index + "]; }", "for (int x = 0; x < w; ++x) {",
                   "  for (int y = 0; y < h; ++y) {", "    sum += " + call + ";", "  }", "}"},
                  4);
  };
  CHECK(image("size_t(y) * w_ + x", "in.at(x, y)"));
  CHECK(image("size_t(y) * w_ + x", "in.at(x, std::min(y + r, h - 1))"));
  CHECK_FALSE(image("size_t(x) * h_ + y", "in.at(x, y)"));
  CHECK_FALSE(image("size_t(y) * w_ + x", "in.at(y, x)"));
  CHECK_FALSE(image("size_t(y) * w_ + x", "in.of(x, y)"));
  // Two classes whose functions differ.
  CHECK_FALSE(across({"float at(int x, int y) const { return px_[y * w_ + x]; }",
                      "float at(int x, int y) const { return px_[x * h_ + y]; }", "for (int x = 0; x < w; ++x)",
                      "  for (int y = 0; y < h; ++y) sum += in.at(x, y);"},
                     4));
}
