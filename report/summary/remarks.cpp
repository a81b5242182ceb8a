#include "report/summary/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "report/findings/keeper_python.hpp"
#include "report/findings/rules/shared/statements.hpp"
#include "report/fold/own/main_caller.hpp"
#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/own/own_text.hpp"
#include "report/show/processes.hpp"
#include "report/summary/held_awaits.hpp"
#include "report/summary/hints.hpp"
#include "report/summary/library_remarks.hpp"
#include "report/summary/made_code.hpp"
#include "report/summary/stuck.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::show {
namespace {

constexpr double kWorthASentence = 0.03;        // of the wall time
constexpr std::int64_t kWorthWords = 8 << 20;   // bytes at the peak
constexpr std::int64_t kMuchMemory = 16 << 20;  // bytes at the peak
constexpr double kMostOfIt = 0.5;               // of all CPU time, of all memory
constexpr double kNearlyAll = 0.9;              // the same
constexpr double kLittle = 0.03;                // the same
constexpr double kAlways = 0.4;                 // of all CPU time
constexpr double kOftenMissed = 0.3;            // of all CPU time, in a function that keeps its results
constexpr double kComputes = 0.1;               // of the wall time, in CPU time
constexpr double kMainlyThis = 0.6;             // of a line's time, in what is known to have other ways

findings::Place place_of(const Subject& subject, const fold::OwnLine& row) {
  const symbols::Function& function = subject.symbols.function(row.function);
  return {row.file, row.line, function.short_name.empty() ? function.name : function.short_name};
}

// Blocks of malloc and objects of Python each have a peak; what is said of both together must not be more than there
// ever was. What a process had when it was killed, nobody saw.
std::int64_t highest_rss(const Subject& subject) {
  std::int64_t all = 0;
  for (const model::Process& process : subject.run.processes) {
    if (!subject.selection.includes(process)) continue;
    if (!process.peak_rss_bytes || !model::seen_to_its_end(process)) return INT64_MAX;
    all = model::saturated_sum(all, model::to_signed(*process.peak_rss_bytes));
  }
  return all;
}

// Said beside findings about time, too.
bool is_most_memory(const Subject& subject, std::int64_t peak) {
  const std::int64_t all = highest_rss(subject);
  return peak >= kMuchMemory && all != INT64_MAX && static_cast<double>(peak) >= kMostOfIt * static_cast<double>(all);
}

std::string hint_of(const Subject& subject, const fold::OwnLine& row) {
  if (row.spent.empty() || static_cast<double>(row.spent.front().amount) < kMainlyThis * static_cast<double>(row.ns()))
    return {};
  symbols::SourceFiles files(subject.run);
  const bool python = subject.symbols.function(row.function).language == symbols::Language::Python;
  std::string source = files.line(row.file, row.line);
  if (row.spent.front().name == "SQLite")
    source += findings::statement_at(files, {row.file, static_cast<std::int64_t>(row.line), {}});
  const std::string_view hint = hint_for(row.spent.front().name, source, python);
  return hint.empty() ? std::string() : fmt::format(" What may help: {}.", hint);
}

// What a function takes whose results are kept, it takes where they were not.
std::string cache_text(const Subject& subject, const fold::OwnLines& own, const fold::OwnLine& row) {
  const symbols::Function& function = subject.symbols.function(row.function);
  if (function.language != symbols::Language::Python) return {};
  symbols::SourceFiles files(subject.run);
  // Its first line is that of its first decorator.
  if (findings::cache_among_decorators(files.file(row.file).lines, function.line) == 0) return {};
  std::int64_t ns = 0;
  for (const fold::OwnLine& other : own.rows) {
    if (other.function == row.function) ns = model::saturated_sum(ns, other.cpu.ns);
  }
  if (static_cast<double>(ns) < kOftenMissed * static_cast<double>(own.cpu_ns)) return {};
  return fmt::format(
      " {} keeps its results, and {} is what it took where it had none: keys that never come again (with a time, a new "
      "object, a number that is rounded) make a cache useless; cache_info() counts them.",
      function.short_name.empty() ? function.name : function.short_name, duration(static_cast<double>(ns)));
}

// What is left at the end of a program of Python was not freed although the interpreter freed its objects; what is not
// left tells nothing.
std::string left_text(const Subject& subject, std::int64_t peak, std::int64_t left) {
  const bool much = left >= kWorthWords && left > peak / 2;
  if (any_python(subject) && !much)
    return "; it was freed by the end, which Python does anyway. See --view own --sort peak.";
  return fmt::format(", {} of it not freed at the end.{}", bytes(static_cast<double>(left)),
                     much ? " See --view heap --sort live." : "");
}

template <typename Value>
const fold::OwnLine* most(const fold::OwnLines& own, Value value) {
  const fold::OwnLine* found = nullptr;
  for (const fold::OwnLine& row : own.rows) {
    if (row.own && value(row) > 0 && (found == nullptr || value(row) > value(*found))) found = &row;
  }
  return found;
}

// The call that it is part of: what is wrong is as often that a line is called at all. Below the line that has nearly
// everything stands everything.
std::string caller_text(const Subject& subject, const ViewOptions& options, const fold::CallTree& lines,
                        const fold::OwnLines& own, const fold::OwnLine& row) {
  const std::optional<fold::MainCaller> caller = fold::main_caller(lines, row);
  if (!caller || static_cast<double>(caller->cumulative_ns) > kNearlyAll * static_cast<double>(own.cpu_ns)) return {};
  const symbols::Location& at = subject.symbols.location(caller->location);
  const symbols::Function& function = subject.symbols.function(at.function);
  fold::OwnLine line;
  line.function = at.function;
  line.file = at.file.empty() ? function.file : at.file;
  line.line = at.line == 0 ? function.line : at.line;
  return fmt::format(" It is called from {}, which takes {} with all that it calls.", own_place(subject, line, options),
                     duration(static_cast<double>(caller->cumulative_ns)));
}

// Whether more of the CPU time stands below no line of the user's own.
bool others_more(const fold::OwnLines& own, const fold::OwnLine& row) {
  return std::any_of(own.rows.begin(), own.rows.end(),
                     [&](const fold::OwnLine& other) { return !other.own && other.cpu.ns > row.cpu.ns; });
}

// V8's compiler builds functions into others, whose time is then theirs.
const char* built_in_text(const Subject& subject, const fold::OwnLine& row) {
  const symbols::Function& function = subject.symbols.function(row.function);
  return function.module == symbols::kMadeAtRunTime && function.listed()
             ? " Functions that V8 built into it are in that."
             : "";
}

Remark of_cpu(const Subject& subject, const ViewOptions& options, const fold::CallTree& lines,
              const fold::OwnLines& own, const fold::OwnLine& row, bool imports_more) {
  const double share = static_cast<double>(row.cpu.ns) / static_cast<double>(std::max<std::int64_t>(1, own.cpu_ns));
  Remark out;
  out.place = place_of(subject, row);
  out.always = share >= kAlways;
  out.share = share;
  const char* const what = subject.symbols.function(row.function).listed() ? "function" : "line";
  out.text =
      fmt::format("{}: {}, {} ({} % of CPU time)",
                  share >= kMostOfIt      ? fmt::format("One {} has most of the CPU time", what)
                  : imports_more          ? "Most CPU time but for imports"
                  : others_more(own, row) ? "Of your own code most CPU time"
                                          : "Most CPU time",
                  own_place(subject, row, options), duration(static_cast<double>(row.cpu.ns)), percent(share, 1));
  if (const std::string in = computed_text(row); !in.empty()) out.text += ", in: " + in;
  out.text += '.';
  out.text += built_in_text(subject, row);
  out.text += caller_text(subject, options, lines, own, row) + cache_text(subject, own, row) + hint_of(subject, row);
  return out;
}

}  // namespace

