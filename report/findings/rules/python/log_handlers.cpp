#include "report/findings/rules/python/log_handlers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "report/findings/below_own.hpp"
#include "report/findings/keeper_python.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace log_handlers {
namespace {

bool makes_record(const symbols::Function& function) {
  static constexpr fold::FunctionAt kMakes[] = {{"/logging/__init__.py", "makeRecord"}};
  return fold::is_any(function, kMakes);
}

bool emits(const symbols::Function& function) {
  return function.language == symbols::Language::Python && last_part(function.name) == "emit";
}

// What each handler takes of a record: Logger.handle() is asked once for all of them.
bool handles(const symbols::Function& function) {
  static constexpr fold::FunctionAt kHandles[] = {{"/logging/__init__.py", "handle"}};
  return fold::is_any(function, kHandles) && function.name != "Logger.handle";
}

CpuAt below(const Evidence& evidence, const IsNode& is) {
  const std::vector<bool> nodes = below_own(evidence, is);
  return cpu_at(evidence, [&](std::uint32_t node) { return nodes[node]; });
}

// The first line in a function of the user's own, of the files of which something was seen, that adds a handler.
std::optional<Place> adding_place(const Evidence& evidence) {
  std::set<std::string> names;
  for (std::uint32_t id = 0; id < evidence.symbols().function_count(); ++id) {
    const symbols::Function& function = evidence.symbols().function(id);
    if (function.language == symbols::Language::Python && evidence.own().function(id)) names.insert(function.file);
  }
  symbols::SourceFiles& files = evidence.sources();
  for (const std::string& name : names) {
    const std::vector<std::string>& lines = files.file(name).lines;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      // What a module adds while it is imported, it adds once.
      if (indent_of(lines[i]) == 0 || code_of(lines[i], "#").find(".addHandler(") == std::string_view::npos) continue;
      std::string function = function_around(lines, i + 1);
      if (function != "<module>") return Place{name, static_cast<std::int64_t>(i) + 1, std::move(function)};
    }
  }
  return std::nullopt;
}

}  // namespace
}  // namespace log_handlers

void tell_of_handlers(const Evidence& evidence, Finding& finding) {
  const CpuAt handled = log_handlers::below(evidence, log_handlers::handles);
  const CpuAt emitted =
      log_handlers::below(evidence, [](const symbols::Function& function) { return log_handlers::emits(function); });
  const CpuAt made = log_handlers::below(evidence, log_handlers::makes_record);
  // A handler that is slow, as one that draws in colours, takes as much by itself; what asks it takes little.
  const std::int64_t asking_ns = handled.ns - emitted.ns;
  if (real(handled.ns) < kManyHandlers * real(made.ns) || asking_ns <= made.ns ||
      handled.samples - emitted.samples < kSamplesOfHandlers)
    return;
  finding.title = "Each log message goes through very many handlers";
  finding.seen += fmt::format(
      " Handlers took {} of it, and making the records for them {}: one handler takes a few "
      "times as much at most.",
      show::duration(real(handled.ns)), show::duration(real(made.ns)));
  finding.advice =
      "See whether handlers are added again and again: getLogger() gives the same logger for a name, which keeps all "
      "that addHandler() gave it. Add them once, at the start (if not logger.handlers:), and take away what is done "
      "with (removeHandler()).";
  std::optional<Place> adds = log_handlers::adding_place(evidence);
  if (!adds || finding.places.empty()) return;
  finding.places.insert(finding.places.begin() + 1, std::move(*adds));
  if (finding.places.size() > 3) finding.places.resize(3);
}

}  // namespace prof::findings
