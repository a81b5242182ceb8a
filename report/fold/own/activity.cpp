#include "report/fold/own/activity.hpp"

#include <algorithm>
#include <iterator>

#include "report/fold/own/activity_rows.hpp"
#include "report/fold/own/source_hints.hpp"
#include "report/fold/own_code.hpp"
#include "report/fold/team_libraries.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::fold {
namespace {

using namespace activity_rows;

template <std::size_t N>
const Row* row_for(std::string_view text, const Row (&rows)[N]) {
  const auto found =
      std::find_if(std::begin(rows), std::end(rows), [&](const Row& row) { return text.starts_with(row.begins); });
  return found == std::end(rows) ? nullptr : found;
}

// "numpy/fft.py" -> "numpy", "six.py" -> "six", "numpy.libs/libopenblas.so" -> "numpy", "_sha256.cpython-311.so" ->
// "_sha256".
std::string_view first_part(std::string_view path) { return path.substr(0, std::min(path.find('/'), path.find('.'))); }

// "java.util.HashMap$Node.<init>" -> "java.util.HashMap".
std::string_view class_of_method(std::string_view name) {
  const std::string_view of = name.substr(0, std::min(name.find(".<"), name.rfind('.')));
  return of.substr(0, of.find('$', 1));
}

bool is_runpy(const symbols::Function& function) {
  return function.file == "<frozen runpy>" || function.file.ends_with("/runpy.py");
}

// Of a function template the name without the type that it returns: "std::pair<int, int> std::_Rb_tree<...>::..." ->
// "std::_Rb_tree<...>::...".
std::string_view name_of_template(std::string_view name) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size() && name[i] != '('; ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == ' ' && depth == 0 && !name.substr(0, i).ends_with("operator")) begin = i + 1;
  }
  return name.substr(begin);
}

// One name for a package and for its libraries.
std::string_view package_name(std::string_view path) {
  const std::string_view part = first_part(path);
  return part == "torch" ? "PyTorch" : part;
}

std::string_view library_name(std::string_view base) {
  const std::size_t end = std::min(base.find(".so"), base.find('-'));
  return base.substr(0, end);
}

}  // namespace

Activities::Activities(const symbols::Symbols& symbols) : symbols_(symbols), cache_(symbols.function_count()) {
  own_code_ = named("own code", Says::Little).name;
}

Activity Activities::named(std::string_view name, Says says) {
  if (says == Says::Nothing) return {};
  const auto known = ids_.find(name);
  if (known != ids_.end()) return {known->second, says};
  const auto id = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  ids_.emplace(std::string(name), id);
  return {id, says};
}

Activity Activities::of(std::uint32_t function) {
  CachedActivity& cached = cache_[function];
  if (!cached.found) cached = {true, found(symbols_.function(function), false)};
  return cached.activity;
}

Activity Activities::of_program(std::uint32_t function) { return found(symbols_.function(function), true); }

