// Exact mode: which lines grow is known.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "report/findings/rules/all.hpp"
#include "report/findings/rules/memory/growth.hpp"
#include "report/findings/rules/shared/growth_advice.hpp"
#include "report/findings/source_loops.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/fold/memory/leaks.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace growing_line {
namespace {

using fold::MemoryKind;

constexpr const char* kStacks = " --view leaks has the stacks.";

std::string kind_name(MemoryKind kind) {
  if (kind == MemoryKind::Python) return "Python's own allocators";
  return kind == MemoryKind::Maps ? "mappings" : "the heap";
}

// Modules stay for good once they are imported.
bool loads_modules(const Evidence& evidence, const fold::Leak& leak) {
  return std::any_of(leak.stack.begin(), leak.stack.begin() + static_cast<std::ptrdiff_t>(leak.frame),
                     [&](std::uint32_t location) {
                       const symbols::Symbols& symbols = evidence.symbols();
                       const symbols::Function& function = symbols.function(symbols.location(location).function);
                       return symbols::is_import_system(function) ||
                              (function.language == symbols::Language::Python && function.name == "<module>");
                     });
}

bool on_the_host(const fold::Leak& leak) {
  return leak.kind != MemoryKind::Segments && leak.kind != MemoryKind::Tensors;
}

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<Finding> out;
  symbols::SourceFiles& files = evidence.sources();
  for (const fold::Leak& leak : evidence.leaks().rows) {
    if (!on_the_host(leak) || leak.least_per_s() * kSecondsOfDay < real(kGrownInADay)) continue;
    if (leak.trend.grown < kLeastLeak || leak.trend.seconds < kLeastLeakSeconds) continue;
    if (loads_modules(evidence, leak) || done_once(evidence, files, leak.stack)) continue;
    Finding finding;
    finding.rule = kHostMemoryRule.name;
    const bool stepping = step_seconds(evidence, leak.process).has_value();
    // What the program takes apart at its end it had until then.
    const bool given_back = real(leak.held_bytes) < kHoldsTheGrowth * real(leak.trend.grown);
    finding.title = stepping     ? "Memory grows from step to step"
                    : given_back ? "Memory grows until the end"
                                 : "Memory grows and is not given back";
    finding.seen =
        fmt::format("What this line allocates from {} grew by {} in {}, without an end: {}.", kind_name(leak.kind),
                    show::bytes(real(leak.trend.grown)), show::duration(leak.trend.seconds * 1e9),
                    growth_rate(evidence, leak.process, leak.trend));
    finding.advice = growth_advice(evidence.run().processes[leak.process], stepping) + kStacks;
    finding.places = {place_of(evidence.symbols(), leak.stack[leak.frame])};
    finding.saves_bytes =
        held_at_most(evidence.run().processes[leak.process], given_back ? leak.trend.grown : leak.held_bytes);
    const std::uint64_t end_ns = model::saturated_sum(evidence.run().processes[leak.process].start_monotonic_ns,
                                                      leak.trend.moments * leak.interval_ns);
    finding.when = {last_seconds(evidence.run(), leak.process, end_ns, leak.trend.seconds)};
    name_keeper(evidence, finding, kStacks);
    out.push_back(std::move(finding));
    if (out.size() == kMostGrowingLines) break;
  }
  return out;
}

}  // namespace
}  // namespace growing_line

std::vector<Finding> growth_of_lines(const Evidence& evidence) { return growing_line::look(evidence); }

}  // namespace prof::findings
