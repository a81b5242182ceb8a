#include "report/show/time/source_focus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "report/fold/own_code.hpp"
#include "report/model/text.hpp"
#include "report/symbols/java_folders.hpp"

namespace prof::show {
namespace {

constexpr std::size_t kMostCandidates = 8;

bool ends_path(std::string_view path, std::string_view end) {
  if (path == end) return true;
  return path.size() > end.size() && path.ends_with(end) && path[path.size() - end.size() - 1] == '/';
}

// "Orders" for "com/acme/Orders.java".
bool is_class(std::string_view file, std::string_view text) {
  if (!symbols::is_java_source(std::string(file))) return false;
  const std::string_view base = base_name(file);
  return base.substr(0, base.rfind('.')) == text;
}

bool names_function(std::string_view name, std::string_view wanted) {
  if (name == wanted) return true;
  return name.size() > wanted.size() && name.ends_with(wanted) && name[name.size() - wanted.size() - 1] == '.';
}

bool has_def(std::string_view name) { return !name.empty() && name.back() != '>'; }

// Functions by file, first line and name, with the last line of each that was seen.
using Functions = std::map<std::tuple<std::string, std::uint32_t, std::string>, std::uint32_t>;

class Candidates {
 public:
  Candidates(const Subject& subject, const fold::Lines& lines) {
    const fold::OwnCode own(subject.run, subject.symbols, subject.selection);
    for (const bool of_own : {true, false}) {
      for (const auto language : {symbols::Language::Python, symbols::Language::Native}) {
        for (const fold::SourceLine& row : lines.rows) {
          if (row.language == language && own.function(row.function) == of_own) add_file(row.file);
        }
      }
    }
    for (const fold::SourceLine& row : lines.rows) {
      const symbols::Function& function = subject.symbols.function(row.function);
      std::uint32_t& known = functions_[{row.file, function.line, function.name}];
      known = std::max(known, row.line);
    }
    for (const model::Process& process : subject.run.processes) {
      if (!subject.selection.includes(process)) continue;
      for (const model::Code& code : process.codes) {
        if (code.file.empty() || code.first_line <= 0) continue;
        add_file(code.file);
        const auto line = static_cast<std::uint32_t>(code.first_line);
        std::uint32_t& known = functions_[{code.file, line, code.display_name()}];
        known = std::max(known, line);
      }
    }
  }

  // One's own first, of these of Python; those with the most time first.
  const std::vector<std::string>& files() const { return files_; }
  const Functions& functions() const { return functions_; }

 private:
  void add_file(const std::string& file) {
    if (seen_.insert(file).second) files_.push_back(file);
  }

  std::vector<std::string> files_;
  std::set<std::string> seen_;
  Functions functions_;
};

std::string listed(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kMostCandidates);
  std::string out =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), "\n  "));
  if (shown < names.size()) out += fmt::format("\n  and {} more", names.size() - shown);
  return out;
}

[[noreturn]] void ambiguous(const std::string& text, const char* kind, const std::vector<std::string>& names) {
  throw NoSuchFocus(fmt::format("--focus {}: which {}? Give more of it:\n  {}", text, kind, listed(names)));
}

[[noreturn]] void unknown(const std::string& text, const Candidates& candidates) {
  if (candidates.files().empty()) throw NoSuchFocus("this run has no lines of source: no Python, no debug information");
  const char* problem = text.empty() ? "--view source wants a file or function: --focus FILE or --focus FUNCTION"
                                     : "no file or function of that name was seen";
  throw NoSuchFocus(fmt::format("{}{}{}. Files with the most time:\n  {}", text.empty() ? "" : "--focus " + text,
                                text.empty() ? "" : ": ", problem, listed(candidates.files())));
}

}  // namespace

SourceFocus source_focus(const Subject& subject, const fold::Lines& lines, const std::string& text) {
  const Candidates candidates(subject, lines);
  if (text.empty()) unknown(text, candidates);
  std::vector<std::string> files;
  for (const std::string& file : candidates.files()) {
    if (file == text) return {file, "", 0, 0, false};
    // Java knows its files by their place below the folder of all sources.
    if (ends_path(file, text) || is_class(file, text) || (symbols::is_java_source(file) && ends_path(text, file)))
      files.push_back(file);
  }
  if (files.size() == 1) return {files.front(), "", 0, 0, false};
  if (!files.empty()) ambiguous(text, "file", files);

  std::vector<SourceFocus> whole, parts;
  for (const auto& [key, known] : candidates.functions()) {
    const auto& [file, line, name] = key;
    if (!names_function(name, text)) continue;
    (name == text ? whole : parts).push_back({file, name, line, known, has_def(name)});
  }
  const std::vector<SourceFocus>& found = whole.empty() ? parts : whole;
  if (found.empty()) unknown(text, candidates);
  if (found.size() > 1) {
    std::vector<std::string> names;
    for (const SourceFocus& focus : found) {
      names.push_back(fmt::format("{} ({}:{})", focus.function, focus.file, focus.first));
    }
    ambiguous(text, "function", names);
  }
  return found.front();
}

}  // namespace prof::show
