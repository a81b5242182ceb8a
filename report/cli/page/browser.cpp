#include "report/cli/page/browser.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace prof::cli {
namespace {

bool has(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

bool open_in_browser(const std::filesystem::path& file) {
  const bool named = has("BROWSER");
  if (!named && !has("DISPLAY") && !has("WAYLAND_DISPLAY")) return false;
  std::string program = named ? std::getenv("BROWSER") : "xdg-open";
  // A list of which the first is tried, as xdg-open and Python's webbrowser understand it.
  program = program.substr(0, program.find(':'));
  std::error_code error;
  std::string path = std::filesystem::absolute(file, error).string();
  char* const words[] = {program.data(), path.data(), nullptr};
  // What a browser says of itself is not ours to print, and it outlives this terminal.
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  for (const int fd : {0, 1, 2}) posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, program.c_str(), &files, &attributes, words, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return failed == 0;
}

}  // namespace prof::cli
