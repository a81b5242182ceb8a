#include "report/findings/rules/processes/command_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/findings/rules/processes/script_lines.hpp"
#include "report/findings/rules/shared/shell_lines.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"

namespace prof::findings {

std::optional<CommandLine> line_of_command(const Evidence& evidence, symbols::SourceFiles& files,
                                           const std::map<std::uint32_t, Whole>& all, const Whole& command) {
  constexpr int kMostAbove = 8;
  const std::string program = program_of(evidence, command);
  const auto with_text = [&](Place place) -> std::optional<CommandLine> {
    const std::string line = files.line(place.file, static_cast<std::uint32_t>(place.line));
    std::string code(code_of(line, "# "));
    if (find_word(code, program) == std::string_view::npos) return std::nullopt;
    return CommandLine{std::move(place), std::move(code)};
  };
  std::uint32_t pid = evidence.run().processes[command.last_image].ppid;
  for (int i = 0; i < kMostAbove; ++i) {
    const auto above = all.find(pid);
    if (above == all.end()) return std::nullopt;
    const model::Process& shell = evidence.run().processes[above->second.last_image];
    const std::vector<ShellLine> waited = waited_lines(evidence, above->second);
    for (const ShellLine& line : waited) {
      if (auto found = with_text(line.place)) return found;
    }
    const std::vector<Place> places =
        waited.empty() ? script_places(evidence, shell, {command_words_of(evidence, command)}) : std::vector<Place>();
    if (places.size() == 1) return with_text(places.front());
    pid = shell.ppid;
  }
  return std::nullopt;
}

std::int64_t CommandsOfLine::waited_ns() const { return std::min(work_ns, covered_ns(commands)); }

std::string CommandsOfLine::times() const {
  return commands.size() > 1 ? fmt::format(", {} times", commands.size()) : std::string();
}

std::optional<CommandsOfLine> busiest_line(
    const Evidence& evidence, const std::map<std::uint32_t, Whole>& all, const std::string& program,
    const std::function<bool(const CommandLine& line, const Whole& command)>& is) {
  symbols::SourceFiles& files = evidence.sources();
  std::map<std::pair<std::string, std::int64_t>, CommandsOfLine> lines;
  for (const auto& [pid, whole] : all) {
    const std::int64_t work = model::saturated_sum(whole.cpu_ns, whole.queue_ns);
    if (program_of(evidence, whole) != program || work < kLeastCommandNs) continue;
    std::optional<CommandLine> line = line_of_command(evidence, files, all, whole);
    if (!line || !is(*line, whole)) continue;
    CommandsOfLine& at = lines[{line->place.file, line->place.line}];
    at.commands.push_back(&whole);
    at.work_ns = model::saturated_sum(at.work_ns, std::min(work, whole.life_ns()));
    at.line = *std::move(line);
  }
  const auto most = std::max_element(lines.begin(), lines.end(),
                                     [](const auto& a, const auto& b) { return a.second.work_ns < b.second.work_ns; });
  if (most == lines.end()) return std::nullopt;
  return std::move(most->second);
}

}  // namespace prof::findings
