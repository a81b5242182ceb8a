// Loops of C and C++ that go through a large array from row to row, for each column: each element is in another line of
// the cache, and in another page.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/native_family.hpp"
#include "report/findings/strides.hpp"
#include "report/findings/thresholds.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace column_order {
namespace {

bool has_large_block(const Evidence& evidence) {
  const fold::Columns& self = evidence.lines().self();
  for (std::uint32_t node = 1; node < evidence.lines().nodes().size(); ++node) {
    if (self.heap[node].largest >= kBeyondCaches || self.maps[node].largest >= kBeyondCaches) return true;
  }
  return false;
}

// By node: 0, or the location of the line of such a loop that it is of, with what that calls in its own module, as what
// is inlined there.
std::vector<std::uint32_t> across(const Evidence& evidence) {
  const fold::CallTree& tree = evidence.lines();
  symbols::SourceFiles& files = evidence.sources();
  // Only lines that take some of the time are looked at.
  std::map<std::uint32_t, std::int64_t> spent;
  const auto& totals = tree.totals(&fold::Columns::cpu);
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const std::uint32_t own = evidence.own_location(node);
    if (own == 0 || own != tree.nodes()[node].location) continue;
    spent[own] = model::saturated_sum(spent[own], totals[node].ns);
  }
  const double enough = kOfALoop * real(tree.total().cpu.ns);
  std::map<std::uint32_t, bool> known;
  const auto goes = [&](std::uint32_t location) {
    const auto [found, is_new] = known.try_emplace(location);
    if (is_new && real(spent[location]) >= enough) {
      const symbols::Function& function = evidence.symbols().function(evidence.symbols().location(location).function);
      const Place place = place_of(evidence.symbols(), location);
      found->second = function.language == symbols::Language::Native && place.line > 0 &&
                      goes_across(files.file(place.file).lines, static_cast<std::size_t>(place.line));
    }
    return found->second;
  };
  std::vector<std::uint32_t> out(tree.nodes().size());
  for (std::uint32_t node = 1; node < out.size(); ++node) {
    const std::uint32_t own = evidence.own_location(node), above = out[tree.nodes()[node].parent];
    if (own != 0 && own == tree.nodes()[node].location && goes(own)) {
      out[node] = own;
    } else if (above != 0) {
      const symbols::Function& outer = evidence.symbols().function(evidence.symbols().location(above).function);
      if (tree.function(node).module == outer.module) out[node] = above;
    }
  }
  return out;
}

std::vector<Finding> look(const Evidence& evidence) {
  if (!has_large_block(evidence)) return {};
  const std::vector<std::uint32_t> lines = across(evidence);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return lines[node] != 0; });
  if (cpu.share() < kMostlyOneThing || !is_enough(cpu)) return {};
  std::map<std::uint32_t, std::int64_t> sums;
  for (const std::uint32_t node : evidence.timed()) {
    std::int64_t& ns = sums[lines[node]];
    ns = model::saturated_sum(ns, evidence.lines().self().cpu[node].ns);
  }
  sums.erase(0);
  if (sums.empty()) return {};
  std::vector<std::pair<std::uint32_t, std::int64_t>> most(sums.begin(), sums.end());
  std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  Finding finding;
  finding.rule = kColumnOrderRule.name;
  finding.title = "An array is gone through across the way it lies in memory";
  finding.seen = fmt::format(
      "{}, in a loop whose inner one goes from row to row: of each line of the cache that it "
      "fetches it needs one element.",
      cpu_words(evidence, cpu));
  finding.advice =
      "Let the inner loop go along a row (swap the loops), do several columns in each pass, or turn the array once "
      "(block by block) where columns are needed many times.";
  // The head of the loop, and what it does.
  for (std::size_t i = 0; i < std::min<std::size_t>(2, most.size()); ++i)
    finding.places.push_back(place_of(evidence.symbols(), most[i].first));
  could_save(finding, evidence, kOfAcross * share_of_steps(evidence, cpu));
  return {finding};
}

}  // namespace
}  // namespace column_order

const Rule kColumnOrderRule{"column-order", "arrays that are gone through column by column", no_own_code,
                            column_order::look};

}  // namespace prof::findings
