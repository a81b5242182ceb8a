// A function of the program's own is interpreted for much of the time.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/handed_on.hpp"
#include "report/findings/rules/shared/hot_function.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace python_loop {
namespace {

// Processes that have a good part of the function's CPU time each.
std::int64_t processes_in(const Evidence& evidence, InterpretedFunctions& functions, std::uint32_t function) {
  std::vector<std::int64_t> sums;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < evidence.run().processes.size(); ++i) {
    std::int64_t& sum = sums.emplace_back();
    if (!evidence.selection().includes(evidence.run().processes[i])) continue;
    for (const auto& row : evidence.run().processes[i].tree.cpu) {
      const std::uint32_t node = evidence.lines().node_of(i, row.node);
      if (node == fold::CallTree::kNoNode) continue;
      const std::uint32_t line = functions.line_of(node);
      if (line != 0 && evidence.lines().function_id(line) == function) sum = model::saturated_sum(sum, row.metric.ns);
    }
    all = model::saturated_sum(all, sum);
  }
  return std::count_if(sums.begin(), sums.end(), [&](std::int64_t sum) {
    return static_cast<double>(sum) >= kPartOfALoop * static_cast<double>(all);
  });
}

std::size_t indent_of(std::string_view text) { return std::min(text.find_first_not_of(' '), text.size()); }

// Whether the code calls a function of that name: by itself or as a method of the same object, not as one of another.
bool calls(std::string_view code, std::string_view name) {
  for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
    if (at + name.size() >= code.size() || code[at + name.size()] != '(') continue;
    const std::string_view before = code.substr(0, at);
    if (before.empty() || before.ends_with("self.") || (before.back() != '.' && !in_name(before.back()))) return true;
  }
  return false;
}

// Whether the function is a search: it takes the next of a heap, or calls itself from a loop. What it does next depends
// on what it has just found, so that neither whole arrays nor functions written in C take its place.
bool searches(const Evidence& evidence, std::uint32_t id) {
  const symbols::Function& function = evidence.symbols().function(id);
  symbols::SourceFiles& files = evidence.sources();
  const symbols::SourceFile& file = files.file(function.file);
  if (!file.readable || function.line == 0 || function.line > file.lines.size()) return false;
  const std::string_view name = last_part(function.name);
  const bool module = name == "<module>";
  const std::size_t last =
      module ? file.lines.size() : symbols::last_line_of_function(file.lines, function.line, function.line);
  constexpr std::size_t kNoLoop = std::string_view::npos;
  std::size_t loop = kNoLoop;   // how far the loop is indented that the line is in
  std::size_t other = kNoLoop;  // the same of a function of the module, whose lines are its own
  for (std::uint32_t line = function.line; line <= last && line <= file.lines.size(); ++line) {
    const std::string_view text = file.lines[line - 1];
    const std::size_t indent = indent_of(text);
    const std::string_view code = text.substr(indent, text.find('#') - indent);
    if (indent <= other && !trimmed(code).empty()) other = kNoLoop;
    if (other != kNoLoop) continue;
    if (code.starts_with("def ") || code.starts_with("async def ")) {
      if (module) other = indent;
      continue;
    }
    if (code.empty()) continue;
    if (code.find("heappop(") != std::string_view::npos) return true;
    if (indent <= loop) loop = kNoLoop;
    if (loop != kNoLoop && calls(code, name)) return true;
    if (loop == kNoLoop && (code.starts_with("for ") || code.starts_with("while "))) loop = indent;
  }
  return false;
}

// Whether functools keeps what the function gives: its code then runs for what the cache did not have.
bool is_cached(const Evidence& evidence, std::uint32_t id) {
  const symbols::Function& function = evidence.symbols().function(id);
  symbols::SourceFiles& files = evidence.sources();
  const symbols::SourceFile& file = files.file(function.file);
  if (!file.readable || function.line == 0) return false;
  // The code of a decorated function begins with its first decorator.
  for (std::size_t line = function.line; line <= file.lines.size(); ++line) {
    const std::string_view text = file.lines[line - 1];
    const std::string_view code = text.substr(indent_of(text));
    if (!code.starts_with("@")) return false;
    if (code.starts_with("@lru_cache") || code.starts_with("@cache") || code.starts_with("@functools.lru_cache") ||
        code.starts_with("@functools.cache"))
      return true;
  }
  return false;
}

