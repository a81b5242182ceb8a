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

// What is raced, of a race that begins in the line, and may end in one of the next: "work(), this.closed". Empty: none.
std::string raced(const Lines& lines, std::size_t at) {
  constexpr std::string_view kRace = "Promise.race([";
  constexpr std::size_t kLines = 8, kMost = 1'000;
  std::string_view code = code_of(lines[at], "//");
  const std::size_t begin = code.find(kRace);
  if (begin == std::string_view::npos) return {};
  code.remove_prefix(begin + kRace.size());
  std::string out;
  int open = 1;
  for (std::size_t i = at; i < lines.size() && i < at + kLines && out.size() < kMost; ++i) {
    if (i > at) code = code_of(lines[i], "//");
    for (const char c : code) {
      open += c == '[' || c == '(' || c == '{' ? 1 : c == ']' || c == ')' || c == '}' ? -1 : 0;
      if (open == 0) return out;
      out += c;
    }
    out += ' ';
  }
  return {};
}

// Whether the name is given a value between the race and the head of the loop around it, or in that; or there is no
// loop in its function.
bool made_in_turn(const Lines& lines, std::size_t at, std::string_view name) {
  std::size_t indent = indent_of(lines[at]);
  for (std::size_t i = at; i-- > 0 && indent > 0;) {
    const std::string_view code = code_of(lines[i], "//");
    if (trimmed(code).empty()) continue;
    const bool head = indent_of(code) < indent;
    const bool loop =
        find_word(code, "for") != std::string_view::npos || find_word(code, "while") != std::string_view::npos;
    const std::size_t word = find_word(code, name);
    const bool declares =
        word != std::string_view::npos &&
        (find_word(code, "const") < word || find_word(code, "let") < word || (head && contains(code, "=>")));
    if (declares) return true;
    if (!head) continue;
    indent = indent_of(code);
    if (loop) return false;
    if (contains(code, "function") || contains(code, "=>") ||
        (contains(code, "(") && trimmed(code).ends_with("{") && find_word(code, "if") == std::string_view::npos &&
         find_word(code, "try") == std::string_view::npos))
      return true;
  }
  return true;
}

// Whether it races with a promise that settles late: of this object, of the whole file, or of what the loop around it
// did not make.
bool races_a_late_one(const Lines& lines, std::size_t at, const std::set<std::string_view>& outside) {
  if (indent_of(lines[at]) == 0) return false;
  const std::string elements = raced(lines, at);
  const std::vector<std::string_view> all = listed(elements);
  return std::any_of(all.begin(), all.end(), [&](std::string_view element) {
    element = trimmed(element);
    const bool plain = !element.empty() && std::all_of(element.begin(), element.end(),
                                                       [](char c) { return is_name(c) || c == '.' || c == '#'; });
    if (!plain) return false;
    if (element.starts_with("this.") || element.starts_with('#') || outside.contains(element)) return true;
    const std::size_t dot = element.find('.');
    return dot != std::string_view::npos && !made_in_turn(lines, at, element.substr(0, dot));
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
  std::vector<KeptByScript> listeners, others;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], "//");
    if (contains(code, "Promise.race(") && races_a_late_one(lines, i, outside)) listeners.push_back({i + 1, kLateRace});
    if (!forgets && listens_for_long(code) && !made_just_above(lines, i, listened(code)))
      listeners.push_back({i + 1, kEventListener});
    const std::string_view name = put_into(code);
    if (!name.empty() && indent_of(code) > 0 && all.last.contains(name) && !all.emptied.contains(name) &&
        all.given[name] <= 1)
      others.push_back({i + 1, kOnlyGrows, true});
  }
  std::vector<KeptByScript>& found = listeners.empty() ? others : listeners;
  if (found.size() > kMost) return {};
  return std::move(found);
}

}  // namespace
}  // namespace keeper_javascript

std::vector<KeptByScript> kept_by_script(const Lines& lines) { return keeper_javascript::kept(lines); }

}  // namespace prof::findings
