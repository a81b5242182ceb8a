// The ledger and the settings. Raw system calls: what the fakes do for their own sake is none of the program's calls.
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <mutex>
#include <set>

#include "tests/fakes/device/fakegpu.hpp"

namespace fakegpu {
namespace {

int ledger_file() {
  static const int fd = [] {
    const char* path = getenv("FAKE_GPU_LEDGER");
    if (path == nullptr || *path == 0) return -1;
    return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  }();
  return fd;
}

}  // namespace

std::uint64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

std::uint32_t thread_id() {
  thread_local std::uint32_t tid = 0;
  thread_local pid_t of = 0;
  const pid_t pid = getpid();
  if (of != pid) {
    of = pid;
    tid = static_cast<std::uint32_t>(gettid());
  }
  return tid;
}

std::string_view setting(const char* name) {
  const char* value = getenv(name);
  return value != nullptr ? value : "";
}

const char* intern(std::string_view text) {
  // Neither is ever taken down: threads of streams outlive the program's static objects.
  static auto& mutex = *new std::mutex;
  static auto& texts = *new std::set<std::string, std::less<>>;
  const std::lock_guard lock(mutex);
  auto found = texts.find(text);
  if (found == texts.end()) found = texts.emplace(text).first;
  return found->c_str();
}

bool has_ledger() { return ledger_file() >= 0; }

void write_ledger(const char* format, ...) {
  const int fd = ledger_file();
  if (fd < 0) return;
  char line[2048];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  if (length < 0 || length >= static_cast<int>(sizeof line) - 1) abort();
  line[length++] = '\n';
  if (syscall(SYS_write, fd, line, static_cast<std::size_t>(length)) != length) abort();
}

}  // namespace fakegpu
