#include "report/fold/own_code.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/symbols/cython_names.hpp"
#include "report/symbols/dotnet_names.hpp"
#include "report/symbols/java_folders.hpp"

namespace prof::fold {
namespace {

constexpr std::string_view kPackageFolders[] = {"/site-packages/", "/dist-packages/", "/node_modules/"};

// What the distribution fills. /usr/local is the administrator's: programs there are often the user's.
constexpr std::string_view kSystemFolders[] = {"/usr/lib/",   "/usr/lib32/", "/usr/lib64/", "/usr/libexec/",
                                               "/lib/",       "/lib32/",     "/lib64/",     "/usr/share/",
                                               "/usr/games/", "/nix/store/", "/snap/"};
constexpr std::string_view kSystemPrograms[] = {"/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/"};
constexpr std::string_view kSystemSources[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/", "/usr/src/",
                                               "/usr/local/cuda"};

// Of .NET's runtime, which programs may bring along.
constexpr std::string_view kDotnetFolder = "/shared/Microsoft.NETCore.App/";
constexpr std::string_view kDotnetFiles[] = {
    "libcoreclr.so",       "libclrjit.so",     "libclrgc.so",        "libhostfxr.so",
    "libSystem.Native.so", "libhostpolicy.so", "libmscordaccore.so", "libcoreclrtraceptprovider.so"};

constexpr std::string_view kRuntimes[] = {"node", "deno",  "bun", "java",   "ruby",     "php",  "perl",
                                          "lua",  "julia", "R",   "dotnet", "beam.smp", "mono", "pypy3"};

// Tools that choose between versions stand in front of programs as scripts.
constexpr std::string_view kVersionManagers[] = {"/.pyenv/", "/.rbenv/", "/.nodenv/", "/.nvm/",
                                                 "/.asdf/",  "/.jenv/",  "/.sdkman/"};

bool is_of_version_manager(std::string_view script) {
  return std::any_of(std::begin(kVersionManagers), std::end(kVersionManagers),
                     [&](std::string_view folder) { return script.find(folder) != std::string_view::npos; });
}

bool below_any(std::string_view path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) { return is_below(path, folder); });
}

bool names_file(const std::vector<std::string>& paths, std::string_view file) {
  return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) { return base_name(path) == file; });
}

// Code that has no file of its own, though somebody wrote it: given to `python -c`, typed in, cells of notebooks.
// Others compile strings, too: dataclasses and named tuples.
bool typed_in(const symbols::Function& function, bool commands) {
  if (function.file.starts_with("<ipython-input") || function.file.starts_with("<stdin>")) return true;
  return commands && function.file == "<string>";
}

// Headers of Python and of packages, whose code is in whoever includes them.
bool is_package_source(std::string_view file) {
  return file.find("/include/python") != std::string_view::npos || !below_packages(file).empty();
}

std::string_view first_part(std::string_view name) { return name.substr(0, name.find('.')); }

// "Acme.Orders.dll" of `dotnet Acme.Orders.dll` and of `Acme.Orders`.
void add_dotnet_programs(const model::Process& process, std::set<std::string, std::less<>>& programs) {
  programs.insert(std::string(base_name(process.exe)) + ".dll");
  for (const std::string& argument : process.argv) {
    if (argument.ends_with(".dll")) programs.emplace(base_name(argument));
  }
}

// What multiprocessing starts its workers and helpers by is a command of its own.
bool runs_a_command(const model::Process& process) {
  const auto at = std::find(process.argv.begin(), process.argv.end(), "-c");
  return process.python && at != process.argv.end() &&
         (std::next(at) == process.argv.end() || !std::next(at)->starts_with("from multiprocessing."));
}

}  // namespace

std::string_view below_packages(std::string_view path) {
  for (const std::string_view folder : kPackageFolders) {
    const std::size_t at = path.rfind(folder);
    if (at != std::string_view::npos) return path.substr(at + folder.size());
  }
  return {};
}

