#include "report/model/build_process.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "report/model/build_resident.hpp"
#include "report/model/build_steps.hpp"
#include "report/model/build_tree.hpp"
#include "report/model/build_wait.hpp"
#include "report/model/text.hpp"

namespace prof::model {
namespace {

std::string hex(const std::uint8_t* bytes, std::size_t count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

Module module_of(const read::RawModule& raw) {
  Module module;
  module.path = raw.path;
  module.build_id =
      hex(raw.record.build_id, std::min<std::size_t>(raw.record.build_id_bytes, sizeof raw.record.build_id));
  module.start = raw.record.start;
  module.end = raw.record.end;
  module.bias = raw.record.bias;
  module.generation = raw.record.generation;
  module.agent = is_agent_path(raw.path);
  return module;
}

Counters counters_of(const log::ThreadRecord& record) {
  Counters counters;
#define PROF_TAKEN(name) counters.name = record.name;
  PROF_THREAD_COUNTERS(PROF_TAKEN)
#undef PROF_TAKEN
  return counters;
}

// Frames that only thread records name stand behind those of the tree.
class StartRoutines {
 public:
  StartRoutines(const Ids& ids, Tree& tree) : ids_(ids), tree_(tree) {}

  std::optional<std::uint32_t> of(std::uint64_t word) {
    const Frame frame = frame_of(word, ids_);
    if (frame.kind == Frame::Kind::Unknown) return std::nullopt;
    const auto [found, is_new] = known_.try_emplace(word, static_cast<std::uint32_t>(tree_.frames.size()));
    if (is_new) tree_.frames.push_back(frame);
    return found->second;
  }

 private:
  const Ids& ids_;
  Tree& tree_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
};

Thread thread_of(const read::RawThread& raw, StartRoutines& routines) {
  const log::ThreadRecord& record = raw.record;
  Thread thread;
  thread.slot = raw.slot;
  thread.tid = record.tid;
  thread.merged = record.merged;
  thread.main = (record.flags & log::kThreadMain) != 0;
  thread.unsampled = (record.flags & log::kThreadUnsampled) != 0;
  thread.agent = (record.flags & log::kThreadAgent) != 0;
  thread.running = record.state == static_cast<std::uint32_t>(log::ThreadState::Running);
  thread.start_monotonic_ns = record.start_ns;
  thread.end_monotonic_ns = record.end_ns;
  thread.cpu_ns = record.cpu_ns;
  thread.name = std::string(record.name, strnlen(record.name, sizeof record.name));
  thread.python_name = std::string(record.python_name, strnlen(record.python_name, sizeof record.python_name));
  thread.python_stacks = record.python_stacks;
  thread.python_groups = record.python_groups;
  thread.start_routine = routines.of(record.start_routine);
  thread.counters = counters_of(record);
  return thread;
}

std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> arguments;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    arguments.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return arguments;
}

void append_line(std::string& to, const std::string& line) {
  if (!to.empty() && !line.empty()) to += '\n';
  to += line;
}

void read_window(const std::string& text, Process& process) {
  each_setting(text, [&](std::string_view name, std::string_view value) {
    std::uint64_t ns = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), ns);
    if (error != std::errc() || end != value.data() + value.size()) return;
    if (name == "open" || name == "close") process.window.push_back({name == "open", ns});
  });
}

// The fewer of what the affinity and the quota allow.
std::optional<double> read_cpus(const std::string& text) {
  std::optional<double> out;
  each_setting(text, [&](std::string_view name, std::string_view value) {
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || !(number > 0 && number < 1e6)) return;
    if (name == "allowed" || name == "quota") out = std::min(out.value_or(number), number);
  });
  return out;
}

void read_infos(const read::RawLog& log, Process& process) {
  for (const read::RawInfo& info : log.infos) {
    switch (static_cast<log::InfoKey>(info.key)) {
      case log::InfoKey::Exe:
        process.exe = info.value;
        break;
      case log::InfoKey::Argv:
        process.argv = split_arguments(info.value);
        break;
      case log::InfoKey::Cwd:
        process.cwd = info.value;
        break;
      case log::InfoKey::Host:
        process.host = info.value;
        break;
      case log::InfoKey::Agent:
        process.agent_version = info.value;
        break;
      case log::InfoKey::Options:
        append_line(process.options, info.value);
        break;
      case log::InfoKey::Complaint:
        append_line(process.complaints, info.value);
        break;
      case log::InfoKey::Python:
        if (!process.python) process.python.emplace();
        read_python_info(info.value, *process.python);
        break;
      case log::InfoKey::Cuda:
        if (!process.cuda) process.cuda.emplace();
        read_cuda_info(info.value, *process.cuda);
        break;
      case log::InfoKey::Window:
        read_window(info.value, process);
        break;
      case log::InfoKey::Mounts:
        read_mounts(info.value, process.mounts);
        break;
      case log::InfoKey::Cpus:
        process.cpus = read_cpus(info.value);
        break;
      default:
        break;  // of a newer agent
    }
  }
}

