// Products of matrices that numpy computes in loops of its own, since BLAS, which takes a tenth of the time and less,
// knows floats alone and numpy.einsum() does not ask it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace own_products {
namespace {

struct OfLine {
  double all = 0, in_numpy = 0, in_blas = 0;
};

// The names that the text calls: of a.b(c(1)) b and c.
std::vector<std::string_view> called_in(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t open = text.find('('); open != std::string_view::npos; open = text.find('(', open + 1)) {
    std::size_t begin = open;
    while (begin > 0 && in_name(text[begin - 1])) --begin;
    if (begin < open) out.push_back(text.substr(begin, open - begin));
  }
  return out;
}

// Whether einsum() of this text is one product of two matrices: "ij,jk->ik" sums over j, and no letter stands in all
// three, which would be many small products.
bool sums_one_product(std::string_view text) {
  const std::size_t quote = text.find_first_of("'\"");
  if (quote == std::string_view::npos) return false;
  const std::string_view subscripts = text.substr(quote + 1, text.find(text[quote], quote + 1) - quote - 1);
  const std::size_t comma = subscripts.find(','), arrow = subscripts.find("->");
  if (comma == std::string_view::npos || arrow == std::string_view::npos || comma > arrow) return false;
  const std::string_view first = subscripts.substr(0, comma), result = subscripts.substr(arrow + 2);
  const std::string_view second = subscripts.substr(comma + 1, arrow - comma - 1);
  if (contains(second, ",") || contains(subscripts, ".")) return false;
  if (first.size() < 2 && second.size() < 2) return false;  // of two vectors: memory is what it takes
  bool sums = false;
  for (const char letter : first) {
    if (!in_name(letter) || second.find(letter) == std::string_view::npos) continue;
    if (result.find(letter) != std::string_view::npos) return false;
    sums = true;
  }
  return sums;
}

// Whether a line of Python multiplies matrices and calls nothing else that may take long.
bool multiplies(std::string_view text) {
  constexpr std::array<std::string_view, 8> kProducts = {"dot",       "matmul", "einsum",       "inner",
                                                         "tensordot", "vdot",   "matrix_power", "multi_dot"};
  constexpr std::array<std::string_view, 10> kBesides = {"reshape", "transpose", "swapaxes", "astype", "asarray",
                                                         "print",   "len",       "int",      "range",  "append"};
  const std::size_t from = text.find_first_not_of(' ');
  if (from == std::string_view::npos || text[from] == '@') return false;  // a decorator
  text = text.substr(from, text.find(" #") - from);
  bool product = contains(text, " @ ") || contains(text, " @= ");
  for (const std::string_view name : called_in(text)) {
    if (name == "einsum" && (!sums_one_product(text) || contains(text, "optimize"))) return false;
    if (is_one_of(name, kProducts))
      product = true;
    else if (!is_one_of(name, kBesides))
      return false;
  }
  return product;
}

std::vector<OfLine> sums_by_line(const Evidence& evidence) {
  const fold::CallTree& lines = evidence.lines();
  std::vector<OfLine> out(evidence.symbols().location_count());
  for (const std::uint32_t node : evidence.timed()) {
    const auto ns = static_cast<double>(lines.self().cpu[node].ns);
    if (ns <= 0) continue;
    OfLine& sum = out[evidence.own_location(node)];
    const std::string& module = lines.function(node).module;
    sum.all += ns;
    if (contains(module, "_multiarray_umath")) sum.in_numpy += ns;
    if (contains(module, "blas") || contains(module, "mkl")) sum.in_blas += ns;
  }
  return out;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::vector<OfLine> sums = sums_by_line(evidence);
  symbols::SourceFiles& files = evidence.sources();
  std::vector<bool> meant(sums.size());
  for (std::uint32_t i = 1; i < sums.size(); ++i) {
    if (sums[i].in_numpy < kMostOfALine * sums[i].all || sums[i].in_numpy <= 0 ||
        sums[i].in_blas > kHardlyInBlas * sums[i].all)
      continue;
    const Place place = place_of(evidence.symbols(), i);
    meant[i] = place.line > 0 && multiplies(files.line(place.file, static_cast<std::uint32_t>(place.line)));
  }
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return meant[evidence.own_location(node)]; });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kOwnProductsRule.name;
  finding.title = "numpy multiplies matrices without BLAS";
  finding.seen = fmt::format("{}, in loops of numpy's own.", cpu_words(evidence, cpu));
  finding.advice =
      "BLAS knows floats alone: .astype(numpy.float64) before the product (whole numbers stay exact below 2**53). "
      "einsum() asks it with optimize=True only; better @ or tensordot().";
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace own_products

const Rule kOwnProductsRule{"products-without-blas", "products of matrices without BLAS", no_python_frames,
                            own_products::look};

}  // namespace prof::findings
