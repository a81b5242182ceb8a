#include "report/findings/javascript.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "report/findings/source_words.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace {

// Whether the line loads code that is no part of Node: what does the work may stand there.
bool loads_other_code(std::string_view code) {
  constexpr std::string_view kOfNode[] = {
      "assert", "buffer", "child_process", "crypto", "events", "fs",  "http",           "https",      "net",
      "os",     "path",   "stream",        "util",   "zlib",   "url", "worker_threads", "perf_hooks", "readline"};
  std::size_t at = code.find("require(");
  if (at == std::string_view::npos && (code.starts_with("import ") || contains(code, " from "))) at = 0;
  if (at == std::string_view::npos) return false;
  const std::size_t open = code.find_first_of("'\"", at);
  if (open == std::string_view::npos) return true;
  const std::string_view name = code.substr(open + 1, code.find(code[open], open + 1) - open - 1);
  const bool of_node = name.starts_with("node:") ||
                       std::find(std::begin(kOfNode), std::end(kOfNode), name) != std::end(kOfNode) ||
                       name.starts_with("fs/");
  return !of_node;
}

}  // namespace

std::vector<std::string> scripts_of(const Evidence& evidence, const model::Process& process) {
  std::vector<std::string> out;
  for (std::size_t i = 1; i < process.argv.size() && out.empty(); ++i) {
    if (!process.argv[i].starts_with('-')) out.push_back(process.argv[i]);
  }
  for (std::uint32_t id = 0; id < evidence.symbols().function_count(); ++id) {
    const std::string& file = evidence.symbols().function(id).file;
    if (evidence.own().function(id) && file.find(".js") != std::string::npos &&
        std::find(out.begin(), out.end(), file) == out.end())
      out.push_back(file);
  }
  return out;
}

namespace {

// "./users" of "const users = require('./users');" or "import users from './users';"; empty: it loads no such file.
std::string_view loaded_beside(std::string_view code) {
  for (const std::string_view word : {"require(", " from ", "import("}) {
    const std::size_t at = code.find(word);
    if (at == std::string_view::npos) continue;
    const std::size_t open = code.find_first_of("'\"`", at + word.size());
    if (open == std::string_view::npos || code.substr(open + 1, 1) != ".") continue;
    return code.substr(open + 1, code.find(code[open], open + 1) - open - 1);
  }
  return {};
}

}  // namespace

std::vector<std::string> own_scripts(const Evidence& evidence, const model::Process& process) {
  symbols::SourceFiles& files = evidence.sources();
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    const symbols::SourceFile& file = files.file(name);
    if (file.readable && std::find(out.begin(), out.end(), file.path.string()) == out.end())
      out.push_back(file.path.string());
    return file.readable;
  };
  for (const std::string& script : scripts_of(evidence, process)) add(script);
  for (std::size_t i = 0; i < out.size() && out.size() < kMostScripts; ++i) {
    const std::filesystem::path folder = std::filesystem::path(out[i]).parent_path();
    for (const std::string& line : Lines(files.file(out[i]).lines)) {
      const std::string_view beside = loaded_beside(code_of(line, "//"));
      if (beside.empty() || out.size() >= kMostScripts) continue;
      const std::string name = (folder / beside).lexically_normal().string();
      for (const char* ending : {"", ".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"}) {
        if (add(std::filesystem::path(name + ending).lexically_normal().string())) break;
      }
    }
  }
  return out;
}

// Where more do, it is no one's fault, or a bundle of packages.
constexpr std::size_t kMostLines = 20;

std::vector<Place> lines_where(const Evidence& evidence, const model::Process& process,
                               const std::function<bool(std::string_view)>& is) {
  std::vector<Place> found;
  symbols::SourceFiles& files = evidence.sources();
  for (const std::string& script : scripts_of(evidence, process)) {
    const symbols::SourceFile& file = files.file(script);
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string_view code = code_of(file.lines[i], "//");
      if (loads_other_code(code)) return {};
      const std::string_view text = trimmed(code);
      if (text.starts_with('*') || text.starts_with("/*") || !is(code)) continue;
      Place place{file.path.string(), static_cast<std::int64_t>(i + 1), {}};
      if (std::find(found.begin(), found.end(), place) != found.end()) continue;
      found.push_back(std::move(place));
      if (found.size() > kMostLines) return {};
    }
  }
  return found;
}

std::optional<Place> sole_line(const Evidence& evidence, const model::Process& process,
                               const std::function<bool(std::string_view)>& is) {
  std::vector<Place> found = lines_where(evidence, process, is);
  if (found.size() != 1) return std::nullopt;
  return std::move(found.front());
}

bool answers_others(const Lines& lines, std::int64_t number) {
  constexpr std::string_view kHeads[] = {"async ", "(req", "(ctx", "(context", "(socket", ".on(", ".get(", ".post("};
  if (number <= 0 || static_cast<std::size_t>(number) > lines.size()) return false;
  std::size_t indent = indent_of(lines[static_cast<std::size_t>(number) - 1]);
  for (std::size_t i = static_cast<std::size_t>(number) - 1; i > 0 && indent > 0; --i) {
    const std::string& line = lines[i - 1];
    if (trimmed(line).empty() || indent_of(line) >= indent) continue;
    indent = indent_of(line);
    if (contains_any(code_of(line, "//"), kHeads)) return true;
  }
  return false;
}

}  // namespace prof::findings