Activity Activities::found(const symbols::Function& function, bool program) {
  using symbols::Language;
  const auto by = [this](const Row* row) { return named(row->activity, row->says); };
  const auto of_standard_library = [&](std::string_view module) {
    const auto row = std::find_if(std::begin(kStandard), std::end(kStandard),
                                  [&](const Row& known) { return known.begins == module; });
    return row != std::end(kStandard) ? by(row) : named(module, Says::Name);
  };
  switch (function.language) {
    case Language::Wait:
      // What a call computes that may wait, in the system for the most part.
      return named(std::string(symbols::waits_for(function)) + " calls", Says::Little);
    case Language::Api:
    case Language::Gpu:
    case Language::Range:
    case Language::Task:
    case Language::Shell:
      return {};
    case Language::Operator:
      return named("PyTorch", Says::Name);
    case Language::Python: {
      if (function.name == "<module>" && !program) return named("imports", Says::All);
      // Who compiles files does it by way of the import system.
      if (symbols::is_import_system(function) && function.name.ends_with("source_to_code"))
        return named("compiling code", Says::Name);
      if (symbols::is_import_system(function) && function.name == "_call_with_frames_removed") return {};
      if (symbols::is_import_system(function)) return named("imports", Says::All);
      if (const std::string_view package = below_packages(function.file); !package.empty()) {
        return named(package_name(package), Says::Name);
      }
      if (const std::string_view module = below_standard_library(function.file); !module.empty()) {
        // What they do there besides waiting.
        if (module == "multiprocessing/reduction.py" || module == "multiprocessing/connection.py" ||
            module == "multiprocessing/queues.py") {
          return named("pickling", Says::Name);
        }
        return of_standard_library(first_part(module));
      }
      return {};
    }
    case Language::Native:
      break;
  }
  if (function.module == symbols::kMadeByJava) return named(class_of_method(function.name), Says::Name);
  if (function.module == symbols::kMadeByDotnet && !function.file.empty())
    return named(class_of_method(function.short_name), Says::Name);
  if (symbols::is_pattern_of_v8(function)) return named("regular expressions", Says::All);
  if (symbols::is_made_at_run_time(function.module) || (function.special && function.name == symbols::kOutsideAnyFile))
    return named("code made at run time", Says::Little);
  if (function.special) return {};
  const std::string_view name = function.short_name.empty() ? function.name : function.short_name;
  if (function.interpreter) {
    if (const Row* const row = row_for(name, kInterpreter)) return by(row);
    // A module that is compiled into it: "_json.scanstring".
    const auto row = std::find_if(std::begin(kStandard), std::end(kStandard), [&](const Row& known) {
      return known.begins == first_part(name) && name.size() > known.begins.size();
    });
    return row != std::end(kStandard) ? by(row) : named(kUnnamedActivity, Says::Little);
  }
  if (const Row* const row = row_for(name_of_template(name), kCxx)) return by(row);
  const std::string_view base = base_name(function.module);
  // What was inlined, or made of a template, is in the program's own file.
  if (name.starts_with("std::") || name.starts_with("__gnu_cxx::")) return named("C++ library", Says::Little);
  // Told from the libraries that have it do the work: it is what takes so long.
  if (function.module.find("/blas/libblas.so") != std::string::npos) return named(kReferenceBlas, Says::All);
  // What it calls back has a name of its own; packages bring copies of it.
  if (name == "blas_thread_server" || name.starts_with("exec_blas_async"))
    return named("OpenBLAS's busy waiting", Says::Name);
  if (is_openmp_library(base)) return named("OpenMP", Says::Name);
  if (const std::string_view package = below_packages(function.module); !package.empty()) {
    return named(package_name(package), Says::Name);
  }
  if (!below_standard_library(function.module).empty()) {
    return of_standard_library(first_part(base));
  }
  if (base.starts_with("libc.") || base.starts_with("libc-")) {
    const Row* const row = row_for(name, kLibc);
    return row != nullptr ? by(row) : named("libc", Says::Little);
  }
  if (const Row* const row = row_for(base, kLibraries)) return by(row);
  if (base.find(".so") != std::string_view::npos) return named(library_name(base), Says::Name);
  // A program without lines of its own. Its name alone might be that of an activity.
  return base.empty() || base.front() == '[' ? Activity{} : named("code of " + std::string(base), Says::Name);
}

// What the interpreter does without a name, by the text of the line of Python that it is directly below.
class SourceHints {
 public:
  SourceHints(const CallTree& tree, Activities& activities)
      : symbols_(tree.symbols()), activities_(activities), files_(tree.own().run()) {}

  // `location` is of a line of Python.
  Activity of(std::uint32_t location) {
    const auto [known, is_new] = known_.try_emplace(location);
    if (!is_new) return known->second;
    const symbols::Location& at = symbols_.location(location);
    const std::string& file = at.file.empty() ? symbols_.function(at.function).file : at.file;
    if (const std::string_view name = activity_of_source(files_.line(file, at.line)); !name.empty())
      known->second = activities_.named(name, Says::Name);
    return known->second;
  }

 private:
  const symbols::Symbols& symbols_;
  Activities& activities_;
  symbols::SourceFiles files_;
  std::map<std::uint32_t, Activity> known_;
};

std::vector<Activity> activities_below_own(const CallTree& tree, Activities& activities) {
  const std::vector<CallNode>& nodes = tree.nodes();
  SourceHints hints(tree, activities);
  const std::uint32_t unnamed = activities.named(kUnnamedActivity, Says::Little).name;
  std::vector<Activity> out(nodes.size());
  std::vector<bool> runs(nodes.size());           // the innermost function of Python runs a module as the program
  std::vector<std::uint32_t> line(nodes.size());  // location of the innermost function of Python
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {  // parents stand before their children
    const std::uint32_t function = tree.function_id(node), parent = nodes[node].parent;
    const bool python = tree.function(node).language == symbols::Language::Python;
    line[node] = python ? nodes[node].location : line[parent];
    runs[node] = python ? is_runpy(tree.function(node)) : runs[parent];
    if (tree.own().function(function)) continue;
    const Activity here = python && runs[parent] ? activities.of_program(function) : activities.of(function);
    out[node] = out[parent].below(here);
    const bool asked = out[node].name == unnamed && here.name == unnamed && line[node] != 0;
    if (asked && tree.own().location(line[node])) out[node] = out[node].below(hints.of(line[node]));
  }
  return out;
}

}  // namespace prof::fold
