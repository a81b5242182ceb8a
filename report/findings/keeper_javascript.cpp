#include "report/findings/keeper_javascript.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace prof::findings {
namespace keeper_javascript {
namespace {

constexpr const char* kEventListener =
    "A listener is kept, with all that its function knows, until it is taken back: do so (off(), removeListener(), an "
    "AbortSignal) when its object is done with.";
constexpr const char* kOnlyGrows =
    "Nothing is ever taken out of it: delete what is done with, or the oldest (a bound); a WeakMap for what belongs to "
    "another object.";

constexpr std::string_view kListens[] = {".on(", ".addListener(", ".addEventListener(", ".prependListener(",
                                         ".subscribe("};
constexpr std::string_view kForgets[] = {".off(",   ".removeListener(", ".removeAllListeners(", ".removeEventListener(",
                                         "signal:", ".unsubscribe("};

template <typename Words>
bool any_in(std::string_view code, const Words& words) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view word) { return code.find(word) != std::string_view::npos; });
}

// Events that end, and listeners that stand outside of any function, are as many as there are such lines.
bool listens_for_long(std::string_view code) {
  constexpr std::string_view kEnds[] = {"'end'",   "\"end\"",   "'close'", "\"close\"", "'finish'", "\"finish\"",
                                        "'error'", "\"error\"", "'data'",  "\"data\"",  "'exit'",   "\"exit\""};
  return any_in(code, kListens) && !any_in(code, kEnds) && indent_of(code) > 0;
}

// What the line puts something into: "seen" of "this.seen.set(key, value)", "rows" of "rows.push(row)", "byId" of
// "byId[id] = row;". Empty: it does not.
std::string_view put_into(std::string_view code) {
  constexpr std::string_view kPuts[] = {".push(", ".unshift(", ".set(", ".add("};
  for (const std::string_view put : kPuts) {
    if (const std::size_t at = code.find(put); at != std::string_view::npos) return name_before(code, at);
  }
  const std::size_t at = code.find("] = "), open = code.find('[');
  if (at == std::string_view::npos || open == std::string_view::npos || open == 0 || open > at) return {};
  return name_before(code, open);
}

// Whether it is made once: outside of any function, or as a member.
bool lives_long(const Lines& lines, std::string_view name) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    const std::string_view code = code_of(line, "//");
    const std::size_t at = find_word(code, name);
    if (at == std::string_view::npos) return false;
    std::string_view rest = code.substr(at + name.size());
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (!rest.starts_with("= ")) return false;
    rest.remove_prefix(2);
    const bool made = rest.starts_with("new Map(") || rest.starts_with("new Set(") || rest.starts_with("[]") ||
                      rest.starts_with("{}") || rest.starts_with("Object.create(null)");
    const std::string_view before = code.substr(0, at);
    const bool member = before.ends_with("this.") || before.ends_with("static ") || before.ends_with('#');
    const bool outside = before.starts_with("const ") || before.starts_with("let ") || before.starts_with("var ") ||
                         before.starts_with("export const ");
    // "  seen = new Map();" in the body of a class
    const bool field = indent_of(code) == before.size() && indent_of(code) > 0 && !before.empty();
    return made && (member || outside || field);
  });
}

bool is_taken_from(const Lines& lines, std::string_view name) {
  constexpr std::string_view kTakes[] = {".delete(", ".clear(",     ".shift(",  ".pop(",
                                         ".splice(", ".length = 0", ".length=0"};
  std::size_t made = 0;
  for (const std::string& line : lines) {
    const std::string_view code = code_of(line, "//");
    for (std::size_t at = find_word(code, name); at != std::string_view::npos; at = find_word(code, name, at + 1)) {
      const std::string_view rest = code.substr(at + name.size());
      if (std::any_of(std::begin(kTakes), std::end(kTakes), [&](auto take) { return rest.starts_with(take); }))
        return true;
      if (rest.starts_with("[") && find_word(code.substr(0, at), "delete") != std::string_view::npos) return true;
      if (rest.starts_with(" = ") && ++made > 1) return true;
    }
  }
  return false;
}

std::vector<KeptByScript> kept(const Lines& lines) {
  constexpr std::size_t kMost = 2;
  const bool forgets = std::any_of(lines.begin(), lines.end(),
                                   [](const std::string& line) { return any_in(code_of(line, "//"), kForgets); });
  std::vector<KeptByScript> listeners, others;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], "//");
    if (!forgets && listens_for_long(code)) listeners.push_back({i + 1, kEventListener});
    if (others.size() > kMost) continue;
    const std::string_view name = put_into(code);
    if (!name.empty() && indent_of(code) > 0 && lives_long(lines, name) && !is_taken_from(lines, name))
      others.push_back({i + 1, kOnlyGrows});
  }
  std::vector<KeptByScript>& found = listeners.empty() ? others : listeners;
  if (found.size() > kMost) return {};
  return std::move(found);
}

}  // namespace
}  // namespace keeper_javascript

std::vector<KeptByScript> kept_by_script(const Lines& lines) { return keeper_javascript::kept(lines); }

}  // namespace prof::findings
