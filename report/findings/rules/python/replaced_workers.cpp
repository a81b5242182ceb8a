// The workers of a pool are replaced after a few tasks each, and what makes a worker ready is done again by all of
// them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace replaced_workers {
namespace {

constexpr std::string_view kTasks = "maxtasksperchild=";

// The line of the program's own Python that makes such a pool: where there is one, and no other.
std::optional<Place> pool_line(const Evidence& evidence, symbols::SourceFiles& files) {
  std::set<std::string> names;
  for (std::uint32_t id = 0; id < evidence.symbols().function_count(); ++id) {
    const symbols::Function& function = evidence.symbols().function(id);
    if (function.language == symbols::Language::Python && evidence.own().function(id)) names.insert(function.file);
  }
  std::optional<Place> out;
  for (const std::string& name : names) {
    const Lines& lines = files.file(name).lines;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!contains(code_of(lines[i], "#"), kTasks)) continue;
      if (out) return std::nullopt;
      out = Place{name, static_cast<std::int64_t>(i + 1), {}};
    }
  }
  return out;
}

bool starts_worker(const symbols::Function& function) {
  static constexpr fold::FunctionAt kWorker[] = {{"/multiprocessing/pool.py", "worker"}};
  return fold::is_any(function, kWorker);
}

// By node of lines(): whether it is below the initializer, the one function of the program that a worker calls itself
// and that the line of the pool names. Tasks of map() and imap() are called by functions of the library's.
std::vector<bool> in_initializer(const Evidence& evidence, std::string_view line) {
  const fold::CallTree& lines = evidence.lines();
  std::vector<bool> out(lines.nodes().size());
  for (std::uint32_t node = 1; node < out.size(); ++node) {
    const std::uint32_t parent = lines.nodes()[node].parent;
    const symbols::Function& function = lines.function(node);
    const bool begins = parent != 0 && starts_worker(lines.function(parent)) &&
                        evidence.own().function(lines.function_id(node)) &&
                        find_word(line, last_part(function.name)) != std::string_view::npos;
    out[node] = out[parent] || begins;
  }
  return out;
}

struct Workers {
  std::int64_t all = 0, at_once = 0;
};

Workers workers_of(const Evidence& evidence, std::size_t program) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  const auto parent = all.find(evidence.run().processes[program].pid);
  Workers out;
  if (parent == all.end()) return out;
  for (const std::uint32_t pid : parent->second.children) {
    const Whole& one = all.at(pid);
    if (!one.python) continue;
    ++out.all;
    const auto beside =
        std::count_if(parent->second.children.begin(), parent->second.children.end(), [&](std::uint32_t other) {
          const Whole& its = all.at(other);
          return its.python && its.start_ns <= one.start_ns && one.start_ns < its.end_ns;
        });
    out.at_once = std::max(out.at_once, static_cast<std::int64_t>(beside));
  }
  return out;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  symbols::SourceFiles& files = evidence.sources();
  const std::optional<Place> line = program ? pool_line(evidence, files) : std::nullopt;
  if (!line) return {};
  // The program's process is the one that most others are children of, whoever computed most.
  std::size_t parent = program->process;
  for (std::size_t i = 0; i < evidence.run().processes.size(); ++i) {
    if (children_of(evidence, i) > children_of(evidence, parent)) parent = i;
  }
  const Workers workers = workers_of(evidence, parent);
  if (workers.at_once <= 0 || workers.all < 2 * workers.at_once) return {};
  const std::vector<bool> inside =
      in_initializer(evidence, files.line(line->file, static_cast<std::uint32_t>(line->line)));
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return inside[node]; });
  if (cpu.ns < kLeastActivityNs || cpu.places.empty()) return {};
  const double again = 1 - real(workers.at_once) / real(workers.all);
  // As many as work side by side do so at the same time.
  const double share = again * real(cpu.ns) * stretched(evidence) / real(workers.at_once) /
                       real(model::to_signed(evidence.run().wall_ns));
  if (share < kActivity) return {};
  Finding finding;
  finding.rule = kReplacedWorkersRule.name;
  finding.title = "Workers of a pool are replaced again and again, and each makes itself ready anew";
  finding.seen = fmt::format(
      "{} workers were started, {} at once. Their initializer took {} in all, {} % of it in workers that took the "
      "place "
      "of others.",
      show::grouped(workers.all), workers.at_once, show::duration(real(cpu.ns)), show::percent(again, 1));
  finding.advice =
      "Leave maxtasksperchild out, or let each worker do many more tasks; or make what they need before the pool, so "
      "that they have it from the fork.";
  finding.places = {*line};
  for (const Place& place : cpu.places) {
    if (finding.places.size() < 3) finding.places.push_back(place);
  }
  could_save_of_run(finding, evidence, std::min(1.0, share));
  return {finding};
}

}  // namespace
}  // namespace replaced_workers

const Rule kReplacedWorkersRule{"replaced-workers", "workers of a pool that are replaced", no_python_frames,
                                replaced_workers::look};

}  // namespace prof::findings
