// numpy is called again and again for a few numbers, so that most of the time is what each call costs.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace small_arrays {
namespace {

// Whether the time of the node itself is spent on making calls: the interpreter's work, its own or for numpy.
bool makes_calls(const symbols::Function& function) {
  return function.language == symbols::Language::Python || function.interpreter;
}

struct Sum {
  double all = 0, in_numpy = 0, calling = 0;
  double for_package = 0;    // in functions that a package calls again and again, as a fit does
  std::int64_t largest = 0;  // block of memory
};

// A function of Python's that is given one name: "max(smoothed)".
bool calls_on_name(std::string_view code) {
  static constexpr std::string_view kCalls[] = {"max(", "min(", "sum(", "any(", "all("};
  return std::any_of(std::begin(kCalls), std::end(kCalls), [code](std::string_view call) {
    for (std::size_t at = code.find(call); at != std::string_view::npos; at = code.find(call, at + 1)) {
      if (at > 0 && (is_name(code[at - 1]) || code[at - 1] == '.')) continue;
      const std::string_view given = code.substr(at + call.size());
      const std::size_t end = given.find_first_of("),( ");
      if (end != std::string_view::npos && end > 0 && given[end] == ')') return true;
    }
    return false;
  });
}

// Whether the line's source gives an array to such a function.
bool gives_array(const Evidence& evidence, symbols::SourceFiles& files, std::uint32_t location) {
  const symbols::Location& at = evidence.symbols().location(location);
  return calls_on_name(code_of(files.line(std::string(at.file), at.line), "#"));
}

// Whether the own function that the node is in was called by a function of Python's that is not own.
bool is_called_by_package(const Evidence& evidence, std::uint32_t node) {
  const fold::CallTree& lines = evidence.lines();
  while (node != 0 && !evidence.own().function(lines.function_id(node))) node = lines.nodes()[node].parent;
  if (node == 0) return false;
  do node = lines.nodes()[node].parent;
  while (node != 0 && lines.function(node).language != symbols::Language::Python);
  return node != 0 && !evidence.own().function(lines.function_id(node));
}

// By own line: there, whole arrays are worked on in numpy's own code and that of BLAS; next to nothing is the calls'.
std::vector<bool> lines_of(const Evidence& evidence) {
  const fold::CallTree& lines = evidence.lines();
  std::vector<Sum> sums(evidence.symbols().location_count());
  for (const std::uint32_t node : evidence.timed()) {
    const auto ns = static_cast<double>(lines.self().cpu[node].ns);
    Sum& sum = sums[evidence.own_location(node)];
    if (ns <= 0) continue;
    sum.all += ns;
    const std::string& doing = evidence.activity_name(node);
    if (doing == "numpy" || doing == fold::kReferenceBlas) sum.in_numpy += ns;
    if (makes_calls(lines.function(node))) sum.calling += ns;
    if (is_called_by_package(evidence, node)) sum.for_package += ns;
  }
  for (std::uint32_t node = 1; node < lines.nodes().size(); ++node) {
    std::int64_t& largest = sums[evidence.own_location(node)].largest;
    largest = std::max(largest, lines.self().heap[node].largest);
  }
  std::vector<bool> out(sums.size());
  symbols::SourceFiles& files = evidence.sources();
  for (std::size_t i = 1; i < out.size(); ++i) {
    if (sums[i].in_numpy < kInNumpy * sums[i].all || sums[i].calling < kCallsOfNumpy * sums[i].all) continue;
    // What a large array is made of may be Python's objects: many numbers, one call.
    if (sums[i].largest >= kLargeBlock) continue;
    // Whoever is asked for one curve after another cannot give numpy all of them.
    if (sums[i].largest >= kCurve && sums[i].for_package > sums[i].all / 2) continue;
    out[i] = sums[i].largest < kFewNumbers || gives_array(evidence, files, static_cast<std::uint32_t>(i));
  }
  return out;
}

bool of_python(const Evidence& evidence, std::uint32_t location) {
  const symbols::Function& function = evidence.symbols().function(evidence.symbols().location(location).function);
  return function.language == symbols::Language::Python;
}

// Whether the line gives an array to such a function: its source says so, and numpy gave out elements there.
bool goes_through(const Evidence& evidence, const Place& place) {
  symbols::SourceFiles& files = evidence.sources();
  const std::string line = files.line(place.file, static_cast<std::uint32_t>(std::max<std::int64_t>(0, place.line)));
  if (!calls_on_name(code_of(line, "#"))) return false;
  return std::any_of(evidence.timed().begin(), evidence.timed().end(), [&](std::uint32_t node) {
    const std::string_view name = evidence.lines().function(node).name;
    if (!name.starts_with("numpy.ndarray.sq_item") && !name.starts_with("array_item")) return false;
    return evidence.own_place(node) == place;
  });
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::vector<bool> lines = lines_of(evidence);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    const std::uint32_t location = evidence.own_location(node);
    return lines[location] && of_python(evidence, location);
  });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs || cpu.places.empty()) return {};
  Finding finding;
  finding.rule = kSmallArraysRule.name;
  finding.title = "numpy is called for a few numbers at a time";
  finding.seen = fmt::format("{}; much of it is what the calls cost, whatever their size.", cpu_words(evidence, cpu));
  finding.advice =
      "Give numpy whole arrays: one operation for all rows (broadcasting, x[:, None], axis=, masks, take) in place of "
      "a "
      "loop; plain Python or math for single numbers; or compile the loop (numba).";
  finding.places = cpu.places;
  if (goes_through(evidence, finding.places.front())) {
    finding.title = "Python goes through an array of numpy one number at a time";
    finding.seen = fmt::format("{}.", cpu_words(evidence, cpu));
    finding.advice =
        "Ask the array itself: x.max(), x.min(), x.sum(), x.any(), x.all(), which work in C. Python's own max(), "
        "min(), sum(), any() and all() make an object of each number.";
  }
  finding.general = true;  // of arrays of objects, for one, other rules say why
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace small_arrays

const Rule kSmallArraysRule{"small-arrays", "calls of numpy for a few numbers", no_python_frames, small_arrays::look};

}  // namespace prof::findings
