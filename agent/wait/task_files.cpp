#include "agent/wait/task_files.hpp"

#include <sys/resource.h>

#include <atomic>
#include <string_view>

#include "agent/core/raw.hpp"
#include "agent/core/text.hpp"

namespace prof::wait {
namespace {

using log::ThreadUseRecord;

constexpr std::uint64_t kTickNs = 10'000'000;  // of times in /proc/PID/stat

// Of the system: 0: not asked yet; 1: off; 2: on.
constinit std::atomic<std::uint32_t> g_delay_accounting{0};

// The words of a line of /proc.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}
  std::uint64_t next() {
    while (!rest_.empty() && !digit(rest_[0])) rest_ = from(rest_, 1);
    std::uint64_t v = 0;
    for (; !rest_.empty() && digit(rest_[0]); rest_ = from(rest_, 1))
      v = v * 10 + static_cast<std::uint64_t>(rest_[0] - '0');
    return v;
  }
  // The word that many blanks further on.
  std::uint64_t field(unsigned blanks) {
    for (; blanks > 0 && !rest_.empty(); rest_ = from(rest_, 1)) {
      if (rest_[0] == ' ') --blanks;
    }
    return next();
  }
  // The number after `key`; false: it is not there.
  bool after(std::string_view key, std::uint64_t& v) {
    const std::size_t at = rest_.find(key);
    if (at == std::string_view::npos) return false;
    rest_ = from(rest_, at + key.size());
    v = next();
    return true;
  }

 private:
  static bool digit(char c) { return c >= '0' && c <= '9'; }
  std::string_view rest_;
};

class TaskFile {
 public:
  TaskFile(std::uint32_t tid, const char* name) {
    Text<64> path;
    path << "/proc/self/task/" << tid << '/' << name;
    size_ = raw::slurp(path.c_str(), text_, sizeof(text_));
  }
  std::string_view text() const { return {text_, size_}; }

 private:
  char text_[2048];
  std::size_t size_;
};

bool delay_accounting() {
  std::atomic<std::uint32_t>& state = g_delay_accounting;
  std::uint32_t known = state.load(std::memory_order_relaxed);
  if (known == 0) {
    char text[8];
    const std::size_t n = raw::slurp("/proc/sys/kernel/task_delayacct", text, sizeof(text));
    known = n > 0 && text[0] == '1' ? 2 : 1;
    state.store(known, std::memory_order_relaxed);
  }
  return known == 2;
}

}  // namespace

bool read_run_queue(std::uint32_t tid, ThreadUseRecord& r) {
  const TaskFile file(tid, "schedstat");
  if (file.text().empty()) return false;
  Words words(file.text());
  words.next();
  r.run_queue_ns = words.next();
  r.slices = words.next();
  r.known |= log::kKnowsRunQueue;
  return true;
}

void read_switches(std::uint32_t tid, ThreadUseRecord& r) {
  const TaskFile file(tid, "status");
  Words words(file.text());
  if (words.after("\nvoluntary_ctxt_switches:", r.voluntary_switches) &&
      words.after("\nnonvoluntary_ctxt_switches:", r.involuntary_switches))
    r.known |= log::kKnowsFaults;
}

// proc(5): of the fields behind the name in brackets, minflt is the eighth, majflt two on, stime the thirteenth,
// delayacct_blkio_ticks the fortieth, both times in hundredths of a second.
void read_stat(std::uint32_t tid, bool faults, ThreadUseRecord& r) {
  if (!faults && !delay_accounting()) return;
  const TaskFile file(tid, "stat");
  const std::size_t name_end = file.text().rfind(") ");
  if (name_end == std::string_view::npos) return;
  Words words(from(file.text(), name_end + 2));
  const std::uint64_t minor = words.field(7);
  const std::uint64_t major = words.field(2);
  const std::uint64_t system = words.field(3);
  if (faults) {
    r.minor_faults = minor;
    r.major_faults = major;
    r.system_ns = system * kTickNs;
    r.known |= log::kKnowsSystem;
  }
  if (delay_accounting()) {
    r.storage_delay_ns = words.field(27) * kTickNs;
    r.known |= log::kKnowsDelay;
  }
}

void read_storage(std::uint32_t tid, ThreadUseRecord& r) {
  const TaskFile file(tid, "io");
  Words words(file.text());
  if (words.after("\nread_bytes:", r.storage_read_bytes) && words.after("\nwrite_bytes:", r.storage_written_bytes))
    r.known |= log::kKnowsStorage;
}

void read_own_faults(ThreadUseRecord& r) {
  rusage usage{};
  if (raw::call(SYS_getrusage, RUSAGE_THREAD, raw::word(&usage)) != 0) return;
  r.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
  r.major_faults = static_cast<std::uint64_t>(usage.ru_majflt);
  r.voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw);
  r.involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw);
  r.system_ns = static_cast<std::uint64_t>(usage.ru_stime.tv_sec) * 1'000'000'000 +
                static_cast<std::uint64_t>(usage.ru_stime.tv_usec) * 1'000;
  r.known |= log::kKnowsFaults | log::kKnowsSystem;
}

}  // namespace prof::wait