std::vector<Remark> remarks(const Subject& subject, const ViewOptions& options, const fold::CallTree& lines,
                            const fold::OwnLines& own) {
  std::vector<Remark> out;
  if (std::string stuck = stuck_text(subject); !stuck.empty())
    out.push_back({.text = std::move(stuck), .place = {}, .always = true});
  if (too_few_samples(subject))
    out.push_back(
        {.text = fmt::format("The run was too short to be sampled: {} of CPU time tell next to nothing of where it "
                             "went.",
                             cpu_samples(subject).count),
         .place = {},
         .always = true});
  if (const auto again = named_again(subject, lines))
    out.push_back(
        {.text = fmt::format("{} % of CPU time has no names, so that nothing is known of its lines. Record it "
                             "again: {}",
                             percent(again->share, 1), again->command),
         .place = {},
         .always = true,
         .share = again->share});
  for (Remark& one : library_remarks(lines, own.cpu_ns)) out.push_back(std::move(one));
  const auto wall = static_cast<double>(subject.run.wall_ns);
  // A program that waits for nearly all of its life is not explained by what it computes.
  const bool computes = static_cast<double>(own.cpu_ns) >= kComputes * wall;
  // What a program with steps imports is not what they are slow by.
  const bool steps = std::any_of(subject.run.processes.begin(), subject.run.processes.end(),
                                 [](const model::Process& process) { return !process.steps.records.empty(); });
  const fold::OwnLine* cpu =
      most(own, [steps](const fold::OwnLine& r) { return steps && mainly_imports(r) ? 0 : r.cpu.ns; });
  const fold::OwnLine* row = most(own, [](const fold::OwnLine& r) { return r.cpu.ns; });
  const fold::OwnLine* const longest = most(own, [](const fold::OwnLine& r) { return r.blocked_ns; });
  // Of a script that has others do the work, and of a program whose libraries' threads do.
  const bool is_little = cpu != nullptr && static_cast<double>(cpu->cpu.ns) < kLittle * static_cast<double>(own.cpu_ns);
  if (cpu != nullptr && computes && !(is_little && longest != nullptr))
    out.push_back(of_cpu(subject, options, lines, own, *cpu, row->cpu.ns > cpu->cpu.ns));
  row = longest;
  if (row != nullptr && static_cast<double>(row->blocked_ns) >= kWorthASentence * wall) {
    const auto part = std::find_if(row->spent.begin(), row->spent.end(),
                                   [](const fold::Part& p) { return p.name.starts_with(fold::kWaiting); });
    const std::string what = part == row->spent.end() ? "" : part->name.substr(fold::kWaiting.size());
    out.push_back(
        {fmt::format("Longest waiting: {}, {} in all{}{}.", own_place(subject, *row, options),
                     duration(static_cast<double>(row->blocked_ns)), what == "child" ? ", for other processes" : "",
                     static_cast<double>(row->blocked_ns) > wall ? ", of all threads together" : "") +
             (what == "poll" ? held_await_text(subject, lines.own()) : std::string()),
         place_of(subject, *row)});
  }
  // What is imported is held to the end by nearly every program.
  row = most(own, [](const fold::OwnLine& r) { return holds_imports(r) ? 0 : r.memory.peak_bytes; });
  // More than was ever there is room that nobody wrote to: then it is not known who has most of what there was.
  if (row != nullptr && row->memory.peak_bytes >= kWorthWords && row->memory.peak_bytes <= highest_rss(subject)) {
    const std::int64_t peak = row->memory.peak_bytes, left = std::min(row->memory.live_bytes(), peak);
    symbols::SourceFiles files(subject.run);
    const bool reserved = files.line(row->file, row->line).find(".reserve(") != std::string::npos;
    out.push_back({fmt::format("Most memory: {}, {} at the peak{}{}", own_place(subject, *row, options),
                               bytes(static_cast<double>(peak)), left_text(subject, peak, left),
                               reserved ? " It is room that reserve() asks for, whether it is used or not." : ""),
                   place_of(subject, *row), is_most_memory(subject, peak)});
  }
  return out;
}

}  // namespace prof::show
