// Products with a diagonal matrix that numpy makes in full: nearly all of what is multiplied are zeros.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace diagonal_products {
namespace {

// Where the call whose bracket opens there ends; the text's end where it does not.
std::size_t behind_call(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    depth += code[i] == '(' ? 1 : code[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return code.size();
}

// Whether what stands in [begin, end) is a factor of a product of matrices: "x.T @ IT @ x", "IT.dot(x)", "x.dot(IT)".
bool is_factor(std::string_view code, std::size_t begin, std::size_t end) {
  std::string_view before = code.substr(0, begin), behind = code.substr(end);
  while (before.ends_with(' ') || before.ends_with('(')) {
    if (before.ends_with(".dot(") || before.ends_with("matmul(")) return true;
    before.remove_suffix(1);
  }
  if (behind.starts_with(".dot(")) return true;
  while (behind.starts_with(' ') || behind.starts_with(')')) behind.remove_prefix(1);
  return before.ends_with('@') || behind.starts_with('@');
}

// The range of "np.diag(w)" in the code; an empty one: there is none.
std::pair<std::size_t, std::size_t> diagonal_in(std::string_view code) {
  for (const std::string_view call : {".diag(", ".diagflat("}) {
    const std::size_t at = code.find(call);
    if (at == std::string_view::npos) continue;
    std::size_t begin = at;
    while (begin > 0 && is_name(code[begin - 1])) --begin;
    if (begin < at) return {begin, behind_call(code, at + call.size() - 1)};
  }
  return {0, 0};
}

// The line that makes a full diagonal matrix which line `number` multiplies with: itself, or one above it in its
// function that gives it a name. 0: there is none.
std::size_t making_line(const Lines& lines, std::size_t number) {
  if (number < 1 || number > lines.size()) return 0;
  const std::string_view code = code_of(lines[number - 1], "#");
  if (const auto [begin, end] = diagonal_in(code); end > begin && is_factor(code, begin, end)) return number;
  const std::size_t indent = indent_of(code);
  for (std::size_t at = number - 1; at >= 1; --at) {
    const std::string_view above = code_of(lines[at - 1], "#");
    const std::size_t its = indent_of(above), equals = above.find(" = ");
    if (its < indent && above.substr(its).starts_with("def ")) return 0;
    const auto [begin, end] = diagonal_in(above);
    if (end == begin || equals == std::string_view::npos || equals <= its || equals + 3 != begin || end != above.size())
      continue;
    const std::string_view name = above.substr(its, equals - its);
    const std::size_t used = find_word(code, name);
    if (used != std::string_view::npos && is_factor(code, used, used + name.size())) return at;
  }
  return 0;
}

// Who multiplies, and fills what is multiplied with zeros.
bool computes(const symbols::Function& function) {
  const std::string& module = function.module;
  return contains(module, "blas") || contains(module, "mkl") || contains(module, "_multiarray_umath") ||
         contains(module, "libc.so") || function.special;
}

// The largest blocks of a line: full diagonal matrices, and all else.
struct Blocks {
  std::int64_t diagonal = 0, other = 0;

  // What is left of a product of it, as a part, where the rest is multiplied all the same: of an n by n matrix and one
  // of n by p, p / (n + p).
  double left() const {
    const double n = std::sqrt(real(diagonal) / 8), p = n > 0 ? real(other) / (8 * n) : 0;
    return n + p > 0 ? p / (n + p) : 1;
  }
};

bool makes_diagonal(const symbols::Function& function) {
  static constexpr fold::FunctionAt kMakes[] = {{"/twodim_base.py", "diag"}, {"/twodim_base.py", "diagflat"}};
  return fold::is_any(function, kMakes);
}

using BlocksByLine = std::map<std::pair<std::string, std::int64_t>, Blocks>;

BlocksByLine blocks_by_line(const Evidence& evidence) {
  const fold::CallTree& tree = evidence.lines();
  BlocksByLine out;
  std::vector<bool> making(tree.nodes().size());
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    making[node] = making[tree.nodes()[node].parent] || makes_diagonal(tree.function(node));
    const std::int64_t largest = tree.self().heap[node].largest;
    const std::uint32_t location = largest > 0 ? evidence.own_location(node) : 0;
    if (location == 0) continue;
    const Place place = place_of(evidence.symbols(), location);
    Blocks& blocks = out[{place.file, place.line}];
    std::int64_t& its = making[node] ? blocks.diagonal : blocks.other;
    its = std::max(its, largest);
  }
  return out;
}

// Of the products of a line, the part that need not be; 0: none. Small ones beside large factors are no part of it.
double needless_part(const BlocksByLine& blocks, const Lines& lines, const Place& place) {
  const std::size_t made = making_line(lines, static_cast<std::size_t>(place.line));
  if (made == 0) return 0;
  const auto making = blocks.find({place.file, static_cast<std::int64_t>(made)}),
             using_it = blocks.find({place.file, place.line});
  Blocks both;
  if (making != blocks.end()) both.diagonal = making->second.diagonal;
  if (using_it != blocks.end()) both.other = using_it->second.other;
  return both.diagonal >= kFullDiagonal ? 1 - both.left() : 0;
}

std::vector<Finding> look(const Evidence& evidence) {
  symbols::SourceFiles& files = evidence.sources();
  const BlocksByLine blocks = blocks_by_line(evidence);
  std::map<std::uint32_t, double> parts;  // by location
  double of_all = 0, all = 0;
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    const std::uint32_t location = evidence.own_location(node);
    if (location == 0 || !computes(evidence.lines().function(node))) return false;
    const auto [part, is_new] = parts.try_emplace(location, 0);
    if (is_new) {
      const Place place = place_of(evidence.symbols(), location);
      if (place.line > 0 && place.file.ends_with(".py"))
        part->second = needless_part(blocks, files.file(place.file).lines, place);
    }
    if (part->second < kMostlyZeros) return false;
    const double ns = real(evidence.lines().self().cpu[node].ns);
    of_all += part->second * ns;
    all += ns;
    return true;
  });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs || all <= 0) return {};
  CpuAt saved = cpu;
  saved.take(of_all / all);
  Finding finding;
  finding.rule = kDiagonalProductsRule.name;
  finding.title = "A diagonal matrix is made in full and multiplied";
  finding.seen = fmt::format("{}, for products with what is zero but for its diagonal.", cpu_words(evidence, cpu));
  finding.advice =
      "Scale rows or columns in place of diag(w) @ X: w[:, None] * X, and (X.T * w) @ X for X.T @ diag(w) @ X.";
  finding.places = cpu.places;
  could_save(finding, evidence, saved);
  return {finding};
}

}  // namespace
}  // namespace diagonal_products

const Rule kDiagonalProductsRule{"diagonal-products", "products with full diagonal matrices", no_python_allocations,
                                 diagonal_products::look};

}  // namespace prof::findings
