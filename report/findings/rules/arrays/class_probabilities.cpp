// A support vector machine that is fitted five times more, to have probabilities of its classes.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/keeper_python.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace class_probabilities {
namespace {

// By node: whether it belongs to a cross-validation of libsvm's. The function that does one has no name in most builds;
// what it calls within svm_train() has: svm_train() once more, and the prediction of the part that was left out.
std::vector<bool> validating(const Evidence& evidence) {
  const fold::CallTree& lines = evidence.lines();
  std::vector<bool> training(lines.nodes().size()), out(lines.nodes().size());
  for (std::uint32_t node = 1; node < out.size(); ++node) {
    const std::uint32_t parent = lines.nodes()[node].parent;
    const symbols::Function& function = lines.function(node);
    const bool native = function.language == symbols::Language::Native;
    const bool trains = native && function.name == "svm_train";
    training[node] = training[parent] || trains;
    out[node] = out[parent] || (training[parent] && (trains || (native && function.name == "svm_predict_values")));
  }
  return out;
}

// The line that asks for them, where the file of the call has one such line and no other.
void name_asking_line(const Evidence& evidence, Finding& finding) {
  if (finding.places.empty() || !finding.places.front().file.ends_with(".py")) return;
  symbols::SourceFiles& files = evidence.sources();
  const std::string& file = finding.places.front().file;
  const Lines& lines = files.file(file).lines;
  const auto asks = [](const std::string& line) { return contains(code_of(line, "#"), "probability=True"); };
  if (std::count_if(lines.begin(), lines.end(), asks) != 1) return;
  const auto number = static_cast<std::size_t>(std::find_if(lines.begin(), lines.end(), asks) - lines.begin()) + 1;
  Place asking{file, static_cast<std::int64_t>(number), function_around(lines, number)};
  std::erase_if(finding.places, [&](const Place& place) { return place.file == file && place.line == asking.line; });
  finding.places.insert(finding.places.begin() + std::min<std::ptrdiff_t>(1, std::ssize(finding.places)),
                        std::move(asking));
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::vector<bool> nodes = validating(evidence);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return nodes[node]; });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kClassProbabilitiesRule.name;
  finding.title = "A support vector machine is fitted five times more, to have probabilities";
  finding.seen = fmt::format("{}, went by in the cross-validation behind them.", cpu_words(evidence, cpu));
  finding.advice =
      "Leave out probability=True where predict() or decision_function() will do; CalibratedClassifierCV with few "
      "folds "
      "where probabilities are needed.";
  finding.places = cpu.places;
  name_asking_line(evidence, finding);
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace class_probabilities

const Rule kClassProbabilitiesRule{"class-probabilities", "probabilities of a support vector machine", no_python_frames,
                                   class_probabilities::look};

}  // namespace prof::findings
