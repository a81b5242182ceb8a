#include "report/cli/run/executable.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include "report/cli/run/how_to_run.hpp"
#include "report/cli/run/sanitizer.hpp"

namespace prof::cli {
namespace {

// As deep as the kernel follows scripts that are interpreted by scripts.
constexpr int kMostScripts = 5;
constexpr std::size_t kLongestFirstLine = 4096;
constexpr const char* kDefaultPath = "/bin:/usr/bin";

CannotRun not_found(const std::string& command) { return {127, fmt::format("{}: command not found", command)}; }
CannotRun refused(const std::string& path, const char* why) { return {126, fmt::format("{}: {}", path, why)}; }

std::optional<CannotRun> why_not(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return CannotRun{127, fmt::format("{}: no such file", path)};
    return refused(path, std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) return refused(path, "is a directory");
  if (access(path.c_str(), X_OK) != 0) return refused(path, "is not executable");
  return std::nullopt;
}

// As execvp looks; a file that may not be executed is remembered in case there is no better one behind it.
std::optional<CannotRun> locate(const std::string& command, const char* search_path, std::filesystem::path& found) {
  if (command.empty()) return not_found("''");
  if (command.find('/') != std::string::npos) {
    found = command;
    return why_not(command);
  }
  std::optional<CannotRun> problem;
  std::istringstream folders(search_path != nullptr ? search_path : kDefaultPath);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string path = (std::filesystem::path(folder) / command).string();
    const auto obstacle = why_not(path);
    if (!obstacle) {
      found = path;
      return std::nullopt;
    }
    if (obstacle->status == 126 && !problem) problem = obstacle;
  }
  return problem ? problem : not_found(command);
}

// A file that was named in place of a command that runs it: `prof run svc.py`.
void suggest(const std::string& command, CannotRun& problem) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(command, error)) return;
  if (const std::string how = how_to_run(command); !how.empty()) problem.reason += fmt::format("; try: {}", how);
}

struct ScriptLine {
  std::string interpreter;
  std::string argument;
};

std::optional<ScriptLine> script_line(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line(kLongestFirstLine, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (line.compare(0, 2, "#!") != 0) return std::nullopt;
  line = line.substr(2, line.find('\n') == std::string::npos ? std::string::npos : line.find('\n') - 2);
  const auto trim = [](std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return std::string();
    return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
  };
  const std::string rest = trim(line);
  const std::size_t space = rest.find_first_of(" \t");
  return ScriptLine{rest.substr(0, space), space == std::string::npos ? "" : trim(rest.substr(space))};
}

// `#!/usr/bin/env -S NAME=value python3 -u`: the program that env starts.
std::string env_target(const std::string& argument) {
  std::istringstream words(argument);
  for (std::string word; words >> word;) {
    if (word[0] != '-' && word.find('=') == std::string::npos) return word;
  }
  return {};
}

bool gains_privileges(const std::filesystem::path& path, std::string& why) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return false;
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return false;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) why = "setuid";
  if ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 && status.st_gid != getgid()) why = "setgid";
  // Root has all capabilities already: nothing is gained and the loader trusts its environment.
  if (why.empty() && getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0) {
    why = "given capabilities";
  }
  return !why.empty();
}

void judge(const std::filesystem::path& program, const std::filesystem::path& library,
           std::vector<std::string>& warnings) {
  const std::string name = program.string();
  const auto elf = read_elf(program);
  if (!elf) {
    if (access(name.c_str(), R_OK) != 0) {
      warnings.push_back(fmt::format("{} cannot be read, so prof cannot tell whether it can be profiled", name));
    } else {
      warnings.push_back(fmt::format("{} is neither an ELF program nor a script: it will hardly be profiled", name));
    }
    return;
  }
  const auto own = read_elf(library);
  if (own && (elf->elf_class != own->elf_class || elf->machine != own->machine)) {
    warnings.push_back(
        fmt::format("{} is built for another kind of processor or word size than {}: it will run without "
                    "being profiled, and the loader may say so",
                    name, library.filename().string()));
  } else if (!elf->dynamic) {
    warnings.push_back(
        fmt::format("{} is statically linked: nothing can be preloaded into it, so it will not be profiled "
                    "(programs that it starts will be)",
                    name));
  } else if (elf->interpreter.find("ld-musl") != std::string::npos) {
    warnings.push_back(fmt::format("{} runs on musl, libprof.so on glibc: it will not be profiled", name));
  }
  if (const std::string sanitizer = sanitizer_of(program); !sanitizer.empty()) {
    warnings.push_back(
        fmt::format("{} is built with {}, which must be the first library in its process, as libprof.so must: it will "
                    "refuse to start, or crash; profile a build without it",
                    name, sanitizer));
  }
  if (program.filename() == "valgrind") {
    warnings.push_back(
        "valgrind translates libprof.so with the program: what it says of either is not to be relied on, and a program "
        "with threads may never end");
  }
  std::string why;
  if (gains_privileges(program, why)) {
    warnings.push_back(
        fmt::format("{} is {}: the system preloads nothing into such programs, so it will not be profiled; "
                    "run prof as its owner instead",
                    name, why));
  }
}

}  // namespace

Inspection inspect(const std::string& command, const char* search_path, const std::filesystem::path& library) {
  Inspection out;
  std::filesystem::path& program = out.finding.program;
  out.problem = locate(command, search_path, program);
  if (out.problem) {
    suggest(command, *out.problem);
    return out;
  }

  for (int depth = 0;; ++depth) {
    const auto line = script_line(program);
    if (!line) break;
    if (depth == kMostScripts) {
      out.problem = refused(program.string(), "scripts interpret each other without end");
      return out;
    }
    const std::filesystem::path script = program;
    std::optional<CannotRun> obstacle;
    const std::string target = line->interpreter.empty() ? "" : env_target(line->argument);
    if (std::filesystem::path(line->interpreter).filename() == "env" && !target.empty()) {
      obstacle = locate(target, search_path, program);
    } else {
      program = line->interpreter;
      obstacle = why_not(program.string());
    }
    if (obstacle) {
      out.problem =
          CannotRun{126, fmt::format("{}: its interpreter cannot be run: {}", script.string(), obstacle->reason)};
      return out;
    }
  }
  // execvp hands a text without a first line like that to the shell.
  if (!read_elf(program) && access(program.c_str(), R_OK) == 0) {
    std::ifstream file(program, std::ios::binary);
    char first[2] = {};
    file.read(first, sizeof first);
    if (first[0] != '\0' && first[0] != '\x7f') program = "/bin/sh";
  }
  judge(program, library, out.finding.warnings);
  return out;
}

}  // namespace prof::cli
