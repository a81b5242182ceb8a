#include "agent/log/describe.hpp"

#include <sys/utsname.h>

#include <cerrno>
#include <cstring>

#include "agent/contract/fields.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/text.hpp"
#include "agent/log/file.hpp"
#include "agent/log/info.hpp"
#include "agent/log/processors.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/thread/feature.hpp"

namespace prof::log {
namespace {

constexpr std::size_t kArgvRoom = 4096;

// The arguments, each with its zero. They stand one behind the other where the kernel put them: at the start of a
// program there is no need to ask for a copy.
std::size_t command_line(char* to, std::size_t room) {
  const Process& p = process();
  if (p.origin != Origin::Started || p.arguments == nullptr || p.arguments[0] == nullptr)
    return raw::slurp("/proc/self/cmdline", to, room);
  std::size_t n = 0;
  for (char** a = p.arguments; *a != nullptr; ++a) {
    for (const char* c = *a;; ++c) {
      if (n == room) return n;
      to[n++] = *c;
      if (*c == '\0') break;
    }
  }
  return n;
}

std::string_view working_directory(char* room, std::size_t bytes) {
  const long n = raw::call(SYS_getcwd, raw::word(room), static_cast<long>(bytes));
  if (n > 1 && room[0] == '/') return {room, static_cast<std::size_t>(n) - 1};
  return link_target("/proc/self/cwd", room, bytes);  // deleted, out of reach, or too long
}

}  // namespace

void describe_process() {
  static constexpr std::size_t kPath = 1024;
  // Static, since this may run on the small stack of a signal handler; only one thread ever makes the log.
  PROF_LARGE static char argv[kArgvRoom], exe[kPath], cwd[kPath];
  const Process& p = process();
  std::size_t argv_bytes = p.options.command_lines ? command_line(argv, sizeof(argv)) : 0;
  while (argv_bytes > 0 && argv[argv_bytes - 1] == '\0') --argv_bytes;
  const std::string_view exe_path = link_target("/proc/self/exe", exe, sizeof(exe));
  const std::string_view cwd_path = working_directory(cwd, sizeof(cwd));
  utsname host{};
  raw::call(SYS_uname, raw::word(&host));
  PROF_LARGE static Text<kOptionsRoom> options;
  describe_options(p.options, options);

  PROF_LARGE static Text<2048> python;
  python::describe_python(python);
  const std::string_view complaint = p.complaint;
  const auto for_features = [](const auto& put) {
    for (const Feature* f : features()) {
      if (f->description.write == nullptr) continue;
      Text<Description::kMostBytes> about;
      f->description.write(about);
      put(f->description.key, about.view());
    }
  };
  std::size_t described = 0;
  for_features([&](InfoKey, std::string_view text) { described += sizeof(InfoRecord) + 8 + text.size(); });
  const std::size_t bytes = sizeof(ChunkHeader) + 8 * (sizeof(InfoRecord) + 8) + argv_bytes + exe_path.size() +
                            cwd_path.size() + std::strlen(host.nodename) + options.size() + python.size() + described +
                            complaint.size() + 32;
  if (ChunkHeader* chunk = take_chunk(ChunkType::Info, 0, 0, bytes)) {
    InfoWriter info(content<char>(chunk), reinterpret_cast<char*>(chunk) + chunk->bytes);
    info.put(InfoKey::Exe, exe_path);
    info.put(InfoKey::Argv, {argv, argv_bytes});
    info.put(InfoKey::Cwd, cwd_path);
    info.put(InfoKey::Host, host.nodename);
    info.put(InfoKey::Agent, PROF_VERSION);
    info.put(InfoKey::Options, options.view());
    info.put(InfoKey::Complaint, complaint);
    info.put(InfoKey::Python, python.view());
    for_features([&](InfoKey key, std::string_view text) { info.put(key, text); });
  }
}

void describe_rest() {
  Text<80> processors;
  describe_processors(processors);
  if (!put_in_first(InfoKey::Cpus, processors.view())) append_info(InfoKey::Cpus, processors.view());
  if (ChunkHeader* chunk = take_chunk(ChunkType::Schema, 0, 0, sizeof(ChunkHeader) + kSchema.size())) {
    std::memcpy(content<char>(chunk), kSchema.data(), kSchema.size());
  }
}

}  // namespace prof::log