void read_header(const log::Header& header, Process& process) {
  process.run_id = header.run_id;
  process.log_id = header.log_id;
  process.parent_log_id = header.parent_log_id;
  process.pid = header.pid;
  process.ppid = header.ppid;
  process.start_ticks = header.start_ticks;
  std::copy(std::begin(header.boot_id), std::end(header.boot_id), process.boot_id.begin());
  process.origin = header.origin == log::Origin::Forked ? log::Origin::Forked : log::Origin::Started;
  if (header.rank >= 0) process.rank = header.rank;
  if (header.rank >= 0 && header.world_size > header.rank) process.world_size = header.world_size;
  process.start_realtime_ns = header.start_realtime_ns;
  process.start_monotonic_ns = header.start_monotonic_ns;
  process.start_cpu_ns = header.start_cpu_ns;
  process.cpu_ns = header.cpu_ns;
  process.helper_cpu_ns = header.helper_cpu_ns;
  if (header.peak_rss_bytes != 0) process.peak_rss_bytes = header.peak_rss_bytes;
  process.sample_period_ns = header.sample_period_ns;
  process.ticks = header.ticks;
  process.heap_mode = header.heap_mode;
  process.heap_interval = header.heap_interval;
  process.heap_interval_first = header.heap_interval_first;
  process.max_depth = header.max_depth;
  process.conditions = header.conditions;
  std::copy(std::begin(header.loss), std::end(header.loss), process.loss.begin());
  if (header.heap.peak_ns != 0) process.heap_peak_monotonic_ns = header.heap.peak_ns;
  if (header.maps.peak_ns != 0) process.map_peak_monotonic_ns = header.maps.peak_ns;
  if (header.python.peak_ns != 0) process.python_peak_monotonic_ns = header.python.peak_ns;

  const bool ended = header.end == log::End::Exited || header.end == log::End::Execed;
  process.end_monotonic_ns =
      std::max(process.start_monotonic_ns, ended ? header.end_monotonic_ns : header.last_monotonic_ns);
  if (header.waited_ns != 0) process.waited = Child{header.pid, header.wait_status, header.waited_ns};
  if (header.end == log::End::Execed) process.ending = Ending::Exec;
  if (header.end == log::End::Exited) {
    process.ending = Ending::Exit;
    process.exit_code = header.exit_code;
  }
}

// Whether the options in force, one NAME=VALUE per line, say so.
bool switched_on(const std::string& options, const std::string& name) {
  return ('\n' + options + '\n').find('\n' + name + "=on\n") != std::string::npos;
}

std::int64_t peak_of(const MemoryRows& rows) {
  std::int64_t peak = 0;
  for (const Row<MemoryMetric> row : rows) peak = saturated_sum(peak, row.metric.peak_bytes);
  return std::max<std::int64_t>(0, peak);
}

// The most that was ever seen: the kernel's own account of the peak lags behind, and is noted now and then.
std::uint64_t most_resident(const Process& process) {
  std::uint64_t most = process.memory_high ? process.memory_high->rss : 0;
  for (const SeriesPoint& point : process.series) most = std::max(most, point.rss_high);
  return most;
}

}  // namespace

bool is_agent_path(const std::string& path) { return base_name(path) == "libprof.so"; }

Process build_process(const read::RawLog& log, const std::filesystem::path& path, std::uint64_t disk_bytes) {
  Process process;
  process.log_path = path;
  process.log_bytes = disk_bytes;
  process.damage = log.damage;
  read_header(log.header, process);
  read_infos(log, process);

  Ids ids;
  for (const read::RawModule& raw : log.modules) {
    if (ids.modules.try_emplace(raw.record.id, static_cast<std::uint32_t>(process.modules.size())).second) {
      process.modules.push_back(module_of(raw));
    }
  }
  ids.codes = build_codes(log.codes, process.codes);
  ids.names = build_names(log.names, process.names);
  ids.named = &process.names;
  process.imports = build_imports(log.imports);
  process.devices = build_devices(log.devices);
  process.device_series = build_device_series(log.device_series);
  process.tree = build_tree(log, ids, process.damage);
  settle_waits(process);
  process.heap_peak_bytes = peak_of(process.tree.heap);
  process.map_peak_bytes = peak_of(process.tree.maps);
  process.python_peak_bytes = peak_of(process.tree.python);
  process.segment_peak_bytes = peak_of(process.tree.segments);
  process.tensor_peak_bytes = peak_of(process.tree.tensors);
  if (log.series) process.series = build_series(*log.series);
  if (log.memory_last) process.memory_last = resident_memory(*log.memory_last);
  if (log.memory_high) process.memory_high = resident_memory(*log.memory_high);
  if (process.peak_rss_bytes) process.peak_rss_bytes = std::max(*process.peak_rss_bytes, most_resident(process));

  StartRoutines routines(ids, process.tree);
  for (const read::RawThread& raw : log.threads) {
    process.threads.push_back(thread_of(raw, routines));
    process.totals += process.threads.back().counters;
  }
  add_thread_use(log.thread_uses, ids, process);
  if (log.steps) process.steps = build_steps(*log.steps, ids, process);
  process.totals.allocations = saturated_sum(process.totals.allocations, log.header.late_allocations);
  process.totals.allocated_bytes = saturated_sum(process.totals.allocated_bytes, log.header.late_allocated_bytes);
  process.totals.frees = saturated_sum(process.totals.frees, log.header.late_frees);
  process.copies_counted = switched_on(process.options, "PROF_COPIES") || process.totals.copies != 0;
  process.python_counted = switched_on(process.options, "PROF_PYTHON_ALLOC") || process.totals.python_allocations != 0;
  process.waits_recorded = switched_on(process.options, "PROF_WAIT") || !process.tree.wait_totals.empty();
  process.turns_recorded = process.waits_recorded && log.header.minor >= log::kMinorOfHolds;
  for (const log::ChildRecord& child : log.children) {
    process.children.push_back({child.pid, child.status, child.monotonic_ns});
  }
  return process;
}

}  // namespace prof::model
