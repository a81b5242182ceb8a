// The memory of a process grows with each step and does not stop.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/findings/javascript.hpp"
#include "report/findings/keeper.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/memory/malloc_overhead.hpp"
#include "report/findings/rules/shared/growing_lines.hpp"
#include "report/findings/rules/shared/growth_advice.hpp"
#include "report/findings/rules/shared/javascript_heap.hpp"
#include "report/findings/rules/shared/memory_level.hpp"
#include "report/findings/source_loops.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/fold/memory/leaks.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace host_memory {
namespace {

using fold::MemoryKind;

constexpr double kDay = 24 * 3600;
constexpr const char* kStacks = " --view leaks has the stacks.";
constexpr double kAnotherRate = 0.1;  // from the mean one, that is worth a word

// Of the process with that many steps in its life: seconds from one to the next; nothing without steps.
std::optional<double> step_seconds(const Evidence& evidence, std::size_t process) {
  for (const fold::StepTable& table : evidence.steps()) {
    if (table.process != process || table.steps == nullptr || table.steps->records.empty() || table.count <= 0)
      continue;
    const model::Step &first = table.steps->records.front(), &last = table.steps->records.back();
    if (last.end_monotonic_ns <= first.begin_monotonic_ns) continue;
    return static_cast<double>(last.end_monotonic_ns - first.begin_monotonic_ns) / 1e9 / real(table.count);
  }
  return std::nullopt;
}

// Of the later half of what grew, which may have grown faster before.
std::string rate(const Evidence& evidence, std::size_t process, const fold::Trend& trend) {
  const double per_s = trend.per_s, on_average = real(trend.grown) / trend.seconds;
  std::string text = fmt::format("{} a second", show::bytes(per_s));
  if (const auto seconds = step_seconds(evidence, process)) {
    text = fmt::format("{} a step ({})", show::bytes(per_s * *seconds), text);
  }
  const char* when = std::abs(per_s - on_average) > kAnotherRate * on_average ? "in the end " : "";
  return when + text + fmt::format(", {} in a day", show::bytes(per_s * kDay));
}

std::string kind_name(MemoryKind kind) {
  if (kind == MemoryKind::Python) return "Python's own allocators";
  return kind == MemoryKind::Maps ? "mappings" : "the heap";
}

// The line that may keep what grows stands behind the first that allocates it, and what it does is the advice.
void name_keeper(const Evidence& evidence, Finding& finding, const char* more = "") {
  if (finding.places.empty()) return;
  std::optional<Keeper> keeper = keeper_beside(evidence, finding.places);
  if (!keeper) keeper = sharer_beside(evidence, finding.places);
  if (!keeper) return;
  std::erase_if(finding.places, [&](const Place& place) {
    return place.file == keeper->place.file && place.line == keeper->place.line && !(place == finding.places.front());
  });
  // The source says what can keep it, not that it does.
  finding.advice = fmt::format(
      "{}:{} may be what keeps it. {} Else see what only grows (a list, a map, a cache), or what is needed until the "
      "end.{}",
      base_name(keeper->place.file), keeper->place.line, keeper->how, more);
  const Place& first = finding.places.front();
  if (first.file != keeper->place.file || first.line != keeper->place.line)
    finding.places.insert(finding.places.begin() + 1, std::move(keeper->place));
}

// No more than the process ever had: estimates of single lines may add up to more. Resident memory has the allocator's
// own part, which what is live has not; of what nobody ever wrote to, as the end of a vector, it has nothing.
std::int64_t held_at_most(const model::Process& process, std::int64_t bytes) {
  std::int64_t heap = process.heap_peak_bytes;
  for (const model::SeriesPoint& point : process.series) heap = std::max(heap, point.heap_high);
  const std::int64_t live =
      model::saturated_sum(heap, model::saturated_sum(process.map_peak_bytes, process.python_peak_bytes));
  const std::int64_t resident = model::to_signed(process.peak_rss_bytes.value_or(0));
  return std::min(bytes, resident > 0 ? resident : live > 0 ? live : bytes);
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

// Exact mode: the lines that grow are known.
std::vector<Finding> of_lines(const Evidence& evidence) {
  std::vector<Finding> out;
  symbols::SourceFiles files(evidence.run());
  for (const fold::Leak& leak : evidence.leaks().rows) {
    if (!on_the_host(leak) || leak.least_per_s() * kDay < real(kGrownInADay)) continue;
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
    finding.seen = fmt::format("What this line allocates from {} grew by {} in {}, without an end: {}.",
                               kind_name(leak.kind), show::bytes(real(leak.trend.grown)),
                               show::duration(leak.trend.seconds * 1e9), rate(evidence, leak.process, leak.trend));
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

// What interpreters keep for later they give back at their end, or not, as they like.
bool runs_native_code(const model::Process& process) { return !process.python && !runs_javascript(process); }

// Without steps: the whole life of the program's process, without its beginning and its end. Who reads its data for so
// long looks the same; the words say what was seen.
std::optional<Finding> of_life(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return std::nullopt;
  const model::Process& process = evidence.run().processes[program->process];
  if (process.heap_mode == log::HeapMode::Exact) return std::nullopt;
  const auto part = static_cast<std::uint64_t>(real(model::to_signed(process.wall_ns())) * kEdgeOfLife);
  Level level = level_of(process, process.start_monotonic_ns + part, process.end_monotonic_ns - part);
  // What is done with it in the end takes its time as well: of what is never given back, its rise is judged.
  const std::size_t rise = moments_of_rise(level.values);
  const bool stays = real(rise) < kRisesOn * real(level.values.size());
  if (stays && real(rise) < kRiseOfLife * real(level.values.size())) return std::nullopt;
  if (stays) level.values.resize(rise);
  // Who first makes what it is to work on grows from then on; that is believed of lines that are known to keep things.
  const auto moments = static_cast<double>(level.values.size());
  const std::size_t flat = moments_before_rise(level.values);
  const double before = static_cast<double>(flat) / moments;
  const bool late = !stays && before >= kFlatStart && before <= 1 - kRiseOfLife;
  if (late) level.values.erase(level.values.begin(), level.values.begin() + static_cast<std::ptrdiff_t>(flat));
  if (level.interval_s <= 0 || level.values.size() < kMomentsOfLife) return std::nullopt;
  const auto trend = fold::growing(level.values, level.interval_s);
  if (!trend || trend->grown < kKeptInALife || trend->seconds < kLeastLeakSeconds) return std::nullopt;
  // From first to last, and not because something large is built in one phase.
  const double judged = level.interval_s * static_cast<double>(level.values.size());
  if (trend->seconds < kMostOfLife * judged || !is_even(level.values, kEven)) return std::nullopt;
  Finding finding;
  finding.rule = kHostMemoryRule.name;
  const Holding holding = holding_lines(evidence, trend->grown);
  finding.places = holding.places;
  // JavaScript without names has no lines, so that none can be asked for.
  const bool nameless = finding.places.empty() && runs_javascript(process) && !names_javascript(process);
  if (nameless) finding.places = {Place{process.exe, 0, "JavaScript's objects and buffers"}};
  if (finding.places.empty()) return std::nullopt;
  const std::int64_t live = live_at(evidence, finding.places);
  const bool kept = real(live) >= kHoldsTheGrowth * real(trend->grown);
  // Of what is given back, one line must hold most: data that is worked on grows in many.
  const bool held = nameless || real(holding.first) >= kHoldsTheGrowth * real(trend->grown);
  const bool keeper = keeper_beside(evidence, finding.places).has_value();
  // Who loads data first and works on it then looks the same, but for a line that keeps what it should not.
  if (stays && (!kept || !runs_native_code(process) || !keeper)) return std::nullopt;
  if (!kept && (!held || !only_rises(level.values) || !is_even(level.values, kEvenIfFreed))) return std::nullopt;
  const bool keeps_it = keeper || sharer_beside(evidence, finding.places);
  if (late && !keeps_it) return std::nullopt;
  const bool long_enough =
      trend->seconds >= (runs_native_code(process) && !keeps_it ? kLeastSecondsOfNative : kLeastSecondsOfLife);
  if (!kept && (!long_enough || trend->grown < kGrownInALife)) return std::nullopt;
  finding.title = stays  ? "Memory grows and is never given back"
                  : kept ? "Memory grows all the time and is never given back"
                         : "Memory grows all the time";
  finding.symptom = !kept;
  finding.seen =
      fmt::format("What the program has allocated grew by {} in {}, evenly{}: {} a second.",
                  show::bytes(real(trend->grown)), show::duration(trend->seconds * 1e9),
                  stays ? ", and stayed" : " and until its end", show::bytes(real(trend->grown) / trend->seconds));
  finding.advice = growth_advice(process, false) + " If the data is needed until the end, that is what it takes: " +
                   (runs_javascript(process) ? "streams" : "generators, chunks") + " or files hold less.";
  // An arena is charged to the line that needed it, and others fill it.
  if (process.python && process.python_peak_bytes == 0 && real(process.map_peak_bytes) >= real(holding.all) / 2)
    finding.advice += " Small objects are told by who needed a new arena for them: --python-alloc on counts each.";
  if (nameless) finding.advice = "Record with --js on: then lines have names. " + finding.advice;
  // What grew in the part that was judged grew before and after as well.
  const Level whole = level_of(process, process.start_monotonic_ns, process.end_monotonic_ns);
  const auto [least, most] = std::minmax_element(whole.values.begin(), whole.values.end());
  const auto in_all =
      stays ? *most - *least : whole_number(trend->per_s * real(model::to_signed(process.wall_ns())) / 1e9);
  if (!kept && real(in_all) < kGrownOfMemory * real(*most)) return std::nullopt;
  // Where the lines named hold about all of it, they say how much it is; else the rise from first to last does.
  const bool all_named = real(holding.all) >= kAllOfGrowth * real(in_all);
  const std::int64_t in_part = kept ? live : trend->grown,
                     in_life = all_named ? holding.all : std::min(in_all, *most - *least);
  finding.saves_bytes = held_at_most(process, std::max(in_part, in_life));
  if (nameless) finding.saves_bytes = std::min(finding.saves_bytes, resident_growth(process));
  // What else grew meanwhile, as by imports, is not what a line keeps that should not.
  const bool keeps = process.python && real(holding.all) >= kHoldsTheGrowth * real(trend->grown) && keeper;
  if (keeps) finding.saves_bytes = std::min(finding.saves_bytes, holding.all);
  if (keeps && finding.saves_bytes < trend->grown)
    finding.seen += fmt::format(" Of that, these lines came to hold {}.", show::bytes(real(finding.saves_bytes)));
  if (real(finding.saves_bytes) > (1 + kAnotherRate) * real(trend->grown)) {
    const std::string all = show::bytes(real(finding.saves_bytes));
    if (kept && live > in_life)
      finding.seen += fmt::format(" What these lines allocated and nobody freed: {}.", all);
    else
      finding.seen += fmt::format(" In all of its {} {} {}.", show::duration(real(process.wall_ns())),
                                  all_named && !nameless ? "these lines came to hold" : "it grew by", all);
  }
  // Objects that hold each other outlive whoever owns the rest of what grew, which is freed in time.
  if (kept && runs_native_code(process) && keeper) {
    Holding lost = never_freed(evidence);
    if (!lost.places.empty() && real(lost.all) >= kLostOfGrowth * real(trend->grown) &&
        lost.all < finding.saves_bytes) {
      finding.seen += fmt::format(" Never freed were {} of it.", show::bytes(real(lost.all)));
      finding.saves_bytes = lost.all;
      finding.places = std::move(lost.places);
    }
  }
  const std::uint64_t judged_until =
      process.start_monotonic_ns + part + static_cast<std::uint64_t>(whole_number(judged * 1e9));
  finding.when = {last_seconds(evidence.run(), program->process, judged_until, trend->seconds)};
  if (runs_javascript(process))
    name_lines_of_script(evidence, process, finding);
  else
    name_keeper(evidence, finding);
  return finding;
}

std::optional<Finding> of_level(const Evidence& evidence, const fold::StepTable& table) {
  const model::Process& process = evidence.run().processes[table.process];
  if (table.steps == nullptr || process.heap_mode == log::HeapMode::Exact) return std::nullopt;
  const Span steady = steady_span(table);
  if (steady.end_monotonic_ns == 0) return std::nullopt;
  // After the last step a program gives back what it has.
  const Level level = level_of(process, steady.begin_monotonic_ns, steady.end_monotonic_ns);
  if (level.interval_s <= 0 || level.values.size() < fold::kLeastMoments) return std::nullopt;
  const auto trend = fold::growing(level.values, level.interval_s);
  if (!trend || trend->grown < kLeastGrown || is_given_back(level.values, trend->grown)) return std::nullopt;
  if ((trend->per_s - 2 * trend->error_per_s) * kDay < real(kGrownInADay)) return std::nullopt;
  Finding finding;
  finding.rule = kHostMemoryRule.name;
  finding.title = "Memory grows from step to step";
  finding.seen = fmt::format("What the program has allocated grew by {} in {}, without an end: {}.",
                             show::bytes(real(trend->grown)), show::duration(trend->seconds * 1e9),
                             rate(evidence, table.process, *trend));
  finding.places = holding_lines(evidence, trend->grown).places;
  finding.advice = finding.places.empty()
                       ? "Record with --heap exact: then the line that grows is known."
                       : "The lines hold as much as that; record with --heap exact to be sure. See what keeps it: a "
                         "list or dict that is appended to in each step, tensors that keep the graph they were "
                         "computed by, caches without a bound.";
  finding.saves_bytes = trend->grown;
  finding.when = {last_seconds(evidence.run(), table.process, steady.end_monotonic_ns, trend->seconds)};
  name_keeper(evidence, finding);
  return finding;
}

// What grows in blocks that stay takes more of the system than it holds.
void tell_of_holes(const Evidence& evidence, Finding& finding) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  const std::int64_t holes = program ? malloc_overhead_bytes(evidence, evidence.run().processes[program->process]) : 0;
  if (real(holes) < kHolesOfGrowth * real(finding.saves_bytes)) return;
  finding.seen += fmt::format(
      " malloc had {} more of the system than ever lived: blocks that stay keep what was freed around them.",
      show::bytes(real(holes)));
  finding.saves_more = true;
}

const char* cannot(const Evidence& evidence) {
  const auto known = evidence.leaks().known;
  if (known == fold::LeaksKnown::ByThread) return "what is live cannot be told by thread";
  if (known == fold::LeaksKnown::Yes) return nullptr;
  for (const fold::StepTable& table : evidence.steps()) {
    if (evidence.run().processes[table.process].series.size() >= fold::kLeastMoments) return nullptr;
  }
  if (const auto program = program_thread(evidence); program && !evidence.has_steps()) {
    if (evidence.run().processes[program->process].series.size() >= kMomentsOfLife) return nullptr;
  }
  return "neither levels of memory over the steps were recorded nor allocations exactly (--heap exact)";
}

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<Finding> out = of_lines(evidence);
  if (!out.empty()) return out;
  // Which is told with its cause.
  if (kKeptGraphsRule.cannot(evidence) == nullptr && !kKeptGraphsRule.look(evidence).empty()) return out;
  for (const fold::StepTable& table : evidence.steps()) {
    if (auto finding = of_level(evidence, table)) {
      out.push_back(std::move(*finding));
      break;
    }
  }
  if (out.empty() && !evidence.has_steps()) {
    auto finding = of_life(evidence);
    if (!finding) finding = growing_javascript(evidence);
    if (finding) out.push_back(std::move(*finding));
  }
  if (!out.empty() && kMallocOverheadRule.look(evidence).empty()) tell_of_holes(evidence, out.front());
  return out;
}

}  // namespace
}  // namespace host_memory

const Rule kHostMemoryRule{"host-memory-grows", "memory of the host that grows by 16 MiB and more", host_memory::cannot,
                           host_memory::look};

}  // namespace prof::findings
