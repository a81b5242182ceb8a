// `prof run --on-window`: a command for each window of PROF_SCHEDULE that has ended, while the program goes on.
#pragma once

#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace prof::cli {

// The command is one of the shell. Its environment is prof's, and PROF_WINDOW (number of the window in its process,
// from 1 on), PROF_WINDOW_PID and PROF_RUN_DIR. Commands run one after the other; one that fails is told on stderr.
class WindowWatch {
 public:
  // Logs that `directory` already holds are left alone.
  WindowWatch(std::string command, std::filesystem::path directory);
  ~WindowWatch();
  WindowWatch(const WindowWatch&) = delete;
  WindowWatch& operator=(const WindowWatch&) = delete;

  // Begins to look, in a thread. To be called when the program has been started.
  void start();

  // When the program is gone: runs the command for windows that are left, and returns when all have been told.
  void finish();

 private:
  void watch();
  void stop();
  void look();
  bool run(std::uint32_t window, std::uint32_t pid) const;

  std::string command_;  // behind what keeps ignored signals ignored
  const std::filesystem::path directory_;
  sigset_t mask_{};                                      // blocked signals, as prof was started
  std::map<std::filesystem::path, std::uint32_t> told_;  // windows, by log
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace prof::cli
