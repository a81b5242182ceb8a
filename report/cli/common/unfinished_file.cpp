#include "report/cli/common/unfinished_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <system_error>

namespace prof::cli {
namespace {

constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP};

std::filesystem::path::value_type name[4096];  // for the handler, which may not allocate

void end(int signal) {
  unlink(name);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

UnfinishedFile::UnfinishedFile(const std::filesystem::path& path) : path_(path) {
  path_ += fmt::format(".{}.unfinished", getpid());
  std::error_code error;
  std::filesystem::remove(path_, error);
  const std::string whole = std::filesystem::absolute(path_, error).string();
  if (error || whole.size() >= sizeof(name)) return;
  name[whole.copy(name, sizeof(name) - 1)] = 0;
  for (const int signal : kEnding) {
    if (std::signal(signal, end) == SIG_IGN) std::signal(signal, SIG_IGN);  // as below nohup
  }
}

UnfinishedFile::~UnfinishedFile() {
  if (name[0] != 0) {
    for (const int signal : kEnding) {
      if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
    }
    name[0] = 0;
  }
  std::error_code error;
  std::filesystem::remove(path_, error);
}

}  // namespace prof::cli