// Puts the lines of the loop before those of what it calls, three in all.
void put_first(std::vector<Place>& places, const std::vector<Place>& loop) {
  std::vector<Place> all = loop;
  for (Place& place : places) {
    if (std::find(all.begin(), all.end(), place) == all.end()) all.push_back(std::move(place));
  }
  if (all.size() > 3) all.resize(3);
  places = std::move(all);
}

// Nodes at and below the function.
std::vector<bool> inside(const Evidence& evidence, std::uint32_t function) {
  std::vector<bool> out(evidence.lines().nodes().size());
  for (const std::uint32_t node : evidence.timed())
    out[node] = out[evidence.lines().nodes()[node].parent] || evidence.lines().function_id(node) == function;
  return out;
}

std::vector<Finding> look_for(const Evidence& evidence, bool with_small) {
  InterpretedFunctions functions(evidence, with_small);
  const std::uint32_t function = functions.hottest();
  if (function == InterpretedFunctions::kNone || searches(evidence, function)) return {};
  const bool cached = is_cached(evidence, function);
  // A call that a cache answers computes nothing, in C neither.
  const std::vector<bool> all_of_it = cached ? inside(evidence, function) : std::vector<bool>();
  TimeByPlace lines(evidence);
  CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    if (cached) return static_cast<bool>(all_of_it[node]);
    const std::uint32_t line = functions.line_of(node);
    if (line == 0 || evidence.lines().function_id(line) != function) return false;
    if (with_small) lines.add(line, evidence.lines().self().cpu[node].ns);
    return true;
  });
  if (cpu.share() < kInterpreted || cpu.ns < kLeastInterpretedNs || cpu.places.empty()) return {};
  if (processes_in(evidence, functions, function) > 1) return {};  // who shares a loop out over processes knows of it
  symbols::SourceFiles& files = evidence.sources();
  const Place& hottest = cpu.places.front();
  if (!cached && hottest.line > 0 &&
      hands_values_on(files.file(hottest.file).lines, static_cast<std::size_t>(hottest.line)))
    return {};
  if (with_small && !cached) put_first(cpu.places, lines.top());
  Finding finding;
  finding.rule = kPythonLoopRule.name;
  finding.title = "Python interprets a hot loop";
  finding.seen = fmt::format("The interpreter at work in {} takes {} of CPU time{}, {} % of all.",
                             cpu.places.front().function, show::duration(static_cast<double>(cpu.ns)),
                             stretched_words(evidence, cpu.ns), show::percent(cpu.share(), 1));
  finding.advice =
      "Do less in the loop: move what does not change out of it, use a dict or a set in place of a search, functions "
      "written in C (sum, sorted, str.join), whole arrays (numpy); or compile it (numba, Cython, mypyc).";
  if (cached) {
    finding.title = "Calls that a cache has no answer for take much of the time";
    finding.seen = fmt::format("{} is kept by functools; computing what was not at hand took {}.",
                               cpu.places.front().function, cpu_words(evidence, cpu));
    finding.advice =
        fmt::format(
            "See {}.cache_info(): where hits are few, leave out arguments that do not change the result, or let "
            "the cache hold more (maxsize=None). ",
            last_part(evidence.symbols().function(function).name)) +
        finding.advice;
  }
  finding.places = cpu.places;
  finding.general = true;
  could_save(finding, evidence, cpu);
  return {finding};
}

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<Finding> found = look_for(evidence, false);
  return found.empty() ? look_for(evidence, true) : found;
}

}  // namespace
}  // namespace python_loop

const Rule kPythonLoopRule{"python-loop", "hot loops of Python", no_python_frames, python_loop::look};

}  // namespace prof::findings
