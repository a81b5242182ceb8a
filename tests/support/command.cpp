#include "tests/support/command.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ostream>
#include <sstream>

#include "tests/support/catch.hpp"

namespace prof::test {

namespace fs = std::filesystem;

namespace {

fs::path build_dir() { return PROF_TEST_BUILD_DIR; }

double now_s() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void pause_ms(long ms) {
  const timespec t{ms / 1000, ms % 1000 * 1000000};
  nanosleep(&t, nullptr);
}

fs::path from_environment(const char* name, const fs::path& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? fs::path(value) : otherwise;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

fs::path agent_library() { return from_environment("TEST_AGENT_LIBRARY", build_dir() / "libprof.so"); }
fs::path prof_program() { return from_environment("TEST_PROF_PROGRAM", build_dir() / "prof"); }
fs::path victim_path(const std::string& name) { return build_dir() / "tests" / "victims" / name; }
fs::path source_dir() { return PROF_TEST_SOURCE_DIR; }

bool Outcome::has_fact(const std::string& name) const {
  return out.rfind(name + " ", 0) == 0 || out.find("\n" + name + " ") != std::string::npos;
}

long long Outcome::fact(const std::string& name) const {
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(name + " ", 0) == 0) return std::stoll(line.substr(name.size() + 1));
  }
  FAIL("the program printed no fact '" << name << "'\n" << *this);
  return 0;
}

double Outcome::cpu_s() const {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::vector<std::string> Outcome::error_lines() const {
  std::vector<std::string> lines;
  std::istringstream stream(err);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::ostream& operator<<(std::ostream& stream, const Outcome& o) {
  const auto shortened = [](const std::string& s) { return s.size() > 2000 ? s.substr(0, 2000) + "..." : s; };
  return stream << "exit code " << o.exit_code << ", signal " << o.signal << (o.timed_out ? ", TIMED OUT" : "")
                << " after " << o.wall_s << " s\n--- stdout\n"
                << shortened(o.out) << "--- stderr\n"
                << shortened(o.err) << "---";
}

Command::Command(std::vector<std::string> argv) : argv_(std::move(argv)) {
  env_ = {{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, {"HOME", "/tmp"}, {"LANG", "C"}};
}

Command Command::victim(const std::string& name, std::vector<std::string> args) {
  args.insert(args.begin(), victim_path(name).string());
  return Command(std::move(args));
}

Command& Command::profiled(const fs::path& run_dir) {
  return set("LD_PRELOAD", agent_library().string()).set("PROF_OUT", run_dir.string());
}

Command& Command::set(const std::string& name, const std::string& value) {
  env_[name] = value;
  return *this;
}

Command& Command::unset(const std::string& name) {
  env_.erase(name);
  return *this;
}

Command& Command::in(const fs::path& directory) {
  directory_ = directory;
  return *this;
}

Command& Command::limit(double seconds) {
  limit_s_ = seconds;
  return *this;
}

Command& Command::before_exec(std::function<void()> action) {
  before_exec_.push_back(std::move(action));
  return *this;
}

Outcome Command::run() const { return start().wait(); }

Running Command::start() const {
  // Output goes to memory files: whoever outlives the program cannot keep us waiting for the end of a pipe.
  Running running;
  running.out_fd_ = memfd_create("stdout", MFD_CLOEXEC);
  running.err_fd_ = memfd_create("stderr", MFD_CLOEXEC);
  // The kernel does not order the writes of several processes to such a file, unless they append.
  for (const int fd : {running.out_fd_, running.err_fd_}) fcntl(fd, F_SETFL, O_APPEND);
  running.limit_s_ = limit_s_;
  running.started_s_ = now_s();

  std::vector<std::string> args = argv_;
  std::vector<std::string> settings;
  for (const auto& [name, value] : env_) settings.push_back(name + "=" + value);
  std::vector<char*> argv = pointers(args);
  std::vector<char*> envp = pointers(settings);

  running.pid_ = fork();
  if (running.pid_ == 0) {
    setpgid(0, 0);
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(running.out_fd_, 1);
    dup2(running.err_fd_, 2);
    for (int fd = 3; fd < 256; ++fd) close(fd);  // the program starts with three descriptors, as from a shell
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const bool moved = directory_.empty() || chdir(directory_.c_str()) == 0;
    for (const auto& action : before_exec_) action();
    if (moved) execvpe(argv[0], argv.data(), envp.data());
    dprintf(2, "cannot run %s: errno %d\n", argv[0], errno);
    _exit(127);
  }
  REQUIRE(running.pid_ > 0);
  setpgid(running.pid_, running.pid_);
  return running;
}

void Running::kill(int signal) const { ::kill(pid_, signal); }

std::string Running::read_and_close(int fd) const {
  std::string text(static_cast<std::size_t>(lseek(fd, 0, SEEK_END)), '\0');
  const ssize_t got = pread(fd, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  close(fd);
  return text;
}

Outcome Running::wait() {
  Outcome outcome;
  outcome.pid = pid_;
  int status = 0;
  // Short looks at first, longer ones later: most victims end within milliseconds.
  for (long pause = 1; wait4(pid_, &status, WNOHANG, &outcome.usage) == 0; pause = std::min(pause + 1, 20L)) {
    if (now_s() - started_s_ > limit_s_ && !outcome.timed_out) {
      outcome.timed_out = true;
      ::kill(-pid_, SIGKILL);
    }
    pause_ms(pause);
  }
  outcome.wall_s = now_s() - started_s_;
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.out = read_and_close(out_fd_);
  outcome.err = read_and_close(err_fd_);
  return outcome;
}

bool wait_until(const std::function<bool()>& condition, double seconds) {
  const double deadline = now_s() + seconds;
  while (!condition()) {
    if (now_s() > deadline) return false;
    pause_ms(5);
  }
  return true;
}

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

bool wait_for_orphans(double seconds) {
  return wait_until(
      [] {
        pid_t pid;
        while ((pid = waitpid(-1, nullptr, WNOHANG)) > 0) {
        }
        return pid < 0 && errno == ECHILD;
      },
      seconds);
}

}  // namespace prof::test
