#include "report/findings/keeper_javascript.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "report/model/text.hpp"

namespace prof::findings {
namespace keeper_javascript {
namespace {

constexpr const char* kEventListener =
    "A listener is kept, with all that its function knows, until it is taken back: do so (off(), removeListener(), an "
    "AbortSignal) when its object is done with.";
constexpr const char* kOnlyGrows =
    "Nothing is ever taken out of it: delete what is done with, or the oldest (a bound); a WeakMap for what belongs to "
    "another object.";

constexpr const char* kLateRace =
    "Each race() leaves a reaction at the promise that settles late, with what the others came to, until it does: look "
    "at a flag in place of it, or let it end the work by an AbortSignal.";

constexpr std::string_view kListens[] = {".on(", ".addListener(", ".addEventListener(", ".prependListener(",
                                         ".subscribe("};
constexpr std::string_view kForgets[] = {".off(",   ".removeListener(", ".removeAllListeners(", ".removeEventListener(",
                                         "signal:", ".unsubscribe("};

// Events that end, and listeners that stand outside of any function, are as many as there are such lines.
bool listens_for_long(std::string_view code) {
  constexpr std::string_view kEnds[] = {"'end'",   "\"end\"",   "'close'", "\"close\"", "'finish'", "\"finish\"",
                                        "'error'", "\"error\"", "'data'",  "\"data\"",  "'exit'",   "\"exit\""};
  return contains_any(code, kListens) && !contains_any(code, kEnds) && indent_of(code) > 0;
}

// "timetable" of "timetable.on('change', f)".
std::string_view listened(std::string_view code) {
  for (const std::string_view listens : kListens) {
    if (const std::size_t at = code.find(listens); at != std::string_view::npos) return name_before(code, at);
  }
  return {};
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
  if (code.substr(open, at - open).find('%') != std::string_view::npos) return {};  // a ring
  return name_before(code, open);
}

// Names of collections.
struct Collections {
  std::set<std::string_view> last;                // made once: outside of any function, or as members
  std::set<std::string_view> emptied;             // something is taken out of them
  std::map<std::string_view, std::size_t> given;  // how often they are given a value
};

bool makes_collection(std::string_view value) {
  return value.starts_with("new Map(") || value.starts_with("new Set(") || value.starts_with("[]") ||
         value.starts_with("{}") || value.starts_with("Object.create(null)");
}

void note_made(Collections& to, std::string_view code) {
  for (std::size_t at = code.find(" = "); at != std::string_view::npos; at = code.find(" = ", at + 1)) {
    const std::string_view name = name_before(code, at);
    if (name.empty()) continue;
    ++to.given[name];
    if (!makes_collection(code.substr(at + 3))) continue;
    const std::string_view before = code.substr(0, at - name.size());
    const bool member = before.ends_with("this.") || before.ends_with("static ") || before.ends_with('#');
    const bool outside = before.starts_with("const ") || before.starts_with("let ") || before.starts_with("var ") ||
                         before.starts_with("export const ");
    // "  seen = new Map();" in the body of a class
    const bool field = indent_of(code) == before.size() && !before.empty();
    if (member || outside || field) to.last.insert(name);
  }
}

void note_emptied(Collections& to, std::string_view code) {
  constexpr std::string_view kTakes[] = {".delete(", ".clear(",     ".shift(",  ".pop(",
                                         ".splice(", ".length = 0", ".length=0"};
  for (const std::string_view take : kTakes) {
    for (std::size_t at = code.find(take); at != std::string_view::npos; at = code.find(take, at + 1))
      to.emptied.insert(name_before(code, at));
  }
  const std::size_t word = find_word(code, "delete");
  const std::size_t open = word == std::string_view::npos ? word : code.find('[', word);
  if (open != std::string_view::npos) to.emptied.insert(name_before(code, open));
}

// Whether it races with a promise that is a member of something, or of the whole file: "race([work(), this.closed])".
bool races_a_late_one(std::string_view code, const std::set<std::string_view>& outside) {
  constexpr std::string_view kRace = "Promise.race([";
  const std::size_t at = code.find(kRace);
  if (at == std::string_view::npos || indent_of(code) == 0) return false;
  const std::string_view elements = code.substr(at + kRace.size());
  const std::vector<std::string_view> all = listed(elements.substr(0, elements.find("])")));
  return std::any_of(all.begin(), all.end(), [&](std::string_view element) {
    const bool plain = !element.empty() && std::all_of(element.begin(), element.end(),
                                                       [](char c) { return is_name(c) || c == '.' || c == '#'; });
    return plain && (contains(element, ".") || outside.contains(element));
  });
}

// "closed" of "const closed = ...;" that stands outside of any function.
std::set<std::string_view> made_outside(const Lines& lines) {
  std::set<std::string_view> out;
  for (const std::string& line : lines) {
    const std::string_view code = code_of(line, "//");
    if (indent_of(code) == 0 && (code.starts_with("const ") || code.starts_with("let ") || code.starts_with("var ")))
      out.insert(name_before(code, std::min(code.find(" = "), code.size())));
  }
  return out;
}

// Whether the function made the object itself, whose listeners it has as long as it lives: "const job = new Job();".
bool made_just_above(const Lines& lines, std::size_t at, std::string_view name) {
  constexpr std::size_t kLines = 6;
  for (std::size_t i = at; i-- > at - std::min(at, kLines);) {
    const std::string_view code = code_of(lines[i], "//");
    const std::size_t made = code.find(" = new ");
    if (made != std::string_view::npos && name_before(code, made) == name &&
        !code.substr(0, made - name.size()).ends_with('.'))
      return true;
  }
  return false;
}

std::vector<KeptByScript> kept(const Lines& lines) {
  constexpr std::size_t kMost = 2;
  const bool forgets = std::any_of(lines.begin(), lines.end(),
                                   [](const std::string& line) { return contains_any(code_of(line, "//"), kForgets); });
  Collections all;
  for (const std::string& line : lines) {
    const std::string_view code = code_of(line, "//");
    note_made(all, code);
    note_emptied(all, code);
  }
  const std::set<std::string_view> outside = made_outside(lines);
  std::vector<KeptByScript> races, listeners, others;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], "//");
    if (races_a_late_one(code, outside)) races.push_back({i + 1, kLateRace});
    if (!forgets && listens_for_long(code) && !made_just_above(lines, i, listened(code)))
      listeners.push_back({i + 1, kEventListener});
    const std::string_view name = put_into(code);
    if (!name.empty() && indent_of(code) > 0 && all.last.contains(name) && !all.emptied.contains(name) &&
        all.given[name] <= 1)
      others.push_back({i + 1, kOnlyGrows});
  }
  std::vector<KeptByScript>& found = !races.empty() ? races : !listeners.empty() ? listeners : others;
  if (found.size() > kMost) return {};
  return std::move(found);
}

}  // namespace
}  // namespace keeper_javascript

std::vector<KeptByScript> kept_by_script(const Lines& lines) { return keeper_javascript::kept(lines); }

}  // namespace prof::findings
