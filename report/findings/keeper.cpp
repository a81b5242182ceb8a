#include "report/findings/keeper.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "report/findings/keeper_python.hpp"
#include "report/findings/source_words.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace {

constexpr const char* kView =
    "A slice of an array is a view that keeps the whole array: keep a copy (array[...].copy()) of a small part.";
constexpr const char* kException =
    "An exception that is kept keeps its traceback, and with it the variables of all functions that it left: keep "
    "str(error), or error.with_traceback(None).";
constexpr const char* kMatch =
    "A match of a regular expression keeps the whole text that it was found in: keep what is needed of it "
    "(match.group(), match.span()).";
constexpr const char* kTree =
    "iterparse() builds the whole tree as it goes: call element.clear() when one is done with, and take it out of its "
    "parent (of lxml and of large files: del root[:] now and then).";
constexpr const char* kCache =
    "A cache without a bound keeps what it was asked for with any arguments: give it one (lru_cache(maxsize=...)), and "
    "leave out of its key what never comes again (a time, a position, an object).";
constexpr const char* kListener =
    "Whoever was given a method keeps its object until the method is taken back: do so when the object is done with, "
    "or keep a weakref.WeakMethod.";
constexpr const char* kCallback =
    "A function that an object holds keeps the shared_ptr that it captured, and if that is the object itself both stay "
    "for ever: capture a weak_ptr.";
constexpr const char* kShared =
    "A shared_ptr that is put away keeps all that it points to, however little of it is needed: keep a copy of that "
    "part (a std::string in place of a view), or take out what is done with.";
constexpr const char* kParent =
    "Objects that hold each other by shared_ptr are never freed: let the way back be a weak_ptr.";

// Whether the text calls a function whose name begins so: "on_message(" or "onMessage(", and not "function(".
bool called_so(std::string_view text, std::string_view begin) {
  const std::size_t open = text.rfind('(');
  if (open == std::string_view::npos) return false;
  std::size_t at = open;
  while (at > 0 && is_name(text[at - 1])) --at;
  return text.substr(at, open - at).starts_with(begin);
}

// Functions that keep what they are given, by the beginnings of their names. What is handed on for one time (post,
// async_read) is not kept.
constexpr std::string_view kKeeping[] = {"set",    "on",       "push",    "subscribe", "add",   "listen",
                                         "attach", "register", "connect", "observe",   "watch", "install"};

// A lambda that captures such a pointer and is given to a member.
std::size_t keeping_callbacks(const Lines& lines) {
  std::string name;  // of what shared_from_this() gave
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], "//");
    const std::size_t made = code.find("shared_from_this()");
    const std::size_t equals = made == std::string_view::npos ? made : code.rfind('=', made);
    if (equals != std::string_view::npos && equals > 0) {
      const std::size_t end = code.find_last_not_of(' ', equals - 1);
      std::size_t begin = end == std::string_view::npos ? 0 : end + 1;
      while (begin > 0 && is_name(code[begin - 1])) --begin;
      if (end != std::string_view::npos) name = std::string(code.substr(begin, end + 1 - begin));
    }
    const std::size_t open = code.find('['), close = open == std::string_view::npos ? open : code.find(']', open);
    if (close == std::string_view::npos) continue;
    const std::string_view captured = code.substr(open, close - open), before = code.substr(0, open);
    const bool kept = before.find("= ") != std::string_view::npos ||
                      std::any_of(std::begin(kKeeping), std::end(kKeeping),
                                  [&](std::string_view begin) { return called_so(before, begin); });
    const bool itself = captured.find("shared_from_this()") != std::string_view::npos ||
                        (!name.empty() && find_word(captured, name) != std::string_view::npos);
    if (kept && itself && before.find("auto ") == std::string_view::npos) return i + 1;
  }
  return 0;
}

// The name of the class that begins in the line; empty: none does.
std::string class_in(std::string_view code) {
  for (const std::string_view word : {"struct", "class"}) {
    const std::size_t at = find_word(code, word);
    if (at == std::string_view::npos || code.find('{') == std::string_view::npos) continue;
    const std::size_t begin = std::min(at + word.size() + 1, code.size());
    const auto end = std::find_if_not(code.begin() + static_cast<std::ptrdiff_t>(begin), code.end(), is_name);
    return {code.begin() + static_cast<std::ptrdiff_t>(begin), end};
  }
  return {};
}

