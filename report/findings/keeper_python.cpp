#include "report/findings/keeper_python.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/model/text.hpp"

namespace prof::findings {
namespace {

// What a line of Python puts into a container, and the container's name without what is before its last dot; of a value
// that is empty: nothing.
struct Put {
  std::string_view into, value;
};

Put put_by(std::string_view code) {
  constexpr std::string_view kCalls[] = {".append(", ".appendleft(", ".add(", ".insert(", ".put("};
  for (const std::string_view call : kCalls) {
    const std::size_t at = code.find(call);
    if (at == std::string_view::npos) continue;
    const std::string_view value = code.substr(at + call.size());
    // What takes several things is a method of something else.
    const bool several = call != ".insert(" && listed(value.substr(0, value.rfind(')'))).size() > 1;
    return several ? Put() : Put{name_before(code, at), value};
  }
  // Under a key that is written there, each new value takes the place of the last one.
  const std::size_t at = code.find("] = "), open = code.find('[');
  if (at == std::string_view::npos || at == 0 || open > at) return {};
  const char last = code[at - 1];
  if (last == '"' || last == '\'' || std::isdigit(static_cast<unsigned char>(last)) != 0) return {};
  return {name_before(code, open), code.substr(at + 4)};
}

// Whether the file's text bounds the container of that name, or takes things out of it. What another function than that
// of line `put` clears it clears in the end: till then all of it is kept.
bool is_bounded(const Lines& lines, std::string_view name, std::size_t put) {
  constexpr std::string_view kTakes[] = {".pop", ".remove(", ".get(", ".discard("};
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    const std::string_view code = code_of(line, "#");
    const auto number = static_cast<std::size_t>(&line - lines.data()) + 1;
    for (std::size_t at = find_word(code, name); at != std::string_view::npos; at = find_word(code, name, at + 1)) {
      const std::string_view rest = code.substr(at + name.size());
      if (std::any_of(std::begin(kTakes), std::end(kTakes), [&](auto take) { return rest.starts_with(take); }))
        return true;
      if (rest.starts_with(".clear(") && function_around(lines, number) == function_around(lines, put)) return true;
      const bool made = rest.starts_with(" =") || rest.starts_with("=") || rest.starts_with(":");
      if (made && (rest.find("maxlen") != std::string_view::npos || rest.find("maxsize") != std::string_view::npos))
        return true;
      if (rest.starts_with("[") && code.substr(indent_of(code)).starts_with("del ")) return true;
    }
    return false;
  });
}

// A slice of something that has a name, and nothing is made of it: "frame[::16, ::16])".
bool is_slice(std::string_view value) {
  std::size_t at = 0;
  while (at < value.size() && (is_name(value[at]) || value[at] == '.' || value[at] == '(' || value[at] == '"' ||
                               value[at] == ',' || value[at] == ' '))
    ++at;
  if (at == 0 || at >= value.size() || value[at] != '[') return false;
  // What a function gives of it is another object.
  const std::string_view before = value.substr(0, at);
  if (const std::size_t open = before.rfind('(');
      open != std::string_view::npos && open > 0 && is_name(before[open - 1]))
    return false;
  const std::size_t close = value.find(']', at);
  if (close == std::string_view::npos || value.substr(at, close - at).find(':') == std::string_view::npos) return false;
  const std::string_view rest = value.substr(close + 1);
  return rest.find(".copy(") == std::string_view::npos && rest.find(".clone(") == std::string_view::npos &&
         rest.find(".tolist(") == std::string_view::npos && rest.find(".item(") == std::string_view::npos &&
         rest.find(".sum(") == std::string_view::npos && rest.find(".mean(") == std::string_view::npos;
}

// The name that an `except` gives the exception; empty: none.
std::string_view caught_by(std::string_view code) {
  code.remove_prefix(indent_of(code));
  const std::size_t as = code.find(" as ");
  if (!code.starts_with("except") || as == std::string_view::npos) return {};
  const std::size_t end = code.find(':', as);
  return end == std::string_view::npos ? std::string_view() : code.substr(as + 4, end - as - 4);
}

// The name that a line gives to the exception of a future: "problem = future.exception()"; empty: it does not.
std::string_view asked_for(std::string_view code) {
  code.remove_prefix(indent_of(code));
  const std::size_t equals = code.find(" = ");
  if (equals == std::string_view::npos || code.find(".exception(") < equals ||
      code.find(".exception(") == std::string_view::npos)
    return {};
  const std::string_view name = code.substr(0, equals);
  return std::all_of(name.begin(), name.end(), is_name) ? name : std::string_view();
}

