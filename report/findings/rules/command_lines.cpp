#include "report/findings/rules/command_lines.hpp"

#include <utility>
#include <vector>

#include "report/findings/rules/script_lines.hpp"
#include "report/findings/rules/shell_lines.hpp"
#include "report/findings/source_words.hpp"

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

}  // namespace prof::findings
