#include "report/summary/held_awaits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>
#include <string_view>

#include "report/findings/source_words.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::show {
namespace {

bool takes_lock(std::string_view code) {
  if (!code.starts_with("async with ") || !code.ends_with(':')) return false;
  std::string lower(code);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return contains(lower, "lock") || contains(lower, "mutex");
}

// The line of the first such block; 0: none.
std::size_t held_await(const findings::Lines& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!takes_lock(findings::trimmed(findings::code_of(lines[i], "#")))) continue;
    bool awaits = false;
    findings::lines_below(lines, i + 1, [&](std::string_view code, std::size_t) {
      awaits = findings::find_word(code, "await") != std::string_view::npos;
      return !awaits;
    });
    if (awaits) return i + 1;
  }
  return 0;
}

}  // namespace

std::string held_await_text(const Subject& subject, const fold::OwnCode& own) {
  std::set<std::string> names;
  for (std::uint32_t id = 0; id < subject.symbols.function_count(); ++id) {
    const symbols::Function& function = subject.symbols.function(id);
    if (function.language == symbols::Language::Python && own.function(id)) names.insert(function.file);
  }
  symbols::SourceFiles files(subject.run);
  for (const std::string& name : names) {
    const symbols::SourceFile& file = files.file(name);
    if (const std::size_t line = held_await(file.lines); line != 0)
      return fmt::format(
          " {}:{} holds a lock while it awaits: if many tasks want it, they wait for one another; what is awaited may "
          "stand outside of the block.",
          base_name(name), line);
  }
  return {};
}

}  // namespace prof::show