// Names of regular expressions: "HEAD" of "HEAD = re.compile(...)", and that of the module itself.
std::set<std::string_view> patterns_of(const Lines& lines) {
  std::set<std::string_view> out;
  for (const std::string& line : lines) {
    const std::string_view code = code_of(line, "#");
    for (const std::string_view module : {"re", "regex"}) {
      if ((code.starts_with("import ") || code.starts_with("from ")) &&
          find_word(code, module) != std::string_view::npos)
        out.insert(module);
      const std::size_t made = code.find(" = " + std::string(module) + ".compile(");
      if (made != std::string_view::npos) out.insert(name_before(code, made));
    }
  }
  return out;
}

// The name that a line gives to the match of one of these: "found = PATTERN.search(text)"; empty: it does not.
std::string_view matched_as(std::string_view code, const std::set<std::string_view>& patterns) {
  constexpr std::string_view kAsks[] = {".search(", ".match(", ".fullmatch("};
  const auto asks_one = [&](std::string_view ask) {
    const std::size_t at = code.find(ask);
    return at != std::string_view::npos && patterns.contains(name_before(code, at));
  };
  code.remove_prefix(indent_of(code));
  if (code.starts_with("for ") && asks_one(".finditer("))
    return code.substr(4, std::min(code.find(' ', 4), code.size()) - 4);
  std::size_t equals = code.find(" = ");
  if (const std::size_t walrus = code.find(" := "); walrus != std::string_view::npos) equals = walrus;
  if (equals == std::string_view::npos || std::none_of(std::begin(kAsks), std::end(kAsks), asks_one)) return {};
  // What is taken of it is a text of its own.
  const std::string_view value = code.substr(equals + 3);
  if (value.find(").") != std::string_view::npos || value.find(")[") != std::string_view::npos) return {};
  return name_before(code, equals);
}

// Whether the value is, or holds, the thing of that name, and not something that is made of it.
bool holds(std::string_view value, std::string_view name) {
  const std::size_t at = find_word(value, name);
  if (at == std::string_view::npos) return false;
  const std::size_t end = at + name.size();
  const bool part = end < value.size() && (value[end] == '.' || value[end] == '[');
  const std::size_t open = value.substr(0, at).rfind('(');
  const bool argument = open != std::string_view::npos && open > 0 && is_name(value[open - 1]) &&
                        value.substr(open, at - open).find(')') == std::string_view::npos;
  const bool text = at > 0 && (value[at - 1] == '{' || value[at - 1] == '%');
  return !part && !argument && !text;
}

// A slice in two dimensions, or with a step, and nothing else: lists have none of two.
bool is_window(std::string_view value) {
  if (!is_slice(value) || !value.ends_with(']')) return false;
  const std::string_view inside = value.substr(value.find('['));
  return inside.find(',') != std::string_view::npos && inside.find(']') + 1 == inside.size();
}

// Names that the program gives to slices of arrays, and the lines that make these: by an assignment, or by way of a
// function that returns one.
class Windows {
 public:
  explicit Windows(const Lines& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string_view line = code_of(lines[i], "#");
      const std::string_view code = line.substr(indent_of(line));
      if (code.starts_with("return ")) {
        const std::vector<std::string_view> values = listed(code.substr(std::string_view("return ").size()));
        for (std::size_t at = 0; at < values.size(); ++at) {
          if (is_window(values[at])) returned_.push_back({function_around(lines, i + 1), at, i + 1});
        }
      }
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string_view line = code_of(lines[i], "#");
      const std::string_view code = line.substr(indent_of(line));
      const std::size_t equals = code.find(" = ");
      if (equals == std::string_view::npos) continue;
      const std::vector<std::string_view> names = listed(code.substr(0, equals)),
                                          values = listed(code.substr(equals + 3));
      for (std::size_t at = 0; at < names.size() && names.size() == values.size(); ++at) {
        if (is_window(values[at])) made_.push_back({names[at], i + 1, function_around(lines, i + 1)});
      }
      for (const Returned& one : returned_) {
        const bool called = values.size() == 1 && find_word(values[0], one.function) != std::string_view::npos &&
                            values[0].ends_with(')');
        if (called && one.at < names.size()) made_.push_back({names[one.at], one.line, function_around(lines, i + 1)});
      }
    }
  }

  // The line that made what the value is or holds, in the function around line `number`; 0: none did.
  std::size_t held_by(std::string_view value, const Lines& lines, std::size_t number) const {
    for (const Made& one : made_) {
      if (holds(value, one.name) && one.function == function_around(lines, number)) return one.line;
    }
    return 0;
  }

 private:
  struct Returned {
    std::string function;
    std::size_t at = 0;  // of several values
    std::size_t line = 0;
  };
  struct Made {
    std::string_view name;
    std::size_t line = 0;
    std::string function;  // in which it has that name
  };
  std::vector<Returned> returned_;
  std::vector<Made> made_;
};

}  // namespace