// A member `std::shared_ptr<T> parent;` of T, which has its children, or the next one, by shared_ptr as well.
std::size_t keeping_parents(const Lines& lines) {
  constexpr std::string_view kBack[] = {"parent", "owner", "prev", "previous", "up", "parent_", "owner_", "prev_"};
  std::string type;
  std::size_t back = 0, found = 0;
  bool forth = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], "//");
    if (std::string begun = class_in(code); !begun.empty()) {
      type = std::move(begun);
      back = 0;
      forth = false;
    }
    const bool member = !type.empty() && code.find("shared_ptr<" + type + ">") != std::string_view::npos &&
                        code.find('(') == std::string_view::npos && code.find(';') != std::string_view::npos;
    if (!member) {
      // Who takes the way back apart by hand has no cycle.
      const bool undone =
          code.find(".reset()") != std::string_view::npos || code.find(" = nullptr;") != std::string_view::npos;
      if (undone && std::any_of(std::begin(kBack), std::end(kBack),
                                [&](std::string_view name) { return find_word(code, name) != std::string_view::npos; }))
        return 0;
      continue;
    }
    const bool leads_back = std::any_of(std::begin(kBack), std::end(kBack), [&](std::string_view name) {
      return find_word(code, name) != std::string_view::npos;
    });
    if (leads_back) back = i + 1;
    forth |= !leads_back;
    if (back != 0 && forth && found == 0) found = back;
  }
  return found;
}

// Whether a line declares `name` as a std::shared_ptr, by that word or one of the names that the file has for it.
bool declares_shared(std::string_view code, std::string_view name, const std::vector<std::string>& types) {
  for (std::size_t at = find_word(code, name); at != std::string_view::npos; at = find_word(code, name, at + 1)) {
    const std::string_view before = code.substr(0, at), rest = code.substr(at + name.size());
    if (rest.starts_with(" = std::make_shared")) return true;
    if (!before.ends_with("& ") && !before.ends_with("> ") && !before.ends_with(' ')) continue;
    const std::size_t from = std::min(before.find_last_of("(,;{") + 1, before.size());  // 0 where there is none
    const std::string_view type = before.substr(from);
    if (type.find("shared_ptr<") != std::string_view::npos) return true;
    if (std::any_of(types.begin(), types.end(),
                    [&](const std::string& one) { return find_word(type, one) != std::string_view::npos; }))
      return true;
  }
  return false;
}

// Whether the container of that name is only ever given things, and nothing is taken out of it.
bool only_filled(const Lines& lines, std::string_view into) {
  constexpr std::string_view kTakes[] = {".erase(", ".pop", ".clear(", ".resize(", ".swap(", ".extract("};
  return std::none_of(lines.begin(), lines.end(), [&](const std::string& line) {
    const std::string_view code = code_of(line, "//");
    for (std::size_t at = find_word(code, into); at != std::string_view::npos; at = find_word(code, into, at + 1)) {
      const std::string_view rest = code.substr(at + into.size());
      if (std::any_of(std::begin(kTakes), std::end(kTakes), [&](auto take) { return rest.starts_with(take); }))
        return true;
      if (rest.starts_with(" = {}")) return true;
    }
    return false;
  });
}

// A line that puts a shared_ptr and other things into such a container: "kept_.push_back({block, head(*block)})".
std::size_t keeping_shares(const Lines& lines) {
  constexpr std::string_view kPuts[] = {".push_back(", ".emplace_back(", ".insert(", ".emplace(", ".push_front("};
  std::vector<std::string> types;
  for (const std::string& line : lines) {
    const std::string_view code = code_of(line, "//");
    const std::size_t at = code.find("using "), equals = code.find(" = std::shared_ptr<");
    if (at != std::string_view::npos && equals != std::string_view::npos && at + 6 < equals)
      types.emplace_back(code.substr(at + 6, equals - at - 6));
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], "//");
    for (const std::string_view put : kPuts) {
      const std::size_t at = code.find(put);
      if (at == std::string_view::npos) continue;
      const std::string_view into = name_before(code, at);
      std::size_t first = at + put.size();
      while (first < code.size() && !is_name(code[first])) ++first;
      std::size_t end = first;
      while (end < code.size() && is_name(code[end])) ++end;
      const std::string_view value = code.substr(first, end - first);
      // By itself it is what the container is for; beside a part of it, that part is what is wanted.
      const std::string_view behind = trimmed(code.substr(end));
      if (into.empty() || value.empty() || !behind.starts_with(',')) continue;
      constexpr std::size_t kNear = 20;  // lines above, in which it is declared
      const auto first_line = lines.begin() + static_cast<std::ptrdiff_t>(i - std::min(i, kNear));
      if (std::any_of(first_line, lines.begin() + static_cast<std::ptrdiff_t>(i + 1),
                      [&](const std::string& line) { return declares_shared(code_of(line, "//"), value, types); }) &&
          only_filled(lines, into))
        return i + 1;
    }
  }
  return 0;
}

