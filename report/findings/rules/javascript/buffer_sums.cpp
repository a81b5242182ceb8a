// A buffer of Node's is joined with each part that arrives: all that is there already is copied each time.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/javascript.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace buffer_sums {
namespace {

constexpr double kAllocatedOfCopied = 0.5;
constexpr std::string_view kJoin = "Buffer.concat([";

// "body = Buffer.concat([body, chunk])", also of a member.
bool joins_itself(std::string_view line) {
  const std::size_t call = line.find(kJoin);
  const std::size_t equals = call == std::string_view::npos ? call : line.rfind('=', call);
  if (equals == std::string_view::npos || equals == 0) return false;
  const auto of_path = [](char c) { return is_name(c) || c == '.' || c == '#' || c == '$'; };
  std::size_t end = equals;
  while (end > 0 && line[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && of_path(line[begin - 1])) --begin;
  const std::string_view name = line.substr(begin, end - begin), rest = line.substr(call + kJoin.size());
  return !name.empty() && rest.starts_with(name) && (rest.size() == name.size() || !of_path(rest[name.size()]));
}

std::optional<Place> joining_line(const Evidence& evidence, const model::Process& process) {
  symbols::SourceFiles& files = evidence.sources();
  for (const std::string& script : scripts_of(evidence, process)) {
    const symbols::SourceFile& file = files.file(script);
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (joins_itself(code_of(file.lines[i], "//")))
        return Place{file.path.string(), static_cast<std::int64_t>(i + 1), {}};
    }
  }
  return std::nullopt;
}

bool copies(const symbols::Function& function) {
  return function.language == symbols::Language::Native &&
         (contains(function.name, "memmove") || contains(function.name, "memcpy"));
}
// What V8's collector moves.
bool is_of_heap(const symbols::Function& function) {
  constexpr std::string_view kCollector[] = {"v8::internal::Heap::", "Scaveng", "MarkCompact", "Evacuat"};
  return std::any_of(std::begin(kCollector), std::end(kCollector),
                     [&](std::string_view part) { return contains(function.name, part); });
}

const char* cannot(const Evidence& evidence) { return any_javascript(evidence) ? nullptr : "no JavaScript was seen"; }

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program || !runs_javascript(evidence.run().processes[program->process])) return {};
  const std::vector<bool> copying = all_below(evidence.lines(), copies),
                          moving = all_below(evidence.lines(), is_of_heap);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return copying[node] && !moving[node]; });
  if (cpu.share() < kMostlyOneThing || cpu.ns < kLeastActivityNs) return {};
  // Each join allocates what it copies; copies within what is there do not.
  const fold::Columns& self = evidence.lines().self();
  double allocated = 0, copied = 0;
  for (std::uint32_t node = 1; node < evidence.lines().nodes().size(); ++node) {
    allocated += real(self.heap[node].bytes) + real(self.maps[node].bytes);
    copied += real(self.copies[node].bytes);
  }
  if (evidence.lines().copies_known() && allocated < kAllocatedOfCopied * copied) return {};
  const std::optional<Place> place = joining_line(evidence, evidence.run().processes[program->process]);
  if (!place) return {};
  Finding finding;
  finding.rule = kBufferSumsRule.name;
  finding.title = "A buffer is copied whole for each part that is added";
  finding.seen = fmt::format("{} in copies of memory, as this line asks for.", cpu_words(evidence, cpu));
  finding.advice =
      "Collect the parts in an array (parts.push(chunk)) and join them once, in the end: Buffer.concat(parts).";
  finding.places = {*place};
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace buffer_sums

const Rule kBufferSumsRule{"buffer-sums", "buffers that grow by copies", buffer_sums::cannot, buffer_sums::look};

}  // namespace prof::findings