bool imports_arrays(const std::string& line) {
  const std::string_view code = std::string_view(line).substr(indent_of(line));
  return (code.starts_with("import ") || code.starts_with("from ")) &&
         (code.find("numpy") != std::string_view::npos || code.find("torch") != std::string_view::npos);
}

std::size_t keeping_slices(const Lines& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Put put = put_by(code_of(lines[i], "#"));
    if (is_slice(put.value) && !is_bounded(lines, put.into, i + 1)) return i + 1;
  }
  const Windows windows(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Put put = put_by(code_of(lines[i], "#"));
    const std::size_t made = put.value.empty() ? 0 : windows.held_by(put.value, lines, i + 1);
    if (made != 0 && !is_bounded(lines, put.into, i + 1)) return made;
  }
  return 0;
}

std::size_t keeping_exceptions(const Lines& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view caught = caught_by(code_of(lines[i], "#")), asked = asked_for(code_of(lines[i], "#"));
    const std::string_view name = caught.empty() ? asked : caught;
    if (name.empty()) continue;
    // Below the `except`, or what follows in the same block.
    const std::size_t indent = indent_of(lines[i]) + (caught.empty() ? 0 : 1);
    for (std::size_t j = i + 1; j < lines.size() && (lines[j].empty() || indent_of(lines[j]) >= indent); ++j) {
      const Put put = put_by(code_of(lines[j], "#"));
      if (holds(put.value, name) && !is_bounded(lines, put.into, j + 1)) return j + 1;
    }
  }
  return 0;
}

std::size_t keeping_matches(const Lines& lines) {
  const std::set<std::string_view> patterns = patterns_of(lines);
  if (patterns.empty()) return 0;
  constexpr std::size_t kMost = 50;  // of those that are looked at: a file with more is no program of one fault
  std::size_t matches = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view name = matched_as(code_of(lines[i], "#"), patterns);
    if (name.empty()) continue;
    if (++matches > kMost) return 0;
    const std::string function = function_around(lines, i + 1);
    constexpr std::size_t kSoon = 40;
    for (std::size_t j = i + 1; j < std::min(lines.size(), i + kSoon); ++j) {
      const Put put = put_by(code_of(lines[j], "#"));
      if (!holds(put.value, name) || is_bounded(lines, put.into, j + 1)) continue;
      if (function_around(lines, j + 1) == function) return j + 1;
    }
  }
  return 0;
}

std::size_t keeping_trees(const Lines& lines) {
  constexpr std::string_view kClears[] = {".clear()", ".remove(", "del "};
  std::size_t parsing = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], "#");
    if (contains_any(code, kClears)) return 0;
    if (parsing == 0 && find_word(code, "iterparse") != std::string_view::npos && !contains(code, "import "))
      parsing = i + 1;
  }
  return parsing;
}

std::size_t keeping_losses(const Lines& lines) {
  constexpr std::string_view kBackward = ".backward(";
  constexpr std::size_t kNear = 12;  // lines around the call
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], "#");
    const std::size_t call = code.find(kBackward);
    const std::string_view name = call == std::string_view::npos ? std::string_view() : name_before(code, call);
    if (name.empty()) continue;
    for (std::size_t j = i - std::min(i, kNear); j < std::min(lines.size(), i + kNear); ++j) {
      const Put put = put_by(code_of(lines[j], "#"));
      if (holds(put.value, name) && !is_bounded(lines, put.into, j + 1)) return j + 1;
    }
  }
  return 0;
}

