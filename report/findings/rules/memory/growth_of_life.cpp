// Without steps: memory that grows over the whole life of the program's process. Who reads its data for so long looks
// the same; the words say what was seen.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "report/findings/javascript.hpp"
#include "report/findings/keeper.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/memory/growth.hpp"
#include "report/findings/rules/shared/growing_lines.hpp"
#include "report/findings/rules/shared/growth_advice.hpp"
#include "report/findings/rules/shared/javascript_heap.hpp"
#include "report/findings/rules/shared/memory_level.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace growing_life {
namespace {

// The part of a life in which memory grew evenly, from first to last, and how.
struct Rise {
  std::vector<std::int64_t> values;  // of memory, bytes
  fold::Trend trend;
  bool stays = false;                // it ends before the life does, and nothing is given back
  bool late = false;                 // it begins after the life does
  std::uint64_t until_monotonic_ns;  // the end of the part that was judged
};

// What the lines say that hold what grew.
struct Held {
  Holding holding;
  std::vector<Place> places;
  std::int64_t live = 0;  // bytes of theirs that were never given back
  bool nameless = false;  // JavaScript without names, which has no lines
  bool kept = false;      // most of what grew was never given back
  bool keeper = false;    // a line keeps what it should not
};

// What interpreters keep for later they give back at their end, or not, as they like.
bool runs_native_code(const model::Process& process) { return !process.python && !runs_javascript(process); }

std::optional<Rise> rise_of(const model::Process& process) {
  const auto edge = static_cast<std::uint64_t>(real(model::to_signed(process.wall_ns())) * kEdgeOfLife);
  Level level = level_of(process, process.start_monotonic_ns + edge, process.end_monotonic_ns - edge);
  Rise out;
  // What is done with it in the end takes its time as well: of what is never given back, its rise is judged.
  const std::size_t rise = moments_of_rise(level.values);
  out.stays = real(rise) < kRisesOn * real(level.values.size());
  if (out.stays && real(rise) < kRiseOfLife * real(level.values.size())) return std::nullopt;
  if (out.stays) level.values.resize(rise);
  // Who first makes what it is to work on grows from then on; that is believed of lines that are known to keep things.
  const auto moments = static_cast<double>(level.values.size());
  const std::size_t flat = moments_before_rise(level.values);
  const double before = static_cast<double>(flat) / moments;
  out.late = !out.stays && before >= kFlatStart && before <= 1 - kRiseOfLife;
  if (out.late) level.values.erase(level.values.begin(), level.values.begin() + static_cast<std::ptrdiff_t>(flat));
  if (level.interval_s <= 0 || level.values.size() < kMomentsOfLife) return std::nullopt;
  const auto trend = fold::growing(level.values, level.interval_s);
  if (!trend || trend->grown < kKeptInALife || trend->seconds < kLeastLeakSeconds) return std::nullopt;
  // From first to last, and not because something large is built in one phase.
  const double judged = level.interval_s * static_cast<double>(level.values.size());
  if (trend->seconds < kMostOfLife * judged || !is_even(level.values, kEven)) return std::nullopt;
  out.trend = *trend;
  out.until_monotonic_ns = process.start_monotonic_ns + edge + static_cast<std::uint64_t>(whole_number(judged * 1e9));
  out.values = std::move(level.values);
  return out;
}

Held held_of(const Evidence& evidence, const model::Process& process, const Rise& rise) {
  Held out;
  out.holding = holding_lines(evidence, rise.trend.grown);
  out.places = out.holding.places;
  out.nameless = out.places.empty() && runs_javascript(process) && !names_javascript(process);
  if (out.nameless) out.places = {Place{process.exe, 0, "JavaScript's objects and buffers"}};
  if (out.places.empty()) return out;
  out.live = live_at(evidence, out.places);
  out.kept = real(out.live) >= kHoldsTheGrowth * real(rise.trend.grown);
  out.keeper = keeper_beside(evidence, out.places).has_value();
  return out;
}

// Whether the growth is more than a program that loads its data, or works on it, shows as well.
bool is_believed(const Evidence& evidence, const model::Process& process, const Rise& rise, const Held& held) {
  if (held.places.empty()) return false;
  const bool native = runs_native_code(process);
  // Who loads data first and works on it then looks the same, but for a line that keeps what it should not.
  if (rise.stays && (!held.kept || !native || !held.keeper)) return false;
  // Of what is given back, one line must hold most: data that is worked on grows in many.
  const bool one_line = held.nameless || real(held.holding.first) >= kHoldsTheGrowth * real(rise.trend.grown);
  if (!held.kept && (!one_line || !only_rises(rise.values) || !is_even(rise.values, kEvenIfFreed))) return false;
  const bool keeps_it = held.keeper || sharer_beside(evidence, held.places);
  if (rise.late && !keeps_it) return false;
  const double least_s = native && !keeps_it ? kLeastSecondsOfNative : kLeastSecondsOfLife;
  return held.kept || (rise.trend.seconds >= least_s && rise.trend.grown >= kGrownInALife);
}

std::string advice_of(const model::Process& process, const Held& held) {
  std::string advice = growth_advice(process, false) + " If the data is needed until the end, that is what it takes: " +
                       (runs_javascript(process) ? "streams" : "generators, chunks") + " or files hold less.";
  // An arena is charged to the line that needed it, and others fill it.
  if (process.python && process.python_peak_bytes == 0 && real(process.map_peak_bytes) >= real(held.holding.all) / 2)
    advice += " Small objects are told by who needed a new arena for them: --python-alloc on counts each.";
  return held.nameless ? "Record with --js on: then lines have names. " + advice : advice;
}

// Bytes that would not be held, with what grew before and after the part that was judged; adds what that is to the
// words. 0: it is little beside all that the process has.
std::int64_t saving(const model::Process& process, const Rise& rise, const Held& held, std::string& seen) {
  const std::int64_t grown = rise.trend.grown;
  const Level whole = level_of(process, process.start_monotonic_ns, process.end_monotonic_ns);
  const auto [least, most] = std::minmax_element(whole.values.begin(), whole.values.end());
  const auto in_all =
      rise.stays ? *most - *least : whole_number(rise.trend.per_s * real(model::to_signed(process.wall_ns())) / 1e9);
  if (!held.kept && real(in_all) < kGrownOfMemory * real(*most)) return 0;
  // Where the lines named hold about all of it, they say how much it is; else the rise from first to last does.
  const std::int64_t of_lines = held.holding.all;
  const bool all_named = real(of_lines) >= kAllOfGrowth * real(in_all);
  const std::int64_t in_part = held.kept ? held.live : grown,
                     in_life = all_named ? of_lines : std::min(in_all, *most - *least);
  std::int64_t out = held_at_most(process, std::max(in_part, in_life));
  if (held.nameless) out = std::min(out, resident_growth(process));
  // What else grew meanwhile, as by imports, is not what a line keeps that should not.
  const bool keeps = process.python && real(of_lines) >= kHoldsTheGrowth * real(grown) && held.keeper;
  if (keeps) out = std::min(out, of_lines);
  if (keeps && out < grown) seen += fmt::format(" Of that, these lines came to hold {}.", show::bytes(real(out)));
  if (real(out) <= (1 + kAnotherRate) * real(grown)) return out;
  if (held.kept && held.live > in_life)
    seen += fmt::format(" What these lines allocated and nobody freed: {}.", show::bytes(real(out)));
  else
    seen +=
        fmt::format(" In all of its {} {} {}.", show::duration(real(process.wall_ns())),
                    all_named && !held.nameless ? "these lines came to hold" : "it grew by", show::bytes(real(out)));
  return out;
}

// Objects that hold each other outlive whoever owns the rest of what grew, which is freed in time.
void name_lost(const Evidence& evidence, const Rise& rise, Finding& finding) {
  Holding lost = never_freed(evidence);
  if (lost.places.empty() || real(lost.all) < kLostOfGrowth * real(rise.trend.grown) || lost.all >= finding.saves_bytes)
    return;
  finding.seen += fmt::format(" Never freed were {} of it.", show::bytes(real(lost.all)));
  finding.saves_bytes = lost.all;
  finding.places = std::move(lost.places);
}

std::optional<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return std::nullopt;
  const model::Process& process = evidence.run().processes[program->process];
  if (process.heap_mode == log::HeapMode::Exact) return std::nullopt;
  const std::optional<Rise> rise = rise_of(process);
  if (!rise) return std::nullopt;
  const Held held = held_of(evidence, process, *rise);
  if (!is_believed(evidence, process, *rise, held)) return std::nullopt;
  Finding finding;
  finding.rule = kHostMemoryRule.name;
  finding.title = rise->stays ? "Memory grows and is never given back"
                  : held.kept ? "Memory grows all the time and is never given back"
                              : "Memory grows all the time";
  finding.symptom = !held.kept;
  finding.places = held.places;
  finding.seen = fmt::format("What the program has allocated grew by {} in {}, evenly{}: {} a second.",
                             show::bytes(real(rise->trend.grown)), show::duration(rise->trend.seconds * 1e9),
                             rise->stays ? ", and stayed" : " and until its end",
                             show::bytes(real(rise->trend.grown) / rise->trend.seconds));
  finding.advice = advice_of(process, held);
  finding.saves_bytes = saving(process, *rise, held, finding.seen);
  if (finding.saves_bytes <= 0) return std::nullopt;
  if (held.kept && held.keeper && runs_native_code(process)) name_lost(evidence, *rise, finding);
  finding.when = {last_seconds(evidence.run(), program->process, rise->until_monotonic_ns, rise->trend.seconds)};
  if (runs_javascript(process))
    name_lines_of_script(evidence, process, finding);
  else
    name_keeper(evidence, finding);
  return finding;
}

}  // namespace
}  // namespace growing_life

std::optional<Finding> growth_of_life(const Evidence& evidence) { return growing_life::look(evidence); }

}  // namespace prof::findings
