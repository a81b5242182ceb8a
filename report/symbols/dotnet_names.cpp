#include "report/symbols/dotnet_names.hpp"

#include <algorithm>
#include <iterator>

#include "report/model/text.hpp"

namespace prof::symbols {
namespace {

constexpr std::string_view kStub = "stub<";

// "[OptimizedTier1]" behind the parameters.
std::string_view without_tier(std::string_view name) {
  if (!name.ends_with(']')) return name;
  const std::size_t at = name.rfind('[');
  return at != std::string_view::npos && at > 0 && name[at - 1] == ')' ? name.substr(0, at) : name;
}

// Without the arguments of types: "List`1[System.Int32]" -> "List".
std::string without_arguments(std::string_view type) {
  std::string out;
  int depth = 0;
  for (std::size_t i = 0; i < type.size(); ++i) {
    const char c = type[i];
    if (c == '[') ++depth;
    if (depth == 0 && c == '`') {
      while (i + 1 < type.size() && type[i + 1] >= '0' && type[i + 1] <= '9') ++i;
    } else if (depth == 0) {
      out += c == '+' ? '.' : c;
    }
    if (c == ']' && depth > 0) --depth;
  }
  return out;
}

// Of "<Sort>b__1_0" the method that it was made of and what follows; nothing: it was not made.
struct Made {
  std::string_view of, kind;
};
std::optional<Made> made_of(std::string_view part) {
  if (!part.starts_with('<')) return {};
  // The method may be generic, or be made itself: "<<Main>b__0>d".
  int depth = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '<') ++depth;
    if (part[i] == '>' && --depth == 0) return Made{part.substr(1, i - 1), part.substr(i + 1)};
  }
  return {};
}

std::string readable(std::string_view method) {
  const auto made = made_of(method);
  if (!made || made->of.empty()) return std::string(method);
  const std::string of = readable(made->of);
  if (made->kind.starts_with('b') || made->kind.starts_with('m')) return of + " (lambda)";
  if (!made->kind.starts_with("g__")) return of;
  const std::string_view local = made->kind.substr(3);
  return of + '.' + std::string(local.substr(0, local.find('|')));
}

// Of a type and a method of it.
std::string called(std::string_view type, std::string_view method) {
  std::string in = without_arguments(type);
  // What holds the state of a method that waits or yields, or what lambdas share, is a type within its own.
  const std::size_t last = in.rfind(".<");
  if (last == std::string::npos) return in + '.' + readable(method);
  const std::string inner = in.substr(last + 1);
  in.resize(last);
  for (std::size_t shared = in.rfind(".<>"); shared != std::string::npos; shared = in.rfind(".<>")) in.resize(shared);
  const auto made = made_of(inner);
  const bool state = made && !made->of.empty() && made->kind.starts_with('d');
  return in + '.' + readable(state ? made->of : method);
}

}  // namespace

std::optional<DotnetMethod> dotnet_method(std::string_view name) {
  if (name.starts_with(kStub)) {
    std::string_view kind = name.substr(std::min(name.find("> "), name.size()));
    if (kind.size() <= 2) return {};
    kind.remove_prefix(2);
    const std::string whole = "(.NET stub " + std::string(kind.substr(0, kind.find('<'))) + ')';
    return DotnetMethod{whole, whole, ""};
  }
  name = without_tier(name);
  if (!name.ends_with(')')) return {};
  // What it returns may name an assembly, too, but has no blank behind it.
  const std::size_t separator = name.find("::");
  if (separator == std::string_view::npos) return {};
  const std::size_t end = name.substr(0, separator).rfind("] ");
  if (end == std::string_view::npos) return {};
  const std::size_t begin = name.rfind('[', end);
  const std::size_t open = name.find('(', separator);
  if (begin == std::string_view::npos || (begin != 0 && name[begin - 1] != ' ') || open == std::string_view::npos)
    return {};
  const std::string_view type = name.substr(end + 2, separator - end - 2);
  const std::string_view method = name.substr(separator + 2, open - separator - 2);
  const std::string_view assembly = name.substr(begin + 1, end - begin - 1);
  if (type.empty() || method.empty() || assembly.empty()) return {};
  const std::string short_name = called(type, method);
  return DotnetMethod{short_name + std::string(name.substr(open)), short_name, std::string(assembly)};
}

bool is_of_dotnet_itself(std::string_view assembly) {
  static constexpr std::string_view kOwn[] = {"System",      "Microsoft",   "mscorlib",
                                              "netstandard", "WindowsBase", "FSharp"};
  const std::string_view first = assembly.substr(0, assembly.find('.'));
  return std::find(std::begin(kOwn), std::end(kOwn), first) != std::end(kOwn);
}

}  // namespace prof::symbols
