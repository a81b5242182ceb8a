#include "agent/log/describe.hpp"

#include <sys/utsname.h>

#include <cerrno>
#include <cstring>

#include "agent/capture/window.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/text.hpp"
#include "agent/log/file.hpp"
#include "agent/log/processors.hpp"
#include "agent/process/process.hpp"
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

class InfoWriter {
 public:
  InfoWriter(char* at, char* end) : at_(at), end_(end) {}
  void put(InfoKey key, std::string_view value) {
    const std::size_t bytes = (sizeof(InfoRecord) + value.size() + 7) / 8 * 8;
    if (value.empty() || at_ + bytes > end_) return;
    auto* r = reinterpret_cast<InfoRecord*>(at_);
    r->key = static_cast<std::uint16_t>(key);
    r->value_bytes = static_cast<std::uint32_t>(value.size());
    std::memcpy(r + 1, value.data(), value.size());
    __atomic_store_n(&r->bytes, static_cast<std::uint32_t>(bytes), __ATOMIC_RELEASE);
    at_ += bytes;
  }

 private:
  char* at_;
  char* end_;
};

std::string_view link_target(const char* link, char* room, std::size_t bytes) {
  const long n = raw::call(SYS_readlinkat, AT_FDCWD, raw::word(link), raw::word(room), static_cast<long>(bytes));
  return {room, n > 0 ? static_cast<std::size_t>(n) : 0};
}

// Writes into what the first chunk, of describe_process, has left over. One thread at a time.
bool put_in_first(InfoKey key, std::string_view value) {
  auto* chunk = reinterpret_cast<ChunkHeader*>(reinterpret_cast<char*>(header()) + kHeaderBytes);
  if (chunk->type != ChunkType::Info) return false;
  char* at = content<char>(chunk);
  char* const end = reinterpret_cast<char*>(chunk) + chunk->bytes;
  while (at + sizeof(InfoRecord) <= end && reinterpret_cast<InfoRecord*>(at)->bytes != 0)
    at += reinterpret_cast<InfoRecord*>(at)->bytes;
  if (at + sizeof(InfoRecord) + value.size() + 8 > end) return false;
  InfoWriter(at, end).put(key, value);
  return true;
}

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

void append_info(InfoKey key, std::string_view value) {
  if (header() == nullptr) return;
  ChunkHeader* chunk = take_chunk(ChunkType::Info, 0, 0, sizeof(ChunkHeader) + sizeof(InfoRecord) + value.size() + 16);
  if (chunk == nullptr) return;
  InfoWriter(content<char>(chunk), reinterpret_cast<char*>(chunk) + chunk->bytes).put(key, value);
}

void put_exe_path(TextBuilder& text) {
  char path[1024];
  text << link_target("/proc/self/exe", path, sizeof(path));
}

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

std::uint64_t own_start_ticks() {
  char text[1024];
  const std::size_t n = raw::slurp("/proc/self/stat", text, sizeof(text));
  // The second field is the command in parentheses and may itself hold anything: count from its last one.
  std::size_t at = n;
  while (at > 0 && text[at - 1] != ')') --at;
  unsigned field = 2;
  for (; at < n && field < 22; ++at) {
    if (text[at] == ' ') ++field;
  }
  std::uint64_t ticks = 0;
  for (; at < n && text[at] >= '0' && text[at] <= '9'; ++at)
    ticks = ticks * 10 + static_cast<std::uint64_t>(text[at] - '0');
  return ticks;
}

void read_boot_id(std::uint8_t (&id)[16]) {
  char text[64];
  const std::size_t n = raw::slurp("/proc/sys/kernel/random/boot_id", text, sizeof(text));
  unsigned digits = 0;
  for (std::size_t i = 0; i < n && digits < 32; ++i) {
    const char c = text[i];
    const int v = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (v < 0) continue;
    id[digits / 2] = static_cast<std::uint8_t>(id[digits / 2] << 4 | v);
    ++digits;
  }
}

std::string_view error_name(int error) {
  switch (error) {
    case EACCES:
      return "permission denied";
    case EPERM:
      return "operation not permitted";
    case ENOENT:
      return "no such directory";
    case ENOTDIR:
      return "not a directory";
    case ENOSPC:
      return "no space left on the device";
    case EDQUOT:
      return "disk quota exceeded";
    case EROFS:
      return "read-only file system";
    case EFBIG:
      return "file size limit (RLIMIT_FSIZE)";
    case ENOMEM:
      return "no address space for it";
    case ENODEV:
      return "the file system cannot map files";
    case ENAMETOOLONG:
      return "the name is too long";
    case EMFILE:
      return "too many open files";
    case ENFILE:
      return "too many open files in the system";
    case ELOOP:
      return "a symbolic link is in the way";
    default:
      return "system error";
  }
}

}  // namespace prof::log
