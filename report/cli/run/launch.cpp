#include "report/cli/run/launch.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace prof::cli {
namespace {

constexpr std::array<int, 6> kPassedOn{SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

// Signal handlers see nothing else. 0: there is no child (any more).
volatile sig_atomic_t child_pid = 0;
volatile sig_atomic_t leads_session = 0;

// What the kernel sends for the terminal (Ctrl-C, a hangup) goes to the whole foreground group, the program among it;
// only of a hangup the leader of a session learns alone. All else was sent to prof and is meant for the program.
void pass_on(int signal, siginfo_t* info, void*) {
  const int saved = errno;
  const bool for_all = info->si_code > 0 && !(signal == SIGHUP && leads_session != 0);
  if (child_pid > 0 && !for_all) kill(static_cast<pid_t>(child_pid), signal);
  errno = saved;
}

// The program finds signals as prof found them: what somebody ignored for it (nohup, a shell that starts a job in the
// background) is ignored. prof passes such a signal on all the same: the program may want it after all.
class Signals {
 public:
  Signals() {
    sigfillset(&all_);
    sigprocmask(SIG_BLOCK, &all_, &mask_before_);
    for (std::size_t i = 0; i < kPassedOn.size(); ++i) sigaction(kPassedOn[i], nullptr, &before_[i]);
    // Who ignores SIGCHLD never learns how a child ended.
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &standard, &child_before_);
  }

  void restore_for_program() {
    sigaction(SIGCHLD, &child_before_, nullptr);
    unblock();
  }

  void leave_to_child(pid_t child) {
    child_pid = child;
    leads_session = getsid(0) == getpid() ? 1 : 0;
    struct sigaction forward {};
    forward.sa_sigaction = pass_on;
    forward.sa_flags = SA_RESTART | SA_SIGINFO;
    for (const int signal : kPassedOn) sigaction(signal, &forward, nullptr);
    unblock();
  }

  void take_back() {
    sigprocmask(SIG_BLOCK, &all_, nullptr);
    child_pid = 0;
    for (std::size_t i = 0; i < kPassedOn.size(); ++i) sigaction(kPassedOn[i], &before_[i], nullptr);
    unblock();
  }

  void unblock() { sigprocmask(SIG_SETMASK, &mask_before_, nullptr); }

 private:
  sigset_t all_{};
  sigset_t mask_before_{};
  std::array<struct sigaction, kPassedOn.size()> before_{};
  struct sigaction child_before_ {};
};

std::vector<char*> arguments(const std::vector<std::string>& command) {
  std::vector<char*> out;
  for (const std::string& argument : command) out.push_back(const_cast<char*>(argument.c_str()));
  out.push_back(nullptr);
  return out;
}

[[noreturn]] void become(const Launch& launch, Signals& signals, int report) {
  for (const auto& [name, value] : launch.environment) setenv(name.c_str(), value.c_str(), 1);
  for (const std::string& name : launch.removed) unsetenv(name.c_str());
  const std::vector<char*> argv = arguments(launch.command);
  signals.restore_for_program();
  execvp(argv[0], argv.data());
  const int error = errno;
  const ssize_t written = write(report, &error, sizeof error);
  _exit(written == sizeof error ? 126 : 127);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Outcome run_and_wait(const Launch& launch) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::fflush(nullptr);
  Signals signals;
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    signals.unblock();
    close(report[0]);
    close(report[1]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  if (child == 0) become(launch, signals, report[1]);

  signals.leave_to_child(child);
  close(report[1]);
  Outcome outcome;
  ssize_t got = 0;
  do {
    got = ::read(report[0], &outcome.exec_errno, sizeof outcome.exec_errno);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof outcome.exec_errno) outcome.exec_errno = 0;
  close(report[0]);
  if (outcome.exec_errno == 0 && launch.started) launch.started();
  outcome.status = wait_for(child);
  outcome.pid = child;
  signals.take_back();
  return outcome;
}

void end_like(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const int signal = WTERMSIG(wait_status);
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    std::fflush(nullptr);
    raise(signal);
    std::exit(128 + signal);
  }
  std::exit(WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 1);
}

}  // namespace prof::cli
