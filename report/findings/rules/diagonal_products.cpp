// Products with a diagonal matrix that is made in full, and diagonals of products that are: nearly all of what is
// multiplied are zeros, or is thrown away.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace diagonal_products {
namespace {

enum class Kind { None, OfDiagonal, DiagonalOf };

bool multiplies(std::string_view code) {
  constexpr std::array<std::string_view, 5> kWords = {" @ ", ".dot(", "matmul(", ".mm(", "multi_dot("};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return contains(code, word); });
}

// What stands in the brackets behind `open`, as far as the line goes.
std::string_view in_brackets(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    depth += code[i] == '(' || code[i] == '[' ? 1 : code[i] == ')' || code[i] == ']' ? -1 : 0;
    if (depth == 0) return code.substr(open + 1, i - open - 1);
  }
  return code.substr(open + 1);
}

// The place of the bracket of "diag(" or "trace(" of numpy, PyTorch and their like; npos: there is none.
std::size_t call_of(std::string_view code, std::string_view name) {
  for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
    if (at > 0 && code[at - 1] == '.') return at + name.size() - 1;
  }
  return std::string_view::npos;
}

// "weights" of "weights = np.diag(w)"; empty: it is no such line.
std::string_view named_diagonal(std::string_view code) {
  const std::size_t equals = code.find(" = "), begin = indent_of(code);
  if (equals == std::string_view::npos || equals <= begin || call_of(code, "diag(") == std::string_view::npos)
    return {};
  const std::string_view name = code.substr(begin, equals - begin), made = code.substr(equals + 3);
  const std::size_t open = call_of(made, "diag(");
  const bool alone = open != std::string_view::npos && made.find_first_of(" ") > open;
  return alone && std::all_of(name.begin(), name.end(), is_name) && !multiplies(made) ? name : std::string_view();
}

// Whether the function that line `number` is in gives a full diagonal matrix a name that the code multiplies with.
bool multiplies_named(const Lines& lines, std::size_t number, std::string_view code) {
  const std::size_t indent = indent_of(code);
  for (std::size_t at = number - 1; at >= 1; --at) {
    const std::string_view above = code_of(lines[at - 1], "#");
    if (indent_of(above) < indent && above.substr(indent_of(above)).starts_with("def ")) return false;
    const std::string_view name = named_diagonal(above);
    if (!name.empty() && find_word(code, name) != std::string_view::npos) return true;
  }
  return false;
}

Kind kind_of(const Lines& lines, std::size_t number) {
  if (number < 1 || number > lines.size()) return Kind::None;
  const std::string_view code = code_of(lines[number - 1], "#");
  if (!multiplies(code)) return Kind::None;
  for (const std::string_view name : {"diag(", "diagonal(", "trace("}) {
    const std::size_t open = call_of(code, name);
    if (open != std::string_view::npos && multiplies(in_brackets(code, open))) return Kind::DiagonalOf;
  }
  const bool makes =
      call_of(code, "diag(") != std::string_view::npos || call_of(code, "diagflat(") != std::string_view::npos;
  return makes || multiplies_named(lines, number, code) ? Kind::OfDiagonal : Kind::None;
}

// Who multiplies, and fills what is multiplied with zeros.
bool computes(const symbols::Function& function) {
  const std::string& module = function.module;
  return contains(module, "blas") || contains(module, "mkl") || contains(module, "_multiarray_umath") ||
         contains(module, "libtorch") || contains(module, "libc.so") || symbols::is_made_at_run_time(module);
}

std::vector<Finding> look(const Evidence& evidence) {
  symbols::SourceFiles files(evidence.run());
  std::vector<Kind> kinds(evidence.symbols().location_count(), Kind::None);
  std::vector<bool> known(kinds.size());
  bool whole = false, part = false;
  const auto is = [&](std::uint32_t node) {
    const std::uint32_t location = evidence.own_location(node);
    if (location == 0 || !computes(evidence.lines().function(node))) return false;
    if (!known[location]) {
      known[location] = true;
      const Place place = place_of(evidence.symbols(), location);
      if (place.line > 0 && evidence.symbols().function(evidence.symbols().location(location).function).language ==
                                symbols::Language::Python)
        kinds[location] = kind_of(files.file(place.file).lines, static_cast<std::size_t>(place.line));
    }
    whole |= kinds[location] == Kind::OfDiagonal;
    part |= kinds[location] == Kind::DiagonalOf;
    return kinds[location] != Kind::None;
  };
  const CpuAt cpu = cpu_at(evidence, is);
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kDiagonalProductsRule.name;
  finding.title = whole ? "A diagonal matrix is made in full and multiplied" : "A product is made for its diagonal";
  finding.seen = fmt::format("{}, for {}.", cpu_words(evidence, cpu),
                             whole ? "products with what is zero but for its diagonal"
                                   : "products of which all but the diagonal is thrown away");
  finding.advice = whole ? "Scale rows or columns in place of diag(w) @ X: w[:, None] * X, and (X.T * w) @ X for "
                           "X.T @ diag(w) @ X."
                         : "";
  if (part)
    finding.advice +=
        std::string(whole ? " " : "") + "For the diagonal of A @ B take (A * B.T).sum(axis=1), or einsum('ij,ji->i').";
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace diagonal_products

const Rule kDiagonalProductsRule{"diagonal-products", "products with full diagonal matrices", no_python_frames,
                                 diagonal_products::look};

}  // namespace prof::findings
