#include "report/symbols/debuginfod.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

namespace prof::symbols {
namespace {

using Clock = std::chrono::steady_clock;

// libdebuginfod, as <elfutils/debuginfod.h> has it. Opened when a server is named: most runs need nothing of it.
struct Library {
  void* (*begin)() = nullptr;
  int (*find_debuginfo)(void* client, const unsigned char* build_id, int bytes, char** path) = nullptr;
  void (*set_progress)(void* client, int (*progress)(void* client, long done, long all)) = nullptr;
  void (*end)(void* client) = nullptr;
};

std::optional<Library> library() {
  void* const handle = dlopen("libdebuginfod.so.1", RTLD_NOW);
  if (handle == nullptr) return {};
  Library l;
  l.begin = reinterpret_cast<decltype(l.begin)>(dlsym(handle, "debuginfod_begin"));
  l.find_debuginfo = reinterpret_cast<decltype(l.find_debuginfo)>(dlsym(handle, "debuginfod_find_debuginfo"));
  l.set_progress = reinterpret_cast<decltype(l.set_progress)>(dlsym(handle, "debuginfod_set_progressfn"));
  l.end = reinterpret_cast<decltype(l.end)>(dlsym(handle, "debuginfod_end"));
  if (l.begin == nullptr || l.find_debuginfo == nullptr || l.set_progress == nullptr || l.end == nullptr) return {};
  return l;
}

void say(const std::string& what) { fmt::print(stderr, "prof: {}\n", what); }

// Of the fetch under way; under the lock of Servers.
Clock::time_point g_begin, g_end;
bool g_said = false;

// Asked some times a second while a server is waited for.
int is_too_late(void*, long, long) {
  constexpr std::chrono::seconds kLongestSilence{5};
  if (!std::exchange(g_said, g_said || Clock::now() - g_begin > kLongestSilence) && g_said)
    say("waiting for a server of DEBUGINFOD_URLS; without that variable debug files are not fetched");
  return Clock::now() > g_end ? 1 : 0;
}

class Servers {
 public:
  std::filesystem::path file(const std::string& build_id) {
    const std::lock_guard guard(lock_);
    const auto [known, is_new] = files_.try_emplace(build_id);
    if (is_new && usable()) known->second = fetched(build_id);
    return known->second;
  }

 private:
  bool usable() {
    if (!asked_) {
      asked_ = true;
      library_ = library();
      if (!library_) say("DEBUGINFOD_URLS is set, but there is no libdebuginfod.so.1: no debug files are fetched");
    }
    return library_ && left_ > Clock::duration::zero();
  }

  std::filesystem::path fetched(const std::string& build_id) {
    void* const client = library_->begin();
    if (client == nullptr) return {};
    const auto began = Clock::now();
    g_begin = began;
    g_end = began + left_;
    library_->set_progress(client, is_too_late);
    char* path = nullptr;
    const int fd = library_->find_debuginfo(client, reinterpret_cast<const unsigned char*>(build_id.c_str()), 0, &path);
    const std::unique_ptr<char, void (*)(void*)> owned(fd >= 0 ? path : nullptr, std::free);
    if (fd >= 0) close(fd);
    library_->end(client);
    left_ -= Clock::now() - began;
    if (left_ <= Clock::duration::zero()) {
      say(fmt::format("the servers of DEBUGINFOD_URLS took {} s: what they have not given by now is not waited for",
                      kLongestFetching.count()));
    } else if (fd < 0 && fd != -ENOENT && !std::exchange(failed_, true)) {
      say(fmt::format("a server of DEBUGINFOD_URLS failed: {}",
                      std::error_code(-fd, std::generic_category()).message()));
    }
    return owned ? std::filesystem::path(owned.get()) : std::filesystem::path();
  }

  std::mutex lock_;
  bool asked_ = false, failed_ = false;
  std::optional<Library> library_;
  Clock::duration left_ = kLongestFetching;
  std::map<std::string, std::filesystem::path> files_;  // by build id; empty: there is none to be had
};

}  // namespace

std::filesystem::path fetched_debug_file(const std::string& build_id) {
  const char* const urls = std::getenv("DEBUGINFOD_URLS");
  if (urls == nullptr || *urls == '\0' || build_id.empty()) return {};
  static Servers servers;
  return servers.file(build_id);
}

}  // namespace prof::symbols
