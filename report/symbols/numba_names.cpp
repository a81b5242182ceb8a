#include "report/symbols/numba_names.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

namespace prof::symbols {
namespace {

constexpr std::size_t kLongestSymbol = 16384, kMostParts = 64;

// Takes "3fib" off the text: 3 characters behind the number.
std::optional<std::string_view> take_part(std::string_view& text) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || length == 0 || length > text.size() - digits) return {};
  const std::string_view part = text.substr(digits, length);
  text.remove_prefix(digits + length);
  return part;
}

bool is_version(std::string_view tag) {
  return tag.size() > 1 && tag[0] == 'v' && tag.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

// "_3clocals_3e" as it was: what stands for no character of a name is no escape.
std::string unescaped(std::string_view part) {
  std::string out;
  for (std::size_t i = 0; i < part.size(); ++i) {
    unsigned char byte = 0;
    const char* const digits = part.data() + i + 1;
    const bool escape = part[i] == '_' && i + 2 < part.size() &&
                        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2 && byte > ' ' && byte < 0x7f &&
                        std::isalnum(byte) == 0 && byte != '_';
    out += escape ? static_cast<char>(byte) : part[i];
    i += escape ? 2 : 0;
  }
  return out;
}

std::string joined(const std::vector<std::string>& parts, std::size_t from, std::size_t to, char between) {
  std::string out;
  for (std::size_t i = from; i < to; ++i) {
    if (i != from) out += between;
    out += parts[i];
  }
  return out;
}

bool ends_with_path(std::string_view file, std::string_view tail) {
  return file.ends_with(tail) && (file.size() == tail.size() || file[file.size() - tail.size() - 1] == '/');
}

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

bool defines(std::string_view line, std::string_view function) {
  line = without_indent(line);
  if (!line.starts_with("def ")) return false;
  line = without_indent(line.substr(4));
  return line.starts_with(function) && without_indent(line.substr(function.size())).starts_with('(');
}

bool is_parallel_loop(const NumbaName& name) { return name.parts.back().starts_with("__numba_parfor_gufunc"); }

}  // namespace

std::optional<NumbaName> numba_name(std::string_view symbol) {
  // "cfunc._ZN...", and so on.
  constexpr std::pair<std::string_view, NumbaName::Entry> kEntries[] = {{"cfunc.", NumbaName::Entry::FromC},
                                                                        {"cpython.", NumbaName::Entry::FromPython},
                                                                        {"__ufunc__.", NumbaName::Entry::FromNumPy},
                                                                        {"__gufunc__.", NumbaName::Entry::FromNumPy}};
  NumbaName name;
  if (symbol.size() > kLongestSymbol) return {};
  for (const auto& [prefix, entry] : kEntries) {
    if (!symbol.starts_with(prefix)) continue;
    symbol.remove_prefix(prefix.size());
    name.entry = entry;
    break;
  }
  if (!symbol.starts_with("_ZN")) return {};
  symbol.remove_prefix(3);
  bool version = false;
  while (!symbol.empty() && name.parts.size() < kMostParts) {
    if (symbol[0] == 'B') {
      symbol.remove_prefix(1);
      const auto tag = take_part(symbol);
      if (!tag) return {};
      version |= is_version(*tag);
    } else if (const auto part = take_part(symbol)) {
      name.parts.push_back(unescaped(*part));
    } else {
      break;
    }
  }
  if (!version || name.parts.empty()) return {};
  // The entries are in a namespace of their own.
  const bool from_c = name.parts[0] == "cfunc", from_python = name.parts[0] == "cpython";
  if (name.parts.size() > 2 && (from_c || from_python)) {
    name.entry = from_c ? NumbaName::Entry::FromC : NumbaName::Entry::FromPython;
    name.parts.erase(name.parts.begin());
  }
  return name;
}

// The module's name comes first, and is as long as there is a file of that name among those whose code ran. The
// program's own module is the script that it was started with.
NumbaNames::Module NumbaNames::module_of(const model::Process& process, const std::vector<std::string>& parts) {
  if (parts[0] == "__main__") {
    for (std::size_t i = 1; i < process.argv.size(); ++i) {
      const std::string& argument = process.argv[i];
      if (argument.starts_with('-')) continue;
      const auto ran = std::find_if(process.codes.begin(), process.codes.end(), [&](const model::Code& code) {
        return !code.file.empty() && ends_with_path(code.file, argument);
      });
      if (ran != process.codes.end()) return {ran->file, 1};
    }
    return {"", 1};
  }
  for (std::size_t n = parts.size() - 1; n > 0; --n) {
    const std::string path = joined(parts, 0, n, '/');
    for (const model::Code& code : process.codes) {
      if (ends_with_path(code.file, path + ".py") || ends_with_path(code.file, path + "/__init__.py"))
        return {code.file, n};
    }
  }
  return {};
}

