// A program, or each of its processes, spends its time on importing modules.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "report/findings/keeper_python.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/fold/python/imports.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace imports {
namespace {

// What a program's processes imported on their own, not what those imports imported.
struct Imported {
  std::size_t process = 0;
  std::int64_t ns = 0, wall_ns = 0;
  std::vector<const model::Import*> slowest;  // by time
};

std::vector<Imported> imported(const Evidence& evidence) {
  std::map<std::size_t, Imported> by_process;
  for (const fold::ImportRow& row : fold::imports(evidence.run(), evidence.selection())) {
    const model::Process& process = evidence.run().processes[row.process];
    const model::Thread* thread = program_thread(evidence, row.process);
    if (row.depth != 0 || thread == nullptr || row.import->slot != thread->slot) continue;
    Imported& to = by_process[row.process];
    to.process = row.process;
    to.wall_ns = model::to_signed(process.wall_ns());
    to.ns = model::saturated_sum(to.ns, model::to_signed(row.import->total_ns));
    to.slowest.push_back(row.import);
  }
  std::vector<Imported> out;
  for (auto& [process, row] : by_process) {
    row.ns = std::min(row.ns, row.wall_ns);
    std::stable_sort(row.slowest.begin(), row.slowest.end(),
                     [](const model::Import* a, const model::Import* b) { return a->total_ns > b->total_ns; });
    out.push_back(std::move(row));
  }
  return out;
}

std::string names_of(const Imported& row) {
  std::string out;
  constexpr std::size_t kMost = 3;
  for (std::size_t i = 0; i < row.slowest.size() && i < kMost; ++i) {
    const auto ns = static_cast<double>(row.slowest[i]->total_ns);
    if (i > 0 && ns < 0.1 * static_cast<double>(row.slowest[0]->total_ns)) break;
    out += fmt::format("{}{} {}", i > 0 ? ", " : "", row.slowest[i]->name, show::duration(ns));
  }
  return out;
}

// When the imports were made that took most of the time.
std::vector<Span> spans_of(const Imported& row) {
  std::vector<Span> out;
  double told = 0;
  for (const model::Import* one : row.slowest) {
    if (told >= kMostOfTheTime * real(row.ns)) break;
    out.push_back({row.process, one->start_monotonic_ns, model::saturated_sum(one->start_monotonic_ns, one->total_ns)});
    told += static_cast<double>(one->total_ns);
  }
  return out;
}

// Of the time in imports of the program's thread, that in which it waited, and for what most.
struct Waited {
  std::int64_t ns = 0;
  std::string what;
};
Waited waited_in_imports(const Evidence& evidence, std::size_t process) {
  const model::Thread* thread = program_thread(evidence, process);
  const std::vector<bool>& imports = evidence.imports(process);
  std::map<log::WaitClass, std::int64_t> by_class;
  Waited out;
  for (const StackTime& time : stack_times(evidence.run().processes[process], thread->slot)) {
    if (!imports[time.node] || !time.waits || time.blocked_ns <= 0) continue;
    out.ns = model::saturated_sum(out.ns, time.blocked_ns);
    std::int64_t& sum = by_class[*time.waits];
    sum = model::saturated_sum(sum, time.blocked_ns);
  }
  std::int64_t most = 0;
  for (const auto& [what, ns] : by_class) {
    if (ns > most) out.what = log::kWaitClassNames[static_cast<std::size_t>(what)];
    most = std::max(most, ns);
  }
  return out;
}

// Lines of the program's own that import, by the time of what they import.
std::vector<Place> importing_lines(const Evidence& evidence, std::size_t process) {
  const model::Thread* thread = program_thread(evidence, process);
  const std::vector<bool>& imports = evidence.imports(process);
  const model::Process& of = evidence.run().processes[process];
  TimeByPlace sums(evidence);
  for (const StackTime& time : stack_times(of, thread->slot)) {
    if (!imports[time.node]) continue;
    // What stands above the outermost import has asked for it.
    std::uint32_t above = time.node;
    while (above != 0 && imports[above]) above = of.tree.nodes[above].parent;
    if (above != 0) sums.add(process, above, time.ns());
  }
  return sums.top();
}

// By node of the process's tree: whether own code is at work inside of the innermost import.
std::vector<bool> own_in_imports(const Evidence& evidence, std::size_t process) {
  const model::Tree& tree = evidence.run().processes[process].tree;
  const symbols::Symbols& symbols = evidence.symbols();
  std::vector<bool> inside(tree.nodes.size()), out(tree.nodes.size());
  for (std::size_t i = 1; i < out.size(); ++i) {
    bool imports = false, own = false;
    for (const std::uint32_t location : symbols.locations(process, tree.nodes[i].frame)) {
      const std::uint32_t function = symbols.location(location).function;
      imports |= symbols::is_import_system(symbols.function(function));
      own |= evidence.own().function(function);
    }
    inside[i] = imports || inside[tree.nodes[i].parent];
    out[i] = !imports && (out[tree.nodes[i].parent] || (own && inside[i]));
  }
  return out;
}

// What modules of the user's own do while they are imported by other code of the user's: tables are built, files read,
// servers asked.
struct OwnModules {
  std::int64_t ns = 0;  // with the waiting for a processor
  std::vector<Place> importers, lines;
};
OwnModules own_modules(const Evidence& evidence, const ThreadOf& thread) {
  OwnModules out;
  TimeByPlace importers(evidence), lines(evidence);
  const model::Process& of = evidence.run().processes[thread.process];
  const std::vector<bool>& imports = evidence.imports(thread.process);
  const double queue = queue_factor(evidence, thread);
  const std::vector<bool> at_work = own_in_imports(evidence, thread.process);
  for (const StackTime& time : stack_times(of, thread.slot)) {
    if (!at_work[time.node]) continue;
    std::uint32_t above = time.node;
    while (above != 0 && at_work[above]) above = of.tree.nodes[above].parent;
    while (above != 0 && imports[above] && !at_work[above]) above = of.tree.nodes[above].parent;
    if (above == 0) continue;
    const auto ns = model::saturated_sum(whole_number(queue * real(time.cpu_ns)), time.blocked_ns);
    out.ns = model::saturated_sum(out.ns, ns);
    importers.add(thread.process, above, ns);
    lines.add(thread.process, time.node, ns);
  }
  out.importers = importers.top();
  out.lines = lines.top();
  return out;
}

std::optional<Finding> of_own_modules(const Evidence& evidence, const ThreadOf& thread, double wall,
                                      const std::vector<Imported>& imported) {
  OwnModules found = own_modules(evidence, thread);
  if (found.ns < kLeastImportsNs || real(found.ns) < kActivity * wall || found.importers.empty()) return std::nullopt;
  Finding finding;
  finding.rule = kImportsRule.name;
  finding.title = "A module of the program is at work while it is imported";
  finding.seen = fmt::format("{} ({} % of the run) went by in code of your own modules at the time of their import.",
                             show::duration(real(found.ns)), show::percent(real(found.ns), wall));
  finding.advice =
      "Do it where it is first needed (a function with functools.cache), keep the result in a file, or make it faster.";
  finding.places = {found.importers.front()};
  for (Place& line : found.lines) {
    if (std::find(finding.places.begin(), finding.places.end(), line) == finding.places.end())
      finding.places.push_back(std::move(line));
  }
  for (const Imported& row : imported) {
    if (row.process == thread.process) finding.when = spans_of(row);
  }
  could_save(finding, evidence, real(found.ns) / wall);
  return finding;
}

// A line that asks for new processes for each job, or for such that begin from nothing.
struct Asking {
  Place place;
  bool for_each_job = false;
};

// By the source of the files that import; nothing where there is none.
std::optional<Asking> asks_for_processes(const Evidence& evidence, const std::vector<Place>& importers) {
  constexpr std::string_view kAsks[] = {"maxtasksperchild=1",         "max_tasks_per_child=1",
                                        "get_context(\"spawn\"",      "get_context('spawn'",
                                        "set_start_method(\"spawn\"", "set_start_method('spawn'"};
  symbols::SourceFiles& files = evidence.sources();
  const auto was_seen = [&](const std::string& file, const std::string& function) {
    for (std::uint32_t id = 0; id < evidence.symbols().function_count(); ++id) {
      const symbols::Function& one = evidence.symbols().function(id);
      if (one.file == file && last_part(one.name) == function) return true;
    }
    return false;
  };
  for (const std::string_view ask : kAsks) {
    for (const Place& importer : importers) {
      const Lines& lines = files.file(importer.file).lines;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view code = code_of(lines[i], "#");
        const std::size_t at = code.find(ask);
        // 10 tasks are not one.
        if (at == std::string_view::npos || (at + ask.size() < code.size() && is_name(code[at + ask.size()]))) continue;
        if (!was_seen(importer.file, function_around(lines, i + 1))) continue;
        return Asking{{importer.file, static_cast<std::int64_t>(i + 1), function_around(lines, i + 1)},
                      contains(ask, "per")};
      }
    }
  }
  return std::nullopt;
}

