#include "report/findings/rules/python/made_functions.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/findings/source_loops.hpp"
#include "report/findings/source_words.hpp"
#include "report/model/text.hpp"

namespace prof::findings::made_functions {
namespace {

// Names that make a function to be compiled, by who compiles it.
std::vector<std::string_view> makers(By by) {
  switch (by) {
    case By::Jax:
      return {"jit", "pmap"};
    case By::Numba:
      return {"njit", "jit"};
    case By::Torch:
      return {"torch.compile"};
    case By::Cupy:
      return {"RawKernel", "ElementwiseKernel"};
    case By::Triton:
    case By::Nobody:
      break;
  }
  return {};
}

bool in_text(std::string_view code, std::size_t at) {
  char quote = 0;
  for (std::size_t i = 0; i < at; ++i) {
    if (quote == 0 && (code[i] == '"' || code[i] == '\''))
      quote = code[i];
    else if (code[i] == quote)
      quote = 0;
  }
  return quote != 0;
}

// Whether the line makes a function of which nothing was compiled before. JAX and PyTorch know one again that is handed
// over once more under the same name; Numba makes another one of it.
bool makes_function(By by, std::string_view code) {
  const bool decorates = code.substr(indent_of(code)).starts_with('@');
  for (const std::string_view maker : makers(by)) {
    const std::size_t at = find_word(code, maker);
    if (at == std::string_view::npos || in_text(code, at)) continue;
    std::string_view rest = code.substr(at + maker.size());
    if (decorates) return true;
    if (!rest.starts_with('(')) continue;
    rest.remove_prefix(1);
    const std::string_view first = rest.substr(0, rest.find_first_of(",)"));
    if (by == By::Numba || by == By::Cupy || first.starts_with("lambda") || first.find('(') != std::string_view::npos)
      return true;
  }
  return false;
}

// Whether the line, in the loop at `loop`, stands below a condition: what is made where it is not there yet is kept.
bool is_conditional(const Lines& lines, std::size_t loop, std::size_t number) {
  bool found = false;
  heads_above(lines, number, [&](std::string_view code, std::size_t head) {
    if (head <= loop) return false;
    found |= code.starts_with("if ") || code.starts_with("elif ") || code.starts_with("else") ||
             code.starts_with("try") || code.starts_with("except");
    return true;
  });
  return found;
}

// "@functools.lru_cache" above a definition: it keeps what it makes.
bool is_kept(const Lines& lines, std::size_t def) {
  return def >= 2 && lines[def - 2].find("cache") != std::string::npos;
}

// Whether the function makes code of text: each time it may be other code, which nothing compiled before serves.
bool is_made_of_text(const Lines& lines, std::size_t def) {
  bool text = false;
  lines_below(lines, def, [&](std::string_view body, std::size_t) {
    text = contains(body, "exec(") || contains(body, "eval(");
    return !text;
  });
  return text;
}

// Whether the line calls a function of the same file that makes one.
bool calls_maker(By by, const Lines& lines, std::string_view code) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view head = code_of(lines[i], "#");
    const std::size_t def = indent_of(head);
    if (!head.substr(def).starts_with("def ")) continue;
    const std::string_view name =
        head.substr(def + 4, head.find('(') == std::string_view::npos ? 0 : head.find('(') - def - 4);
    const std::size_t at = name.empty() ? std::string_view::npos : find_word(code, name);
    if (at == std::string_view::npos || !code.substr(at + name.size()).starts_with('(')) continue;
    if (is_kept(lines, i + 1)) continue;
    bool makes = false;
    lines_below(lines, i + 1, [&](std::string_view body, std::size_t) {
      makes = makes_function(by, body);
      return !makes;
    });
    if (makes && !is_made_of_text(lines, i + 1)) return true;
  }
  return false;
}

// The line of the block below `head` that makes a function, itself or, where `calls`, by one that it calls.
std::optional<Made> made_below(By by, const Lines& lines, std::size_t head, const Place& place, bool calls) {
  std::optional<Made> made;
  std::size_t last = head;
  lines_below(lines, head, [&](std::string_view code, std::size_t number) {
    last = number;
    if (made || is_conditional(lines, head, number)) return true;
    if (!makes_function(by, code) && !(calls && calls_maker(by, lines, code))) return true;
    made = Made{place, static_cast<std::int64_t>(head), 0};
    made->place.line = static_cast<std::int64_t>(number);
    return true;
  });
  if (made) made->end = static_cast<std::int64_t>(last) + 1;
  return made;
}

// In the outermost loop around `place`, in its function.
std::optional<Made> made_in_loop(symbols::SourceFiles& files, By by, const Place& place) {
  const symbols::SourceFile& file = files.file(place.file);
  if (!file.readable || place.line <= 0) return std::nullopt;
  std::size_t loop = 0;
  heads_above(file.lines, static_cast<std::size_t>(place.line), [&](std::string_view code, std::size_t head) {
    if (code.starts_with("def ") || code.starts_with("class ") || code.starts_with("async def ")) return false;
    if (code.starts_with("for ") || code.starts_with("while ")) loop = head;
    return true;
  });
  return made_below(by, file.lines, loop, place, true);
}

// Whether the element of a comprehension calls the function: "[cool_down(plate) for plate in plates]", and not "run([x
// for x in plates])".
bool calls_in_comprehension(std::string_view line, std::string_view function) {
  function = last_part(function);
  const std::size_t each = line.find(" for "), at = find_word(line.substr(0, std::min(each, line.size())), function);
  if (each == std::string_view::npos || at == std::string_view::npos) return false;
  if (line.find(" in ", each) == std::string_view::npos ||
      line.substr(0, at).find_last_of("[({") == std::string_view::npos)
    return false;
  int depth = 0;  // 0: the call has ended before the loop begins
  for (const char c : line.substr(at, each - at)) {
    depth += (c == '[' || c == '(' || c == '{') ? 1 : 0;
    depth -= (c == ']' || c == ')' || c == '}') ? 1 : 0;
  }
  return depth == 0;
}

// In the function that `place` stands in, where a loop calls that.
std::optional<Made> made_in_called(symbols::SourceFiles& files, By by, const Place& place) {
  if (place.callers.empty()) return std::nullopt;
  const Place& caller = place.callers.front();
  const symbols::SourceFile &file = files.file(place.file), &above = files.file(caller.file);
  if (!file.readable || !above.readable || caller.line <= 0 || place.line <= 0) return std::nullopt;
  const auto number = static_cast<std::size_t>(caller.line);
  if (number > above.lines.size()) return std::nullopt;
  if (!in_loop(above.lines, number) && !calls_in_comprehension(code_of(above.lines[number - 1], "#"), place.function))
    return std::nullopt;
  std::size_t def = 0;
  heads_above(file.lines, static_cast<std::size_t>(place.line), [&](std::string_view code, std::size_t head) {
    if (code.starts_with("def ") || code.starts_with("async def ")) def = head;
    return def == 0;
  });
  if (is_kept(file.lines, def) || is_made_of_text(file.lines, def)) return std::nullopt;
  return made_below(by, file.lines, def, place, true);
}

}  // namespace

std::optional<Made> made_again(symbols::SourceFiles& files, By by, const Place& place) {
  std::optional<Made> made = made_in_loop(files, by, place);
  return made ? made : made_in_called(files, by, place);
}

}  // namespace prof::findings::made_functions
