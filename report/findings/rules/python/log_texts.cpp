// Text is made for messages of a log that nobody writes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/statement_lines.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace log_texts {
namespace {

// Whether the code calls a logger at a level that is mostly off, with text that is made before the call; `alone`: and
// does nothing else.
bool makes_text(std::string_view code, bool alone) {
  constexpr std::array<std::string_view, 3> kCalls = {".debug(", ".info(", ".trace("};
  for (const std::string_view call : kCalls) {
    const std::size_t at = code.find(call);
    if (at == std::string_view::npos) continue;
    std::string receiver(code.substr(0, at));
    receiver =
        receiver.substr(receiver.find_last_of(" \t.(;") == std::string::npos ? 0 : receiver.find_last_of(" \t.(;") + 1);
    std::transform(receiver.begin(), receiver.end(), receiver.begin(), [](unsigned char c) { return std::tolower(c); });
    if (receiver.find("log") == std::string::npos) continue;
    if (alone && trimmed(code.substr(0, at)).find_first_of(" (,=") != std::string_view::npos) continue;
    const std::string_view arguments = trimmed(code.substr(at + call.size()));
    const bool formatted = arguments.starts_with("f\"") || arguments.starts_with("f'") ||
                           arguments.find("\" %") != std::string_view::npos ||
                           arguments.find("' %") != std::string_view::npos;
    return formatted || arguments.find('(') != std::string_view::npos;
  }
  return false;
}

bool writes(const symbols::Function& function) {
  static constexpr fold::FunctionAt kWriting[] = {
      {"/logging/__init__.py", "_log"}, {"/logging/__init__.py", "handle"}, {"/logging/__init__.py", "callHandlers"}};
  return fold::is_any(function, kWriting);
}

std::vector<Finding> look(const Evidence& evidence) {
  const fold::CallTree& lines = evidence.lines();
  symbols::SourceFiles& files = evidence.sources();
  std::map<std::uint32_t, bool> makes;   // by location
  std::map<std::string, Lines> sources;  // by file
  const auto is_such = [&](std::uint32_t node) {
    const symbols::Function& function = lines.function(node);
    if (function.language != symbols::Language::Python || !evidence.own().function(lines.function_id(node)))
      return false;
    const std::uint32_t location = lines.nodes()[node].location;
    const auto [found, is_new] = makes.try_emplace(location, false);
    if (is_new) {
      const Place place = place_of(evidence.symbols(), location);
      const auto number = static_cast<std::size_t>(place.line);
      const auto [source, is_first] = sources.try_emplace(place.file);
      if (is_first) source->second = without_docstrings(files.file(place.file).lines);
      // Of several lines, a statement that is the call: what stands beside it on other lines is no text of its.
      if (number > 0 && number <= source->second.size())
        found->second = makes_text(code_of(source->second[number - 1], "#"), false) ||
                        makes_text(statement_around(source->second, number), true);
    }
    return found->second;
  };
  // By node, that of the outermost such line on the way to it.
  std::vector<std::uint32_t> line(lines.nodes().size());
  std::vector<bool> written(line.size());
  for (const std::uint32_t node : evidence.timed()) {
    const std::uint32_t parent = lines.nodes()[node].parent;
    line[node] = line[parent] != 0 ? line[parent] : is_such(node) ? node : 0;
    written[node] = line[node] != 0 && (written[parent] || writes(lines.function(node)));
  }
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return line[node] != 0; });
  const CpuAt of_writing = cpu_at(evidence, [&](std::uint32_t node) { return written[node]; });
  // Where the messages are written, their text is wanted.
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs || of_writing.ns > cpu.ns / 10) return {};
  TimeByPlace sums(evidence);
  for (const std::uint32_t node : evidence.timed()) {
    if (line[node] == 0) continue;
    sums.add(place_of(evidence.symbols(), lines.nodes()[line[node]].location), lines.self().cpu[node].ns);
  }
  Finding finding;
  finding.rule = kLogTextsRule.name;
  finding.title = "Text is made for log messages that are not written";
  finding.seen = fmt::format("{}, went by in arguments of such calls.", cpu_words(evidence, cpu));
  finding.advice =
      "Let the logger make the text, if it is wanted: log.debug(\"state %s\", state) in place of an f-string; ask "
      "log.isEnabledFor(logging.DEBUG) before what is costly.";
  finding.places = sums.top();
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace log_texts

const Rule kLogTextsRule{"log-texts", "text for log messages that are not written", no_python_frames, log_texts::look};

}  // namespace prof::findings
