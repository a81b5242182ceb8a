// Files, and descriptors of other kinds, by name: who they belong to, how they were used, what they lie on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/fold/selection.hpp"
#include "report/model/profile.hpp"

namespace prof::fold {

// By the group of the name in the log; see log::FileWords.
enum class FileKind { File, Directory, Pipe, Socket, Event, Device, Other };
const char* to_string(FileKind kind);  // "file", "files", "pipe", "socket", "event", "device", "other"

// Whether it is something of a file system: then slow calls tell of its storage.
inline bool in_file_system(FileKind kind) { return kind == FileKind::File || kind == FileKind::Directory; }

// All calls on one name, over the selected processes and threads.
struct FileRow {
  std::string name;
  FileKind kind = FileKind::Other;
  model::FileMetric use;
  std::size_t processes = 0;          // that used it
  std::optional<model::Mount> mount;  // of a file system; nothing where that is not known
};
std::vector<FileRow> files(const model::Run& run, const Selection& selection);  // by time

// The files of one file system or, where it is not known what they lie on, of one directory.
struct VolumeRow {
  std::optional<model::Mount> mount;
  std::string directory;  // empty where `mount` says it
  std::size_t files = 0;  // names: of directories whose files are not told one by one, one
  model::FileMetric use;
};
std::vector<VolumeRow> volumes(const std::vector<FileRow>& rows);  // by time

// The file system that a path lies on: that with the longest path above it, and of equals the last.
std::optional<model::Mount> mount_of(const model::Process& process, const std::string& path);

// How the reads and writes of a file followed each other: the share that began where the last one had ended. Nothing
// for less than two of them.
std::optional<double> sequential_share(const model::FileMetric& use);

// The share of the time of all reads that went to slow ones; nothing without reads.
std::optional<double> slow_read_share(const model::FileMetric& use);

// What storage did for the selected processes, as the kernel counts it: page faults of mapped files included.
struct StorageUse {
  std::uint32_t pid = 0;
  std::size_t process = 0;  // index into Run::processes
  std::optional<std::int64_t> read_bytes, written_bytes, major_faults, delay_ns;
};
std::vector<StorageUse> storage_use(const model::Run& run, const Selection& selection);  // by bytes; known ones alone

}  // namespace prof::fold
