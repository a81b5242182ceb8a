#include "report/cli/run/window_watch.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "report/cli/common/messages.hpp"
#include "report/read/log_bytes.hpp"
#include "report/read/log_error.hpp"
#include "report/show/processes.hpp"

extern char** environ;

namespace prof::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBetweenLooks{200};

// The blocked signals of prof as it was started.
class SpawnAttributes {
 public:
  explicit SpawnAttributes(const sigset_t& mask) {
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &mask);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : added) replaced |= text.substr(0, text.find('=')) == name;
    if (!replaced) out.emplace_back(text);
  }
  for (const auto& [name, value] : added) out.push_back(name + '=' + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::string end_in_words(int status) {
  if (WIFSIGNALED(status)) return "ended by " + show::signal_name(WTERMSIG(status));
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

// The windows that ended by now, and whose log it is; nothing where there is no log yet.
bool windows_of(const fs::path& log, std::uint32_t& windows, std::uint32_t& pid) {
  try {
    const log::Header header = read::read_header(log);
    windows = header.windows;
    pid = header.pid;
    return true;
  } catch (const read::LogError&) {
    return false;
  }
}

template <class Each>
void each_log(const fs::path& directory, Each each) {
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == log::kFileSuffix) each(entry->path());
  }
}

}  // namespace

WindowWatch::WindowWatch(std::string command, fs::path directory)
    : command_(std::move(command)), directory_(std::move(directory)) {
  if (command_.empty()) return;
  each_log(directory_, [this](const fs::path& log) { told_[log] = UINT32_MAX; });
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
  // While the program runs prof catches these, and what it catches would be the default for the command.
  constexpr std::pair<int, const char*> kCaught[] = {{SIGINT, "INT"}, {SIGQUIT, "QUIT"}, {SIGTERM, "TERM"},
                                                     {SIGHUP, "HUP"}, {SIGUSR1, "USR1"}, {SIGUSR2, "USR2"}};
  for (const auto& [signal, name] : kCaught) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) command_ = fmt::format("trap '' {}; {}", name, command_);
  }
}

WindowWatch::~WindowWatch() { stop(); }

void WindowWatch::start() {
  if (thread_.joinable()) return;
  // Signals are for the thread that waits for the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error& error) {
    say_warning(fmt::format("the command of --on-window runs after the end of the program alone: {}", error.what()));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void WindowWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    lock.unlock();
    look();
    lock.lock();
    wake_.wait_for(lock, kBetweenLooks, [this] { return stop_; });
  }
}

void WindowWatch::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void WindowWatch::finish() {
  stop();
  if (!command_.empty()) look();
}

void WindowWatch::look() {
  each_log(directory_, [this](const fs::path& log) {
    std::uint32_t& told = told_[log];
    std::uint32_t windows = 0, pid = 0;
    if (told == UINT32_MAX || !windows_of(log, windows, pid)) return;
    while (told < windows) {
      // A shell that cannot be started will not be there for the next window either.
      if (!run(++told, pid)) told = UINT32_MAX;
      if (told == UINT32_MAX) return;
    }
  });
}

bool WindowWatch::run(std::uint32_t window, std::uint32_t pid) const {
  std::vector<std::string> words = {"sh", "-c", command_};
  std::vector<std::string> environment = environment_with({{"PROF_WINDOW", std::to_string(window)},
                                                           {"PROF_WINDOW_PID", std::to_string(pid)},
                                                           {"PROF_RUN_DIR", directory_.string()}});
  const SpawnAttributes attributes(mask_);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, "/bin/sh", nullptr, attributes.get(), pointers(words).data(), pointers(environment).data());
  if (error != 0) {
    say_warning(fmt::format("the command of --on-window was not run for window {} of pid {}: {}", window, pid,
                            std::strerror(error)));
    return false;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return true;
  }
  if (status != 0) {
    say_warning(
        fmt::format("the command of --on-window {} for window {} of pid {}", end_in_words(status), window, pid));
  }
  return true;
}

}  // namespace prof::cli