std::string_view below_standard_library(std::string_view path) {
  // lib/python3.11/..., lib/pypy3.10/..., wherever Python is installed.
  for (const std::string_view library : {"/lib/python3", "/lib/pypy3"}) {
    const std::size_t at = path.find(library);
    if (at == std::string_view::npos || !below_packages(path).empty()) continue;
    const std::size_t slash = path.find('/', at + library.size());
    return slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return {};
}

bool is_installed_python(std::string_view file) {
  if (file.empty() || file.starts_with('<')) return true;
  return !below_packages(file).empty() || !below_standard_library(file).empty();
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) &&
         (path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/');
}

bool is_installed_file(std::string_view path) {
  return begins_with_any(path, kSystemFolders) || begins_with_any(path, kSystemPrograms) ||
         !below_packages(path).empty() || !below_standard_library(path).empty() || is_of_dotnet_runtime(path);
}

bool is_of_dotnet_runtime(std::string_view path) {
  return path.find(kDotnetFolder) != std::string_view::npos ||
         std::find(std::begin(kDotnetFiles), std::end(kDotnetFiles), base_name(path)) != std::end(kDotnetFiles);
}

bool is_runtime(std::string_view path) {
  return std::find(std::begin(kRuntimes), std::end(kRuntimes), base_name(path)) != std::end(kRuntimes);
}

OwnCode::OwnCode(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection)
    : run_(&run), symbols_(&symbols), own_(symbols.function_count(), false) {
  std::set<std::string_view> executables, assemblies;
  std::set<std::string, std::less<>> programs;  // of .NET: "Shop.dll"
  bool commands = false;
  for (const model::Process& process : run.processes) {
    if (!process.exe.empty()) executables.insert(process.exe);
    commands |= runs_a_command(process);
    add_dotnet_programs(process, programs);
  }
  // An application is made of assemblies that begin alike.
  for (const std::string& program : programs) assemblies.insert(first_part(program));
  const auto own = [&](const symbols::Function& function) {
    using symbols::Language;
    if (function.special || (function.language != Language::Python && function.language != Language::Native &&
                             function.language != Language::Shell))
      return false;
    if (symbols::is_import_system(function) || function.file.empty()) return false;
    if (below_any(function.file, selection.own_paths) || below_any(function.module, selection.own_paths)) return true;
    if (function.language == Language::Python) {
      if (typed_in(function, commands)) return true;
      return selection.all_own ? !function.file.starts_with('<') : !is_installed_python(function.file);
    }
    if (function.language == Language::Shell)
      return selection.all_own || !(is_installed_file(function.file) || is_of_version_manager(function.file));
    if (function.module == symbols::kMadeByDotnet)
      return names_file(selection.own_paths, function.file) || programs.contains(function.file) ||
             (!symbols::is_of_dotnet_itself(function.file) &&
              (selection.all_own || assemblies.contains(first_part(function.file))));
    if (function.line == 0) return false;
    const bool script =
        symbols::is_made_at_run_time(function.module);  // of a runtime that says where its functions are
    // Its own: "node:internal/fs"; of Java, what stands in its packages.
    if (script && function.module != symbols::kMadeByNumba && !function.file.starts_with('/'))
      return symbols::is_java_source(function.file) &&
             (selection.all_own || !symbols::is_of_java_itself(function.file));
    if (selection.all_own) return true;
    if (symbols::is_cython_helper(function.name, function.file) || is_package_source(function.file)) return false;
    if (script && is_installed_file(function.file)) return false;
    if (function.interpreter || (is_runtime(function.module) && is_installed_file(function.module)) ||
        begins_with_any(function.file, kSystemSources))
      return false;
    if (!below_packages(function.module).empty() || !below_standard_library(function.module).empty()) return false;
    return executables.contains(function.module) || !begins_with_any(function.module, kSystemFolders);
  };
  for (std::uint32_t id = 0; id < own_.size(); ++id) own_[id] = own(symbols.function(id));
}

bool OwnCode::any() const { return std::find(own_.begin(), own_.end(), true) != own_.end(); }

std::size_t OwnCode::innermost(std::span<const std::uint32_t> stack) const {
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (location(stack[i])) return i;
  }
  return stack.size();
}

}  // namespace prof::fold