std::size_t keeping_listeners(const Lines& lines) {
  constexpr std::string_view kGives[] = {"subscribe(", "listener(", "Listener(", "connect(", "register(", "observer(",
                                         "attach(",    "callback(", "on(",       ".append(", "add(",      "bind("};
  constexpr std::string_view kTakes[] = {"unsubscribe(", "remove", "disconnect(", "unregister(",
                                         "detach(",      "off(",   "discard(",    "unbind("};
  constexpr std::string_view kSelf = "self.";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], "#");
    const std::size_t close = code.rfind(')');
    const bool statement = close != std::string_view::npos && code.find_last_not_of(' ') == close &&
                           is_name(code[std::min(indent_of(code), code.size() - 1)]);
    if (!statement || !contains_any(code, kGives) || contains_any(code, kTakes)) continue;
    const std::string_view name = name_before(code, close);
    const std::size_t at = close - name.size();
    if (name.empty() || at < kSelf.size() + 1 || code.substr(at - kSelf.size(), kSelf.size()) != kSelf) continue;
    if (const char before = code[at - kSelf.size() - 1]; before != '(' && before != ' ') continue;
    const std::string method = "def " + std::string(name) + "(", argument = "self." + std::string(name);
    const bool is_method = std::any_of(lines.begin(), lines.end(),
                                       [&](const std::string& line) { return line.find(method) != std::string::npos; });
    const bool taken_back = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(argument) != std::string::npos && contains_any(line, kTakes);
    });
    if (is_method && !taken_back) return i + 1;
  }
  return 0;
}

namespace {
// "functools.lru_cache" of "@functools.lru_cache(maxsize=8)"; empty: it is no decorator.
std::string_view decorator_in(const std::string& line) {
  const std::string_view code = trimmed(code_of(line, "#"));
  return code.starts_with('@') ? trimmed(code.substr(1, code.find('(') - 1)) : std::string_view();
}
}  // namespace

std::size_t cache_among_decorators(const Lines& lines, std::size_t first) {
  constexpr std::string_view kCaches[] = {"lru_cache", "cache", "cached"};
  for (std::size_t at = first; at >= 1 && at <= lines.size(); ++at) {
    std::string_view name = decorator_in(lines[at - 1]);
    if (name.empty()) break;
    name.remove_prefix(name.rfind('.') + 1);
    if (std::find(std::begin(kCaches), std::end(kCaches), name) != std::end(kCaches)) return at;
  }
  return 0;
}

std::size_t cache_around(const Lines& lines, std::size_t number) {
  constexpr std::string_view kOfFunctools[] = {"cache", "functools.cache", "lru_cache", "functools.lru_cache"};
  std::size_t first = 0;  // the function's head, then the first of its decorators
  heads_above(lines, number, [&](std::string_view code, std::size_t at) {
    if (!code.starts_with("def ")) return true;
    first = at;
    return false;
  });
  while (first > 1 && !decorator_in(lines[first - 2]).empty()) --first;
  const std::size_t cache = cache_among_decorators(lines, first);
  if (cache == 0) return 0;
  const std::string_view name = decorator_in(lines[cache - 1]);
  return std::find(std::begin(kOfFunctools), std::end(kOfFunctools), name) != std::end(kOfFunctools) ? cache : 0;
}

std::size_t keeping_cache(const Lines& lines, std::size_t number) {
  constexpr std::string_view kWithoutEnd[] = {"lru_cache(maxsize=None", "lru_cache(None"};
  const std::size_t cache = cache_around(lines, number);
  if (cache == 0) return 0;
  const std::string_view code = trimmed(code_of(lines[cache - 1], "#"));
  if (!code.ends_with(".cache") && code != "@cache" && !contains_any(code, kWithoutEnd)) return 0;
  const bool emptied = std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find(".cache_clear(") != std::string::npos;
  });
  return emptied ? 0 : cache;
}

bool keeps_what_it_makes(const Lines& lines, std::int64_t number) {
  if (number <= 0 || static_cast<std::size_t>(number) > lines.size()) return false;
  const Put put = put_by(code_of(lines[static_cast<std::size_t>(number) - 1], "#"));
  return !put.value.empty() && !is_slice(put.value) && put.value.find('(') != std::string_view::npos;
}

std::string function_around(const Lines& lines, std::size_t number) {
  std::size_t indent = indent_of(lines[number - 1]);
  for (std::size_t i = number - 1; i-- > 0 && indent > 0;) {
    const std::size_t its = indent_of(lines[i]);
    if (its >= indent) continue;
    indent = its;
    const std::size_t def = lines[i].find("def "), open = lines[i].find('(');
    if (def != std::string::npos && open != std::string::npos && def < open)
      return lines[i].substr(def + 4, open - def - 4);
  }
  return "<module>";
}

}  // namespace prof::findings
