#include "tests/support/interpreters.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

namespace prof::test {
namespace {

namespace fs = std::filesystem;

bool is_too_old(const std::string& version) {
  return version.starts_with("2.") || version.starts_with("3.6.") || version.starts_with("3.7.");
}

// `old`: those before 3.8 in place of the others.
std::vector<fs::path> of_pyenv(bool old = false) {
  const char* root = std::getenv("PYENV_ROOT");
  const char* home = std::getenv("HOME");
  const fs::path pyenv = root != nullptr ? fs::path(root) : fs::path(home != nullptr ? home : "/") / ".pyenv";
  std::vector<fs::path> versions;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(pyenv / "versions", error)) {
    const std::string name = entry.path().filename();
    if (is_too_old(name) == old)
      versions.push_back(entry.path() / (name.starts_with("2.") ? "bin/python2" : "bin/python3"));
  }
  std::sort(versions.begin(), versions.end());
  return versions;
}

// The machine's own and those that were asked for; of those that pyenv has each test takes another few, so that all of
// them are used by many tests, and none waits for each of them.
std::vector<fs::path> candidates(const std::string& test) {
  constexpr std::size_t kOfPyenv = 2;
  std::vector<fs::path> found;
  if (const char* listed = std::getenv("PROF_TEST_PYTHONS")) {
    std::istringstream list(listed);
    for (std::string path; std::getline(list, path, ':');) found.emplace_back(path);
  }
  for (unsigned minor = 8; minor < 20; ++minor) found.emplace_back("/usr/bin/python3." + std::to_string(minor));
  const std::vector<fs::path> versions = of_pyenv();
  const bool all = std::getenv("PROF_TEST_ALL_PYTHONS") != nullptr;
  const std::size_t first = std::hash<std::string>()(test), count = all ? versions.size() : kOfPyenv;
  for (std::size_t i = 0; i < std::min(count, versions.size()); ++i)
    found.push_back(versions[(first + i * (versions.size() / count)) % versions.size()]);
  return found;
}

std::optional<Interpreter> asked(const fs::path& program) {
  std::error_code error;
  if (!fs::exists(program, error)) return std::nullopt;
  const std::string question =
      "import platform, sys, sysconfig; print(platform.python_version());"
      "print((sysconfig.get_config_var('Py_GIL_DISABLED') and 't' or '') + (hasattr(sys, 'gettotalrefcount') and 'd' "
      "or ''))";
  const Outcome outcome = Command({program.string(), "-I", "-c", question}).limit(20).run();
  Interpreter found;
  if (!outcome.ok() || std::sscanf(outcome.out.c_str(), "%u.%u.", &found.major, &found.minor) != 2) return std::nullopt;
  found.program = program;
  const std::size_t line = outcome.out.find('\n');
  found.version = outcome.out.substr(0, line);
  found.build = outcome.out.substr(line + 1, outcome.out.find('\n', line + 1) - line - 1);
  return found;
}

std::vector<Interpreter> find_all(const std::string& test) {
  std::vector<Interpreter> all;
  for (const fs::path& program : candidates(test)) {
    const auto found = asked(program);
    if (!found || found->major != 3 || found->minor < 8) continue;
    const auto same = [&](const Interpreter& other) {
      return other.version == found->version && other.build == found->build;
    };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(*found);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Interpreter& a, const Interpreter& b) { return a.minor < b.minor; });
  return all;
}

std::vector<Interpreter> first_of_each_minor(const std::vector<Interpreter>& all) {
  std::vector<Interpreter> firsts;
  for (const Interpreter& found : all) {
    const auto same = [&](const Interpreter& other) {
      return other.minor == found.minor && other.build == found.build;
    };
    if (std::none_of(firsts.begin(), firsts.end(), same)) firsts.push_back(found);
  }
  return firsts;
}

struct Found {
  std::vector<Interpreter> all, firsts;
};

const Found& found_here() {
  static std::map<std::string, Found> by_test;
  const std::string test = Catch::getResultCapture().getCurrentTestName();
  const auto [at, is_new] = by_test.try_emplace(test);
  if (is_new) {
    at->second.all = find_all(test);
    at->second.firsts = first_of_each_minor(at->second.all);
  }
  return at->second;
}

}  // namespace

const std::vector<Interpreter>& all_interpreters() { return found_here().all; }

const std::vector<Interpreter>& interpreters() { return found_here().firsts; }

std::vector<fs::path> old_interpreters() {
  std::vector<fs::path> found;
  for (const fs::path& path : of_pyenv(true)) {
    if (std::error_code error; fs::exists(path, error)) found.push_back(path);
  }
  return found;
}

}  // namespace prof::test
