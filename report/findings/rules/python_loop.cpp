// A function of the program's own is interpreted for much of the time.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace {

// The own line that the interpreter works for: none where something else is at work.
std::uint32_t interpreted_line(const Evidence& evidence, std::uint32_t node) {
  const auto& nodes = evidence.lines().nodes();
  for (std::uint32_t at = node; at != 0; at = nodes[at].parent) {
    const symbols::Function& function = evidence.lines().function(at);
    if (function.language == symbols::Language::Python) {
      return evidence.own().function(evidence.lines().function_id(at)) ? at : 0;
    }
    if (!function.interpreter) return 0;
  }
  return 0;
}

constexpr std::uint32_t kNone = UINT32_MAX;

// Of the functions whose own bytecode takes a good part of their time, the one with most of it. Elsewhere it is one
// function of the interpreter that works: a sort, a search, a regular expression; where the interpreter is stripped
// nobody knows which.
std::uint32_t hottest(const Evidence& evidence) {
  const auto& nodes = evidence.lines().nodes();
  std::vector<std::int64_t> own(evidence.symbols().function_count()), all(own.size());
  for (const std::uint32_t node : evidence.timed()) {
    const std::uint32_t line = interpreted_line(evidence, node);
    if (line == 0) continue;
    const std::uint32_t function = evidence.lines().function_id(line);
    const std::int64_t ns = nodes[node].self.cpu.ns;
    all[function] = model::saturated_sum(all[function], ns);
    if (line == node) own[function] = model::saturated_sum(own[function], ns);
  }
  std::uint32_t out = kNone;
  for (std::uint32_t i = 0; i < own.size(); ++i) {
    if (all[i] <= 0 || static_cast<double>(own[i]) < kOfBytecode * static_cast<double>(all[i])) continue;
    if (out == kNone || all[i] > all[out]) out = i;
  }
  return out;
}

// Processes that have a good part of the function's CPU time each.
std::int64_t processes_in(const Evidence& evidence, std::uint32_t function) {
  std::vector<std::int64_t> sums;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < evidence.run().processes.size(); ++i) {
    std::int64_t& sum = sums.emplace_back();
    if (!evidence.selection().includes(evidence.run().processes[i])) continue;
    for (const auto& row : evidence.run().processes[i].tree.cpu) {
      const std::uint32_t node = evidence.lines().node_of(i, row.node);
      if (node == fold::CallTree::kNoNode) continue;
      const std::uint32_t line = interpreted_line(evidence, node);
      if (line != 0 && evidence.lines().function_id(line) == function) sum = model::saturated_sum(sum, row.metric.ns);
    }
    all = model::saturated_sum(all, sum);
  }
  return std::count_if(sums.begin(), sums.end(), [&](std::int64_t sum) {
    return static_cast<double>(sum) >= kPartOfALoop * static_cast<double>(all);
  });
}

// Whether the function is a search: it takes the next of a heap, or calls itself from a loop. What it does next depends
// on what it has just found, so that neither whole arrays nor functions written in C take its place.
bool searches(const Evidence& evidence, std::uint32_t id) {
  const symbols::Function& function = evidence.symbols().function(id);
  symbols::SourceFiles files(evidence.run());
  const symbols::SourceFile& file = files.file(function.file);
  if (!file.readable || function.line == 0 || function.line > file.lines.size()) return false;
  const std::string call = function.name.substr(function.name.rfind('.') + 1) + '(';
  const std::uint32_t last = symbols::last_line_of_function(file.lines, function.line, function.line);
  bool loops = false, calls_itself = false;
  for (std::uint32_t line = function.line; line <= last && line <= file.lines.size(); ++line) {
    const std::string_view text = file.lines[line - 1];
    if (text.find("heappop(") != std::string_view::npos) return true;
    const std::string_view code = text.substr(std::min(text.find_first_not_of(' '), text.size()));
    loops |= code.starts_with("for ") || code.starts_with("while ");
    calls_itself |= !code.starts_with("def ") && code.find(call) != std::string_view::npos;
  }
  return loops && calls_itself;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::uint32_t function = hottest(evidence);
  if (function == kNone || searches(evidence, function)) return {};
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    const std::uint32_t line = interpreted_line(evidence, node);
    return line != 0 && evidence.lines().function_id(line) == function;
  });
  if (cpu.share() < kInterpreted || cpu.ns < kLeastInterpretedNs || cpu.places.empty()) return {};
  if (processes_in(evidence, function) > 1) return {};  // who shares a loop out over processes knows of it
  Finding finding;
  finding.rule = kPythonLoopRule.name;
  finding.title = "Python interprets a hot loop";
  finding.seen = fmt::format("The interpreter at work in {} takes {} of CPU time{}, {} % of all.",
                             cpu.places.front().function, show::duration(static_cast<double>(cpu.ns)),
                             stretched_words(evidence, cpu.ns), show::percent(cpu.share(), 1));
  finding.advice =
      "Do less in the loop: move what does not change out of it, use a dict or a set in place of a search, functions "
      "written in C (sum, sorted, str.join), whole arrays (numpy); or compile it (numba, Cython, mypyc).";
  finding.places = cpu.places;
  finding.general = true;
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace

const Rule kPythonLoopRule{"python-loop", "hot loops of Python", no_python_frames, look};

}  // namespace prof::findings
