#include "tests/support/interpreters.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "tests/support/command.hpp"

namespace prof::test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> candidates() {
  std::vector<fs::path> found;
  if (const char* listed = std::getenv("PROF_TEST_PYTHONS")) {
    std::istringstream list(listed);
    for (std::string path; std::getline(list, path, ':');) found.emplace_back(path);
  }
  for (unsigned minor = 8; minor < 20; ++minor) found.emplace_back("/usr/bin/python3." + std::to_string(minor));
  const char* root = std::getenv("PYENV_ROOT");
  const char* home = std::getenv("HOME");
  const fs::path pyenv = root != nullptr ? fs::path(root) : fs::path(home != nullptr ? home : "/") / ".pyenv";
  std::vector<fs::path> versions;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(pyenv / "versions", error)) {
    versions.push_back(entry.path() / "bin/python3");
  }
  std::sort(versions.begin(), versions.end());
  found.insert(found.end(), versions.begin(), versions.end());
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

std::vector<Interpreter> find_all() {
  std::vector<Interpreter> all;
  for (const fs::path& program : candidates()) {
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

std::vector<Interpreter> first_of_each_minor() {
  std::vector<Interpreter> firsts;
  for (const Interpreter& found : all_interpreters()) {
    const auto same = [&](const Interpreter& other) {
      return other.minor == found.minor && other.build == found.build;
    };
    if (std::none_of(firsts.begin(), firsts.end(), same)) firsts.push_back(found);
  }
  return firsts;
}

}  // namespace

const std::vector<Interpreter>& all_interpreters() {
  static const std::vector<Interpreter> all = find_all();
  return all;
}

const std::vector<Interpreter>& interpreters() {
  static const std::vector<Interpreter> firsts = first_of_each_minor();
  return firsts;
}

}  // namespace prof::test