// Where the source has one function of that name alone.
std::uint32_t NumbaNames::line_of(const std::string& file, const std::string& function) {
  const SourceFile& source = sources_.file(file);
  if (!source.readable || source.newer) return 0;
  const auto is_it = [&](const std::string& line) { return defines(line, function); };
  const auto found = std::find_if(source.lines.begin(), source.lines.end(), is_it);
  if (found == source.lines.end() || std::find_if(found + 1, source.lines.end(), is_it) != source.lines.end()) return 0;
  // Its decorators, which may have several lines: what stands at the indent of the `def` and is none ends them.
  auto first = found;
  for (auto at = found; at != source.lines.begin();) {
    const std::string_view text = without_indent(*--at);
    if (text.starts_with('@')) first = at;
    const bool inside = at->size() - text.size() > found->size() - without_indent(*found).size();
    if (text.empty() || !(inside || text.starts_with('@') || text.starts_with(')'))) break;
  }
  return static_cast<std::uint32_t>(first - source.lines.begin()) + 1;
}

void NumbaNames::begin(const model::Process& process) {
  owners_.clear();
  const model::Tree& tree = process.tree;
  // By frame: whether it is numba's, and the name of the parallel loop that it is.
  std::vector<std::optional<NumbaName>> known(tree.frames.size());
  const auto name_at = [&](std::uint32_t frame) -> const model::Name* {
    const model::Frame& at = tree.frames[frame];
    return at.kind == model::Frame::Kind::Anonymous && at.name != model::kNoName ? &process.names[at.name] : nullptr;
  };
  bool any = false;
  for (std::uint32_t frame = 0; frame < tree.frames.size(); ++frame) {
    const model::Name* const name = name_at(frame);
    if (name == nullptr || name->kind != log::NameKind::MadeCode) continue;
    known[frame] = numba_name(name->name);
    any = any || (known[frame] && is_parallel_loop(*known[frame]));
  }
  if (!any) return;
  for (const model::Node& node : tree.nodes) {
    const std::optional<NumbaName>& loop = known[node.frame];
    if (!loop || !is_parallel_loop(*loop) || owners_.contains(loop->parts.back())) continue;
    for (std::uint32_t above = node.parent; above != 0; above = tree.nodes[above].parent) {
      const std::uint32_t frame = tree.nodes[above].frame;
      if (!known[frame] || is_parallel_loop(*known[frame]) || known[frame]->entry != NumbaName::Entry::Itself) continue;
      const model::Name& name = *name_at(frame);
      owners_[loop->parts.back()] = {name.name, name.group, tree.frames[frame].number};
      break;
    }
  }
}

std::optional<NumbaFunction> NumbaNames::function(const model::Process& process, std::string_view symbol,
                                                  const std::string& file, std::uint32_t line) {
  const auto known = numba_name(symbol);
  if (!known) return {};
  if (const auto owner = owners_.find(known->parts.back()); owner != owners_.end() && is_parallel_loop(*known)) {
    const auto [its_symbol, its_file, its_line] = owner->second;
    std::optional<NumbaFunction> whole = function(process, its_symbol, its_file, its_line);
    if (whole) whole->name += " (parallel loop)";
    return whole;
  }
  const std::vector<std::string>& parts = known->parts;
  NumbaFunction result;
  const Module module = module_of(process, parts);
  // The table of lines may name the file without its folder.
  result.file = file.starts_with('/') || module.file.empty() ? file : module.file;
  result.name = joined(parts, std::min(module.parts, parts.size() - 1), parts.size(), '.');
  result.line = known->entry != NumbaName::Entry::Itself || line == 0 ? line_of(result.file, parts.back()) : line;
  if (known->entry == NumbaName::Entry::FromPython) result.name += " (called from Python)";
  if (known->entry == NumbaName::Entry::FromC) result.name += " (called from C)";
  if (known->entry == NumbaName::Entry::FromNumPy) result.name += " (called from NumPy)";
  return result;
}

}  // namespace prof::symbols
