#include "agent/log/describe.hpp"

#include <sys/utsname.h>

#include <cerrno>
#include <cstring>

#include "agent/capture/window.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/text.hpp"
#include "agent/log/file.hpp"
#include "agent/log/info.hpp"
#include "agent/log/processors.hpp"
#include "agent/python/interpreter.hpp"

namespace prof::log {
namespace {

// For readers that meet classes they do not know. One line a class: id, name, words with unit and rule.
constexpr std::string_view kSchema =
    "class 1 cpu: samples count sum; ns nanoseconds sum\n"
    "class 2 heap: count 1/65536 sum; bytes bytes sum; freed_count 1/65536 sum; freed_bytes bytes sum; "
    "at_peak bytes snapshot; epoch epoch; samples count sum; temporary count sum; short_lived count sum; "
    "reallocations count sum; moved_bytes bytes sum; largest bytes max; checkpoint time\n"
    "class 3 map: as class 2\n"
    "class 4 calls: calls count sum; primitive count sum; self_ns nanoseconds sum; outer_ns nanoseconds sum; "
    "edge_calls count sum; edge_outer_ns nanoseconds sum; raised count sum\n"
    "class 5 lines: hits count sum; ns nanoseconds sum\n"
    "class 6 heap_once: bytes_flags bytes:56,flags:8; epochs epoch:32,epoch:32\n"
    "class 7 heap_sizes: 20 count sum\n"
    "class 8 heap_growth: state shift:32,filled:32; 64 bytes snapshot\n"
    "class 9 copy: count 1/65536 sum; bytes bytes sum; samples count sum\n"
    "class 10 python: as class 2\n"
    "class 11 python_once: as class 6\n"
    "class 12 python_sizes: as class 7\n"
    "class 13 python_growth: as class 8\n"
    "class 14 map_growth: as class 8\n"
    "class 15 api: calls count sum; failed count sum; total_ns nanoseconds sum; min_ns nanoseconds min; "
    "max_ns nanoseconds max; bytes bytes sum; flops count sum; last_error number any\n"
    "class 16 device: count count sum; total_ns nanoseconds sum; min_ns nanoseconds min; max_ns nanoseconds max; "
    "bytes bytes sum; untimed count sum\n"
    "class 17 spread: 160 count sum\n"
    "class 18 idle: gaps count sum; total_ns nanoseconds sum; max_ns nanoseconds max; synchronising_ns nanoseconds "
    "sum; "
    "waiting_ns nanoseconds sum; launching_ns nanoseconds sum; python_ns nanoseconds sum; native_ns nanoseconds sum\n"
    "class 19 range: count count sum; total_ns nanoseconds sum; min_ns nanoseconds min; max_ns nanoseconds max\n"
    "class 20 segment: as class 2\n"
    "class 21 segment_growth: as class 8\n"
    "class 22 tensor: as class 2\n"
    "class 23 tensor_growth: as class 8\n"
    "class 24 wait: count 1/65536 sum; ns nanoseconds sum; samples count sum\n"
    "class 25 wait_total: calls count sum; failed count sum; total_ns nanoseconds sum; nested_ns nanoseconds sum; "
    "min_ns nanoseconds min; max_ns nanoseconds max; bytes bytes sum; last_errno number any; uncontended count sum\n"
    "class 26 file: opens count sum; open_ns nanoseconds sum; reads count sum; read_bytes bytes sum; read_ns "
    "nanoseconds sum; read_max_ns nanoseconds max; sequential_reads count sum; slow_reads count sum; slow_read_ns "
    "nanoseconds sum; writes count sum; write_bytes bytes sum; write_ns nanoseconds sum; write_max_ns nanoseconds max; "
    "sequential_writes count sum; slow_writes count sum; slow_write_ns nanoseconds sum; syncs count sum; sync_ns "
    "nanoseconds sum; seeks count sum; polls count sum; poll_ns nanoseconds sum; others count sum; other_ns "
    "nanoseconds sum; failed count sum\n"
    "class 27 lock: kind number any; waits count sum; ns nanoseconds sum; max_ns nanoseconds max; longest_holder "
    "number any; longest_waiter number any; created number any; failed count sum\n"
    "class 28 operator: calls count sum; total_ns nanoseconds sum; nested_ns nanoseconds sum; min_ns nanoseconds min; "
    "max_ns nanoseconds max; host_bytes bytes sum; device_bytes bytes sum\n";

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
  Text<1900> options;
  describe_options(p.options, options);

  PROF_LARGE static Text<2048> python;
  python::describe_python(python);
  const std::string_view complaint = p.complaint;
  Text<600> window;
  capture::describe_window(window);
  const std::size_t bytes = sizeof(ChunkHeader) + 9 * (sizeof(InfoRecord) + 8) + argv_bytes + exe_path.size() +
                            cwd_path.size() + std::strlen(host.nodename) + options.size() + python.size() +
                            window.size() + complaint.size() + 32;
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
    info.put(InfoKey::Window, window.view());
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
