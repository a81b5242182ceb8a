#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/fold/waiting/files.hpp"
#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/view.hpp"
#include "report/show/waiting/storage_words.hpp"
#include "report/show/waiting/wait_words.hpp"

namespace prof::show {
namespace {

using fold::FileRow;

constexpr std::size_t kUsualFiles = 20, kUsualOthers = 10;
// Shares from which a pattern is called by one word: a rewind now and then does not make a reader one that jumps.
constexpr double kSequential = 0.9, kRandom = 0.1;

double real(std::int64_t value) { return static_cast<double>(value); }

double sort_value(const FileRow& row, SortKey key) {
  const model::FileMetric& use = row.use;
  switch (key) {
    case SortKey::Calls:
      return real(use.calls());
    case SortKey::Bytes:
      return real(use.read_bytes) + real(use.write_bytes);
    case SortKey::Average:
      return real(use.ns()) / real(std::max<std::int64_t>(1, use.calls()));
    default:
      return real(use.ns());
  }
}

void sort_rows(std::vector<FileRow>& rows, SortKey key) {
  std::stable_sort(rows.begin(), rows.end(), [&](const FileRow& a, const FileRow& b) {
    if (key == SortKey::Name) return a.name < b.name;
    return sort_value(a, key) > sort_value(b, key);
  });
}

Cell ratio(std::int64_t part, std::int64_t by, double times = 1) {
  return by > 0 ? Cell(real(part) / real(by) * times) : Cell();
}
Cell mean(std::int64_t bytes, std::int64_t calls) {
  return calls > 0 ? Cell(static_cast<std::int64_t>(std::llround(real(bytes) / real(calls)))) : Cell();
}

std::string pattern(const model::FileMetric& use) {
  const auto share = fold::sequential_share(use);
  if (!share) return {};
  if (*share >= kSequential) return "sequential";
  if (*share <= kRandom) return "random";
  return fmt::format("mixed {:.0f} % seq", *share * 100);
}

// Where reads came from.
std::string source(const model::FileMetric& use) {
  const auto slow = fold::slow_read_share(use);
  if (!slow) return {};
  if (use.slow_reads == 0) return "cache";
  return fmt::format("storage {} % of time", percent(*slow, 1));
}

std::string volume(const model::Mount& mount) {
  return fmt::format("{} {} on {}", mount.type, mount.source, mount.path);
}
std::string volume(const fold::VolumeRow& row) {
  if (row.mount) return volume(*row.mount);
  return row.directory.empty() ? "(not known)" : row.directory;
}

struct Any {
  bool reads = false, writes = false, syncs = false, seeks = false, failed = false, polls = false, opens = false;
  void look(const model::FileMetric& use) {
    reads |= use.reads > 0;
    writes |= use.writes > 0;
    syncs |= use.syncs > 0;
    seeks |= use.seeks > 0;
    failed |= use.failed > 0;
    polls |= use.polls > 0;
    opens |= use.opens > 0;
  }
};
Where where(bool shown) { return shown ? Where::Everywhere : Where::CsvOnly; }

// Of files and, as CSV, of everything.
std::vector<Column> columns(const Any& any, const ViewOptions& options) {
  const bool room = options.memory_columns;
  return {{"share", "%", Kind::Share, "of all", Where::TableOnly},
          {"total_ns", "time", Kind::Time},
          {"opens", "opens", Kind::Count, "", where(any.opens)},
          {"open_ns", "opening", Kind::Time, "", Where::CsvOnly},
          {"reads", "reads", Kind::Count, "", where(any.reads)},
          {"read_bytes", "read", Kind::Bytes, "", where(any.reads)},
          {"avg_read_bytes", "avg", Kind::Bytes, "", where(any.reads)},
          {"read_bytes_per_s", "speed", Kind::ByteRate, "", where(any.reads)},
          {"read_ns", "reading", Kind::Time, "", Where::CsvOnly},
          {"max_read_ns", "longest", Kind::Time, "", Where::CsvOnly},
          {"slow_reads", "slow", Kind::Count, "", Where::CsvOnly},
          {"slow_read_ns", "slow", Kind::Time, "", Where::CsvOnly},
          {"writes", "writes", Kind::Count, "", where(any.writes)},
          {"written_bytes", "written", Kind::Bytes, "", where(any.writes)},
          {"avg_write_bytes", "avg", Kind::Bytes, "", where(any.writes && room)},
          {"write_bytes_per_s", "speed", Kind::ByteRate, "", where(any.writes && room)},
          {"write_ns", "writing", Kind::Time, "", Where::CsvOnly},
          {"max_write_ns", "longest", Kind::Time, "", Where::CsvOnly},
          {"slow_writes", "slow", Kind::Count, "", Where::CsvOnly},
          {"slow_write_ns", "slow", Kind::Time, "", Where::CsvOnly},
          {"syncs", "syncs", Kind::Count, "", where(any.syncs)},
          {"sync_ns", "syncing", Kind::Time, "", where(any.syncs && room)},
          {"seeks", "seeks", Kind::Count, "", where(any.seeks && room)},
          {"polls", "waits", Kind::Count, "", Where::CsvOnly},
          {"poll_ns", "waiting", Kind::Time, "", Where::CsvOnly},
          {"others", "others", Kind::Count, "", Where::CsvOnly},
          {"other_ns", "others", Kind::Time, "", Where::CsvOnly},
          {"failed", "failed", Kind::Count, "", where(any.failed)},
          {"processes", "processes", Kind::Count, "", Where::CsvOnly},
          {"sequential_share", "sequential", Kind::Share, "", Where::CsvOnly},
          {"pattern", "pattern", Kind::Text, "", where(any.reads || any.writes)},
          {"source", "read from", Kind::Text, "", where(any.reads)},
          {"kind", "kind", Kind::Text, "", Where::CsvOnly},
          {"mount", "file system", Kind::Text, "", Where::CsvOnly},
          {"name", "file", Kind::Text, "", Where::Everywhere, !options.wide}};
}

std::vector<Cell> cells(const FileRow& row, double whole) {
  const model::FileMetric& use = row.use;
  const bool file = fold::in_file_system(row.kind);
  const auto sequential = fold::sequential_share(use);
  return {share(real(use.ns()), whole),
          use.ns(),
          use.opens,
          use.open_ns,
          use.reads,
          use.read_bytes,
          mean(use.read_bytes, use.reads),
          ratio(use.read_bytes, use.read_ns, 1e9),
          use.read_ns,
          use.read_max_ns,
          use.slow_reads,
          use.slow_read_ns,
          use.writes,
          use.write_bytes,
          mean(use.write_bytes, use.writes),
          ratio(use.write_bytes, use.write_ns, 1e9),
          use.write_ns,
          use.write_max_ns,
          use.slow_writes,
          use.slow_write_ns,
          use.syncs,
          use.sync_ns,
          use.seeks,
          use.polls,
          use.poll_ns,
          use.others,
          use.other_ns,
          use.failed,
          static_cast<std::int64_t>(row.processes),
          file && sequential ? Cell(*sequential) : Cell(),
          Cell(file ? pattern(use) : std::string()),
          Cell(file ? source(use) : std::string()),
          Cell(std::string(fold::to_string(row.kind))),
          row.mount ? Cell(volume(*row.mount)) : Cell(),
          Cell(row.kind == fold::FileKind::Directory ? row.name + " (files in it)" : row.name)};
}

Sheet files_sheet(const std::vector<FileRow>& rows, const ViewOptions& options, std::size_t usual) {
  Any any;
  std::int64_t all = 0;
  for (const FileRow& row : rows) {
    any.look(row.use);
    all = model::saturated_sum(all, row.use.ns());
  }
  Sheet sheet;
  sheet.title = "Files";
  sheet.columns = columns(any, options);
  const std::size_t shown = options.rows_of(rows.size(), usual);
  for (std::size_t i = 0; i < shown; ++i) sheet.add(cells(rows[i], real(all)));
  sheet.notes = left_out(shown, rows.size(), options.everything ? "names" : "files");
  return sheet;
}

Sheet volumes_sheet(const std::vector<FileRow>& files, const ViewOptions& options) {
  const std::vector<fold::VolumeRow> rows = fold::volumes(files);
  Any any;
  for (const fold::VolumeRow& row : rows) any.look(row.use);
  Sheet sheet;
  sheet.title = "What they lie on";
  sheet.columns = {{"total_ns", "time", Kind::Time},
                   {"files", "names", Kind::Count},
                   {"read_bytes", "read", Kind::Bytes, "", where(any.reads)},
                   {"read_bytes_per_s", "speed", Kind::ByteRate, "", where(any.reads)},
                   {"written_bytes", "written", Kind::Bytes, "", where(any.writes)},
                   {"write_bytes_per_s", "speed", Kind::ByteRate, "", where(any.writes)},
                   {"sync_ns", "syncing", Kind::Time, "", where(any.syncs)},
                   {"pattern", "pattern", Kind::Text, "", where(any.reads || any.writes)},
                   {"source", "read from", Kind::Text, "", where(any.reads)},
                   {"name", "file system", Kind::Text, "", Where::Everywhere, !options.wide}};
  sheet.one_time_unit = true;
  const std::size_t shown = options.rows_of(rows.size(), kUsualOthers);
  for (std::size_t i = 0; i < shown; ++i) {
    const model::FileMetric& use = rows[i].use;
    sheet.add({use.ns(), static_cast<std::int64_t>(rows[i].files), use.read_bytes,
               ratio(use.read_bytes, use.read_ns, 1e9), use.write_bytes, ratio(use.write_bytes, use.write_ns, 1e9),
               use.sync_ns, Cell(pattern(use)), Cell(source(use)), Cell(volume(rows[i]))});
  }
  sheet.notes = left_out(shown, rows.size(), "file systems");
  return sheet;
}

Sheet others_sheet(const std::vector<FileRow>& rows, const ViewOptions& options) {
  Any any;
  for (const FileRow& row : rows) any.look(row.use);
  Sheet sheet;
  sheet.title = "Pipes, sockets and what else is no file";
  sheet.captions.emplace_back(
      "waits: for it to become ready, by a call that asked for it alone; reading, writing: time in those calls. An end "
      "of a pipe is its reader's as well as its writer's: both have one name.");
  sheet.columns = {{"total_ns", "time", Kind::Time},
                   {"polls", "waits", Kind::Count, "", where(any.polls)},
                   {"poll_ns", "waiting", Kind::Time, "", where(any.polls)},
                   {"opens", "opens", Kind::Count, "", where(any.opens)},
                   {"reads", "reads", Kind::Count, "", where(any.reads)},
                   {"read_bytes", "read", Kind::Bytes, "", where(any.reads)},
                   {"read_ns", "reading", Kind::Time, "", where(any.reads)},
                   {"writes", "writes", Kind::Count, "", where(any.writes)},
                   {"written_bytes", "written", Kind::Bytes, "", where(any.writes)},
                   {"write_ns", "writing", Kind::Time, "", where(any.writes)},
                   {"failed", "failed", Kind::Count, "", where(any.failed)},
                   {"kind", "kind", Kind::Text},
                   {"name", "name", Kind::Text, "", Where::Everywhere, !options.wide}};
  sheet.one_time_unit = true;
  const std::size_t shown = options.rows_of(rows.size(), kUsualOthers);
  for (std::size_t i = 0; i < shown; ++i) {
    const model::FileMetric& use = rows[i].use;
    sheet.add({use.ns(), use.polls, use.poll_ns, use.opens, use.reads, use.read_bytes, use.read_ns, use.writes,
               use.write_bytes, use.write_ns, use.failed, Cell(std::string(fold::to_string(rows[i].kind))),
               Cell(rows[i].name)});
  }
  sheet.notes = left_out(shown, rows.size(), "names");
  return sheet;
}

}  // namespace

std::vector<Sheet> files_view(const Subject& subject, const ViewOptions& options) {
  std::vector<FileRow> rows = fold::files(subject.run, subject.selection);
  sort_rows(rows, options.sort.value_or(SortKey::Total));
  std::vector<std::string> captions;
  const auto why = why_no_waits(subject);
  if (why) {
    captions.push_back(*why);
  } else if (rows.empty()) {
    captions.emplace_back("No call on a file was recorded.");
  } else {
    captions.push_back(fmt::format(
        "Exact: calls on files, and the wall time in them; speed: bytes by the time of the calls that moved them. "
        "storage: reads that took longer than memory can explain ({} and 1 ns a byte), so that a device was waited "
        "for.",
        duration(static_cast<double>(log::kSlowCallNs))));
    captions.emplace_back(
        "What is read by mmap is in no call: it shows as page faults, and in the bytes that storage moved.");
    for (std::string& text : storage_captions(subject)) captions.push_back(std::move(text));
  }
  if (!options.focus.empty() || !options.ignore.empty()) {
    captions.emplace_back("Of all stacks: files have none.");
  }
  for (std::string& caption : wait_captions(subject, options)) captions.push_back(std::move(caption));

  std::vector<Sheet> sheets;
  if (options.everything) {
    sheets.push_back(files_sheet(rows, options, rows.size()));
  } else {
    const auto split = std::stable_partition(rows.begin(), rows.end(),
                                             [](const FileRow& row) { return fold::in_file_system(row.kind); });
    const std::vector<FileRow> files(rows.begin(), split), others(split, rows.end());
    sheets.push_back(files_sheet(files, options, kUsualFiles));
    if (!files.empty()) sheets.push_back(volumes_sheet(files, options));
    if (!others.empty()) sheets.push_back(others_sheet(others, options));
  }
  sheets.front().captions = std::move(captions);
  return sheets;
}

extern const View kFilesView{.name = "files",
                             .help = "files: opens, bytes, speed, pattern",
                             .topic = Topic::Waiting,
                             .available = any_process<[](const model::Process& p) { return !p.tree.files.empty(); }>,
                             .sheets = files_view};

}  // namespace prof::show
