// Functions of C that ctypes calls for each element: finding the function, converting its arguments and its result
// takes far longer than what a small function does.
#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"

namespace prof::findings {
namespace ctypes_calls {
namespace {

bool of_ctypes(const symbols::Function& function) {
  return function.language == symbols::Language::Native &&
         (contains(function.module, "/_ctypes.") || contains(function.module, "/libffi.so"));
}
// Without it nothing was called: fields of structures are ctypes' as well.
bool of_calls(const symbols::Function& function) { return contains(function.module, "/libffi.so"); }

struct OfLine {
  std::int64_t all_ns = 0, calling_ns = 0, jumping_ns = 0;
  bool called_back = false;
};

std::vector<Finding> look(const Evidence& evidence) {
  constexpr double kOfCalls = 0.02, kMostlyCalls = 0.4;
  const fold::CallTree& lines = evidence.lines();
  const std::vector<bool> calling = all_below(lines, of_ctypes);
  // What looks at arguments and results; what the function itself does is wanted, and what Python does below it is
  // somebody else's.
  const auto is_call = [&](std::uint32_t node) {
    const symbols::Function& function = lines.function(node);
    return calling[node] && (of_ctypes(function) || function.interpreter);
  };
  std::map<std::uint32_t, OfLine> by_line;  // by location
  for (const std::uint32_t node : evidence.timed()) {
    const std::int64_t ns = lines.self().cpu[node].ns;
    OfLine& line = by_line[evidence.own_location(node)];
    line.all_ns = model::saturated_sum(line.all_ns, ns);
    if (is_call(node)) line.calling_ns = model::saturated_sum(line.calling_ns, ns);
    if (of_calls(lines.function(node))) line.jumping_ns = model::saturated_sum(line.jumping_ns, ns);
    if (!calling[node] || lines.function(node).language != symbols::Language::Python) continue;
    by_line[evidence.own_location(node)].called_back = true;
    std::uint32_t above = node;
    while (above != 0 && calling[above]) above = lines.nodes()[above].parent;
    by_line[evidence.own_location(above)].called_back = true;
  }
  by_line.erase(0);
  const auto calls_often = [&](std::uint32_t location) {
    const auto found = by_line.find(location);
    return found != by_line.end() && !found->second.called_back &&
           real(found->second.calling_ns) >= kMuchOfALine * real(found->second.all_ns) &&
           real(found->second.jumping_ns) >= kOfCalls * real(found->second.calling_ns);
  };
  // A line that does hardly anything else is a loop of such calls as a whole, but for what they call.
  const auto is_called = [&](std::uint32_t node) {
    const symbols::Function& function = lines.function(node);
    // Of libc, what copies and searches; the rest is the interpreter's.
    const bool of_libc =
        contains(function.module, "/libc.so") && !contains(function.name, "mem") && !contains(function.name, "str");
    return calling[node] && !is_call(node) && !of_libc;
  };
  const auto is_of_loop = [&](std::uint32_t node) {
    const OfLine& line = by_line[evidence.own_location(node)];
    return is_call(node) || (real(line.calling_ns) >= kMostlyCalls * real(line.all_ns) && !is_called(node));
  };
  const CpuAt cpu = cpu_at(
      evidence, [&](std::uint32_t node) { return calls_often(evidence.own_location(node)) && is_of_loop(node); });
  if (cpu.share() < kActivity || !is_enough(cpu)) return {};
  Finding finding;
  finding.rule = kCtypesRule.name;
  finding.title = "ctypes calls a function of C for very little work at a time";
  finding.seen = cpu_words(evidence, cpu) + ", went by in the calls, and not in what they call.";
  finding.advice =
      "Give one call a whole array (a loop in C; numpy.ctypeslib, array.ctypes.data_as); declare argtypes and restype "
      "once; cffi, Cython or pybind11 call for a tenth of that.";
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace ctypes_calls

const Rule kCtypesRule{"ctypes-calls", "functions of C that ctypes calls for each element", no_python_frames,
                       ctypes_calls::look};

}  // namespace prof::findings