// How many of the processes lived at once, at most.
std::int64_t most_at_once(const model::Run& run, const std::vector<std::size_t>& processes) {
  std::int64_t most = 0;
  for (const std::size_t at : processes) {
    const std::uint64_t moment = run.processes[at].start_monotonic_ns;
    most = std::max<std::int64_t>(most, std::count_if(processes.begin(), processes.end(), [&](std::size_t one) {
                                    return run.processes[one].start_monotonic_ns <= moment &&
                                           moment < run.processes[one].end_monotonic_ns;
                                  }));
  }
  return most;
}

const char* cannot(const Evidence& evidence) {
  // What is done once, before them, says nothing of a training that goes on.
  if (evidence.has_steps()) return "the run has steps, and imports are made once, however many there are";
  return imported(evidence).empty() ? "no imports of Python were recorded" : nullptr;
}

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<Finding> out;
  const std::vector<Imported> all = imported(evidence);
  const auto wall = real(model::to_signed(evidence.run().wall_ns));
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program || wall <= 0) return out;
  if (auto finding = of_own_modules(evidence, *program, wall, all)) out.push_back(std::move(*finding));
  // Children that import by themselves: forked ones have what their parent has.
  Imported children;
  std::vector<std::size_t> importers;
  for (const Imported& row : all) {
    if (row.process == program->process) {
      if (row.ns < kLeastImportsNs || real(row.ns) < kImports * wall) continue;
      // What a program needs it must load: short of seconds, only what waits can be had back.
      const Waited waited = waited_in_imports(evidence, row.process);
      // And how busy the machine was says nothing of the modules.
      const double own_ns = real(waited.ns) + real(row.ns - waited.ns) / queue_factor(evidence, *program);
      if (own_ns < real(kLongImportsNs) && waited.ns < kLeastImportsNs) continue;
      Finding finding;
      finding.rule = kImportsRule.name;
      finding.title = "Importing modules takes much of the run";
      finding.seen = fmt::format("Imports took {} of {} ({} %): {}.", show::duration(real(row.ns)),
                                 show::duration(wall), show::percent(real(row.ns), wall), names_of(row));
      if (real(waited.ns) >= kWaitsOfImports * real(row.ns)) {
        finding.seen += fmt::format(" {} of it went by in waiting ({}).", show::duration(real(waited.ns)), waited.what);
      }
      finding.advice =
          "Import where it is needed what not every run needs, import from the module that has it in place of a "
          "package "
          "that loads everything, and keep one process for many jobs; --view imports shows who imports what.";
      finding.places = importing_lines(evidence, row.process);
      finding.when = spans_of(row);
      finding.saves_ns = row.ns;
      finding.saves = std::min(1.0, real(row.ns) / wall);
      out.push_back(std::move(finding));
      continue;
    }
    if (row.ns < kLeastImportsNs || real(row.ns) < kImports * real(row.wall_ns)) continue;
    importers.push_back(row.process);
    children.ns = model::saturated_sum(children.ns, row.ns);
    children.wall_ns = model::saturated_sum(children.wall_ns, row.wall_ns);
    if (children.slowest.empty() || row.slowest.front()->total_ns > children.slowest.front()->total_ns) {
      children.slowest = row.slowest;
      children.process = row.process;
    }
  }
  const std::int64_t count = std::ssize(importers);
  if (count >= kManyImporters && real(children.ns) >= kImports * wall) {
    Finding finding;
    finding.rule = kImportsRule.name;
    finding.title = "Each child process imports the same again";
    finding.seen =
        fmt::format("{} processes spent {} of their {} on imports, in one of them: {}.", count,
                    show::duration(real(children.ns)), show::duration(real(children.wall_ns)), names_of(children));
    finding.advice =
        "Keep the processes (DataLoader: persistent_workers=True; a pool in place of a process for each job, and one "
        "without maxtasksperchild), start them by fork or forkserver, which share what is imported already, or import "
        "less in the file that they run.";
    finding.places = importing_lines(evidence, children.process);
    // As many as live at once each import what they need, but for those that could have it from their parent.
    double kept = real(most_at_once(evidence.run(), importers)) / real(count);
    if (std::optional<Asking> asks = asks_for_processes(evidence, finding.places)) {
      finding.places.insert(finding.places.begin(), std::move(asks->place));
      finding.places.resize(std::min<std::size_t>(finding.places.size(), 3));
      if (!asks->for_each_job) kept = 0;
    }
    const double at_once = std::max(1.0, real(children.wall_ns) / wall);
    finding.saves = std::min(1.0, (1 - kept) * real(children.ns) / at_once / wall);
    finding.saves_ns = whole_number(finding.saves * wall);
    if (finding.saves >= kImports) out.push_back(std::move(finding));
  }
  return out;
}

}  // namespace
}  // namespace imports

const Rule kImportsRule{"imports", "time in imports", imports::cannot, imports::look};

}  // namespace prof::findings