std::string function_at(const symbols::Symbols& symbols, const std::string& file, std::uint32_t line) {
  const symbols::Function* nearest = nullptr;
  for (std::uint32_t id = 0; id < symbols.function_count(); ++id) {
    const symbols::Function& one = symbols.function(id);
    if (one.file == file && one.line != 0 && one.line <= line && (nearest == nullptr || one.line > nearest->line))
      nearest = &one;
  }
  if (nearest == nullptr) return {};
  return nearest->short_name.empty() ? nearest->name : nearest->short_name;
}

}  // namespace

// Where the log says what was imported at all.
static bool loaded_arrays(const model::Run& run) {
  bool any = false;
  for (const model::Process& process : run.processes) {
    for (const model::Import& one : process.imports) {
      any = true;
      if (one.name == "numpy" || one.name == "torch") return !one.failed;
    }
  }
  return !any;
}

// A cache of a function that the lines are in.
static std::optional<Keeper> cache_of(symbols::SourceFiles& files, const std::vector<Place>& growing) {
  for (const Place& place : growing) {
    if (!place.file.ends_with(".py") || place.line <= 0) continue;
    const std::size_t line = keeping_cache(files.file(place.file).lines, static_cast<std::size_t>(place.line));
    if (line != 0) return Keeper{{place.file, static_cast<std::int64_t>(line), place.function}, kCache};
  }
  return std::nullopt;
}

std::optional<Keeper> keeper_beside(const Evidence& evidence, const std::vector<Place>& growing) {
  symbols::SourceFiles& files = evidence.sources();
  if (auto cache = cache_of(files, growing)) return cache;
  std::set<std::string> seen;
  for (const Place& place : growing) {
    if (place.file.empty() || !seen.insert(place.file).second) continue;
    const symbols::SourceFile& file = files.file(place.file);
    if (!file.readable) continue;
    const auto keeper = [&](std::size_t line, const char* how, bool in_function) {
      Place at{place.file, static_cast<std::int64_t>(line), {}};
      if (in_function && place.file.ends_with(".py"))
        at.function = function_around(file.lines, line);
      else if (in_function)
        at.function = function_at(evidence.symbols(), place.file, static_cast<std::uint32_t>(line));
      return Keeper{std::move(at), how};
    };
    if (place.file.ends_with(".py")) {
      const Lines lines = without_docstrings(file.lines);
      if (const std::size_t line = keeping_listeners(lines)) return keeper(line, kListener, true);
      if (keeps_what_it_makes(lines, place.line)) return std::nullopt;
      if (const std::size_t line = keeping_trees(lines)) return keeper(line, kTree, true);
      if (const std::size_t line = keeping_exceptions(lines)) return keeper(line, kException, true);
      if (const std::size_t line = keeping_matches(lines)) return keeper(line, kMatch, true);
      const bool arrays = loaded_arrays(evidence.run()) && std::any_of(lines.begin(), lines.end(), imports_arrays);
      if (const std::size_t line = arrays ? keeping_slices(lines) : 0) return keeper(line, kView, true);
      continue;
    }
    if (const std::size_t line = keeping_callbacks(file.lines)) return keeper(line, kCallback, true);
    if (const std::size_t line = keeping_parents(file.lines)) return keeper(line, kParent, false);
  }
  return std::nullopt;
}

std::optional<Keeper> sharer_beside(const Evidence& evidence, const std::vector<Place>& growing) {
  symbols::SourceFiles& files = evidence.sources();
  for (const Place& place : growing) {
    if (place.file.empty() || place.file.ends_with(".py")) continue;
    const symbols::SourceFile& file = files.file(place.file);
    const std::size_t line = file.readable ? keeping_shares(file.lines) : 0;
    if (line == 0) continue;
    return Keeper{{place.file, static_cast<std::int64_t>(line),
                   function_at(evidence.symbols(), place.file, static_cast<std::uint32_t>(line))},
                  kShared};
  }
  return std::nullopt;
}

}  // namespace prof::findings
