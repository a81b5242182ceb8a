#include "report/fold/waiting/files.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "report/fold/selected_slots.hpp"

namespace prof::fold {
namespace {

constexpr std::array kKindNames = {"file", "files", "pipe", "socket", "event", "device", "other"};

FileKind kind_of(std::string_view group) {
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), group);
  return found == kKindNames.end() ? FileKind::Other : static_cast<FileKind>(found - kKindNames.begin());
}

bool octal(char c) { return c >= '0' && c <= '7'; }

// mountinfo writes blanks and the like as \040.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool lies_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string directory_of(const FileRow& row) {
  if (row.kind == FileKind::Directory) return row.name;
  const std::size_t slash = row.name.rfind('/');
  if (slash == std::string::npos) return {};
  return row.name.substr(0, std::max<std::size_t>(1, slash));
}

template <typename Row>
void by_time(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.use.ns() > b.use.ns(); });
}

void add(std::optional<std::int64_t>& to, const std::optional<std::int64_t>& value) {
  if (value) to = model::saturated_sum(to.value_or(0), *value);
}

}  // namespace

const char* to_string(FileKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::optional<model::Mount> mount_of(const model::Process& process, const std::string& path) {
  std::optional<model::Mount> best;
  for (const model::Mount& mount : process.mounts) {
    std::string folder = unescaped(mount.path);
    if (!lies_below(path, folder) || (best && folder.size() < best->path.size())) continue;
    best = model::Mount{std::move(folder), mount.type, unescaped(mount.source)};
  }
  return best;
}

std::vector<FileRow> files(const model::Run& run, const Selection& selection) {
  // The same path in two mount namespaces is two files.
  using Key = std::tuple<FileKind, std::string, std::string, std::string>;
  std::map<Key, FileRow> rows;
  for (const model::Process& process : run.processes) {
    if (!selection.includes(process)) continue;
    const SelectedSlots slots(process, selection);
    std::map<std::uint32_t, model::FileMetric> by_frame;  // looked up once, however many threads used it
    for (const auto& row : process.tree.files) {
      if (slots.contains(row.slot)) by_frame[row.frame] += row.metric;
    }
    for (const auto& [frame, use] : by_frame) {
      const std::uint32_t id = process.tree.frames[frame].name;
      const model::Name name = id < process.names.size() ? process.names[id] : model::Name{{}, "(not known)", "other"};
      const FileKind kind = kind_of(name.group);
      std::optional<model::Mount> mount;
      if (in_file_system(kind)) mount = mount_of(process, name.name);
      const model::Mount on = mount.value_or(model::Mount{});
      FileRow& to = rows[{kind, name.name, on.source, on.path}];
      if (to.processes++ == 0) {
        to.name = name.name;
        to.kind = kind;
        to.mount = std::move(mount);
      }
      to.use += use;
    }
  }
  std::vector<FileRow> out;
  for (auto& [key, row] : rows) out.push_back(std::move(row));
  by_time(out);
  return out;
}

std::vector<VolumeRow> volumes(const std::vector<FileRow>& rows) {
  std::map<std::tuple<std::string, std::string, std::string>, VolumeRow> all;
  for (const FileRow& row : rows) {
    if (!in_file_system(row.kind)) continue;
    const model::Mount on = row.mount.value_or(model::Mount{});
    const std::string directory = row.mount ? std::string() : directory_of(row);
    VolumeRow& to = all[{on.source, on.path, directory}];
    to.mount = row.mount;
    to.directory = directory;
    ++to.files;
    to.use += row.use;
  }
  std::vector<VolumeRow> out;
  for (auto& [key, row] : all) out.push_back(std::move(row));
  by_time(out);
  return out;
}

std::optional<double> sequential_share(const model::FileMetric& use) {
  const std::int64_t all = model::saturated_sum(use.reads, use.writes);
  if (all < 2) return std::nullopt;
  const std::int64_t sequential = model::saturated_sum(use.sequential_reads, use.sequential_writes);
  return std::clamp(static_cast<double>(sequential) / static_cast<double>(all), 0.0, 1.0);
}

std::optional<double> slow_read_share(const model::FileMetric& use) {
  if (use.reads <= 0) return std::nullopt;
  if (use.read_ns <= 0) return 0.0;
  return std::clamp(static_cast<double>(use.slow_read_ns) / static_cast<double>(use.read_ns), 0.0, 1.0);
}

std::vector<StorageUse> storage_use(const model::Run& run, const Selection& selection) {
  std::vector<StorageUse> out;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const model::Process& process = run.processes[i];
    if (!selection.includes(process)) continue;
    StorageUse row{process.pid, i, {}, {}, {}, {}};
    for (const model::Thread& thread : process.threads) {
      if (!selection.includes(thread) || thread.agent) continue;
      add(row.read_bytes, thread.use.storage_read_bytes);
      add(row.written_bytes, thread.use.storage_written_bytes);
      add(row.major_faults, thread.use.major_faults);
      add(row.delay_ns, thread.use.storage_delay_ns);
    }
    if (row.read_bytes || row.written_bytes || row.major_faults || row.delay_ns) out.push_back(row);
  }
  const auto moved = [](const StorageUse& row) {
    return model::saturated_sum(row.read_bytes.value_or(0), row.written_bytes.value_or(0));
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const StorageUse& a, const StorageUse& b) { return moved(a) > moved(b); });
  return out;
}

}  // namespace prof::fold
