#include <fmt/format.h>

#include <algorithm>

#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/view.hpp"
#include "report/show/waiting/storage_text.hpp"
#include "report/show/waiting/wait_text.hpp"
#include "report/show/waiting/waiting_figures.hpp"

namespace prof::show {
namespace {

using fold::FileRow;

constexpr std::size_t kUsualFiles = 20, kUsualOthers = 10;

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

Sheet files_sheet(const std::vector<FileRow>& rows, const ViewOptions& options, std::size_t usual) {
  Sheet sheet;
  sheet.title = "Files";
  const std::size_t shown = options.rows_of(rows.size(), usual);
  fill(sheet, file_figures(rows, options), rows, shown);
  sheet.notes = left_out(shown, rows.size(), options.everything ? "names" : "files");
  return sheet;
}

template <class Row>
model::FileMetric all_use(const std::vector<Row>& rows) {
  model::FileMetric all;
  for (const Row& row : rows) all += row.use;
  return all;
}

Sheet volumes_sheet(const std::vector<FileRow>& files, const ViewOptions& options) {
  const std::vector<fold::VolumeRow> rows = fold::volumes(files);
  const model::FileMetric all = all_use(rows);
  const bool reads = all.reads > 0, writes = all.writes > 0;
  Sheet sheet;
  sheet.title = "What they lie on";
  sheet.one_time_unit = true;
  const std::size_t shown = options.rows_of(rows.size(), kUsualOthers);
  fill(sheet,
       pick(volume_figures(rows, options), {{"total_ns"},
                                            {"names"},
                                            {"read_bytes", reads},
                                            {"read_bytes_per_s", reads},
                                            {"written_bytes", writes},
                                            {"write_bytes_per_s", writes},
                                            {"sync_ns", all.syncs > 0},
                                            {"pattern", reads || writes},
                                            {"source", reads},
                                            {"name", true}}),
       rows, shown);
  sheet.notes = left_out(shown, rows.size(), "file systems");
  return sheet;
}

Sheet others_sheet(const std::vector<FileRow>& rows, const ViewOptions& options) {
  const model::FileMetric all = all_use(rows);
  const bool waits = all.polls > 0, reads = all.reads > 0, writes = all.writes > 0;
  Sheet sheet;
  sheet.title = "Pipes, sockets and what else is no file";
  sheet.captions.emplace_back(
      "waits: for it to become ready, by a call that asked for it alone; reading, writing: time in those calls. An end "
      "of a pipe is its reader's as well as its writer's: both have one name.");
  if (all.answers > 0) {
    sheet.captions.emplace_back(
        "answers: of a socket that was connected, each the first bytes that came after something was sent; of accepted "
        "ones, each the first that were sent after some came; awaited: the wall time from what was sent, or came, until "
        "then, that of several at once counted once.");
  }
  sheet.one_time_unit = true;
  const std::size_t shown = options.rows_of(rows.size(), kUsualOthers);
  fill(sheet,
       pick(file_figures(rows, options), {{"total_ns"},
                                          {"waits", waits},
                                          {"wait_ns", waits},
                                          {"opens", all.opens > 0},
                                          {"reads", reads},
                                          {"read_bytes", reads},
                                          {"read_ns", reads},
                                          {"writes", writes},
                                          {"written_bytes", writes},
                                          {"write_ns", writes},
                                          {"answers", all.answers > 0},
                                          {"awaited_ns", all.answers > 0},
                                          {"failed", all.failed > 0},
                                          {"kind", true},
                                          {"name"}}),
       rows, shown);
  sheet.columns.back().title = "name";
  sheet.notes = left_out(shown, rows.size(), "names");
  return sheet;
}

}  // namespace

// Files, then the file systems that they lie on, then pipes, sockets and what else is no file; for other programs one
// list.
static std::vector<Sheet> files_view(const Subject& subject, const ViewOptions& options) {
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
                             .sheets = files_view,
                             .sorts = kCallKeys | SortKeys{SortKey::Bytes}};

}  // namespace prof::show
