#include <fmt/format.h>

#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/show/waiting/waiting_figures.hpp"

namespace prof::show {
namespace {

using fold::FileRow;
using fold::VolumeRow;
using model::FileMetric;

// Shares from which a pattern is called by one word: a rewind now and then does not make a reader one that jumps.
constexpr double kSequential = 0.9, kRandom = 0.1;

Cell ratio(std::int64_t part, std::int64_t by, double times = 1) {
  return by > 0 ? Cell(real(part) / real(by) * times) : Cell();
}

std::string pattern(const FileMetric& use) {
  const auto share = fold::sequential_share(use);
  if (!share) return {};
  if (*share >= kSequential) return "sequential";
  if (*share <= kRandom) return "random";
  return fmt::format("mixed {:.0f} % seq", *share * 100);
}

// Where reads came from.
std::string source(const FileMetric& use) {
  const auto slow = fold::slow_read_share(use);
  if (!slow) return {};
  if (use.slow_reads == 0) return "cache";
  return fmt::format("storage {} % of time", percent(*slow, 1));
}

std::string volume(const model::Mount& mount) {
  return fmt::format("{} {} on {}", mount.type, mount.source, mount.path);
}

// What any row did.
template <class Row>
FileMetric all_of(const std::vector<Row>& rows) {
  FileMetric all;
  for (const Row& row : rows) all += row.use;
  return all;
}

Figures<FileMetric> use_figures(const FileMetric& all, const ViewOptions& options) {
  const bool room = options.memory_columns;
  const Where opens = shown_if(all.opens > 0), reads = shown_if(all.reads > 0), writes = shown_if(all.writes > 0),
              more_of_writes = shown_if(all.writes > 0 && room);
  return {
      {{"total_ns", "time", Kind::Time}, &FileMetric::ns},
      {{"opens", "opens", Kind::Count, "", opens}, &FileMetric::opens},
      {data("open_ns", "opening", Kind::Time), &FileMetric::open_ns},
      {{"reads", "reads", Kind::Count, "", reads}, &FileMetric::reads},
      {{"read_bytes", "read", Kind::Bytes, "", reads}, &FileMetric::read_bytes},
      {{"avg_read_bytes", "avg", Kind::Bytes, "", reads}, [](auto& use) { return ratio(use.read_bytes, use.reads); }},
      {{"read_bytes_per_s", "speed", Kind::ByteRate, "", reads},
       [](auto& use) { return ratio(use.read_bytes, use.read_ns, 1e9); }},
      {data("read_ns", "reading", Kind::Time), &FileMetric::read_ns},
      {data("max_read_ns", "longest", Kind::Time), [](auto& use) { return known_if(use.reads > 0, use.read_max_ns); }},
      {data("slow_reads", "slow", Kind::Count), &FileMetric::slow_reads},
      {data("slow_read_ns", "slow", Kind::Time), &FileMetric::slow_read_ns},
      {{"writes", "writes", Kind::Count, "", writes}, &FileMetric::writes},
      {{"written_bytes", "written", Kind::Bytes, "", writes}, &FileMetric::write_bytes},
      {{"avg_write_bytes", "avg", Kind::Bytes, "", more_of_writes},
       [](auto& use) { return ratio(use.write_bytes, use.writes); }},
      {{"write_bytes_per_s", "speed", Kind::ByteRate, "", more_of_writes},
       [](auto& use) { return ratio(use.write_bytes, use.write_ns, 1e9); }},
      {data("write_ns", "writing", Kind::Time), &FileMetric::write_ns},
      {data("max_write_ns", "longest", Kind::Time),
       [](auto& use) { return known_if(use.writes > 0, use.write_max_ns); }},
      {data("slow_writes", "slow", Kind::Count), &FileMetric::slow_writes},
      {data("slow_write_ns", "slow", Kind::Time), &FileMetric::slow_write_ns},
      {{"syncs", "syncs", Kind::Count, "", shown_if(all.syncs > 0)}, &FileMetric::syncs},
      {{"sync_ns", "syncing", Kind::Time, "", shown_if(all.syncs > 0 && room)}, &FileMetric::sync_ns},
      {{"seeks", "seeks", Kind::Count, "", shown_if(all.seeks > 0 && room)}, &FileMetric::seeks},
      {data("waits", "waits", Kind::Count), &FileMetric::polls},
      {data("wait_ns", "waiting", Kind::Time), &FileMetric::poll_ns},
      {data("others", "others", Kind::Count), &FileMetric::others},
      {data("other_ns", "others", Kind::Time), &FileMetric::other_ns},
      {data("answers", "answers", Kind::Count), &FileMetric::answers},
      {data("answer_ns", "answers", Kind::Time), &FileMetric::answer_ns},
      {data("avg_answer_ns", "answer avg", Kind::Time), [](auto& use) { return ratio(use.answer_ns, use.answers); }},
      {data("awaited_ns", "awaited", Kind::Time), &FileMetric::answering_ns},
      {{"failed", "failed", Kind::Count, "", shown_if(all.failed > 0)}, &FileMetric::failed},
  };
}

// In JSON of everything; in CSV of files, which alone have an order.
Cell sequential_share(const FileRow& row) {
  return known_if(fold::in_file_system(row.kind), maybe(fold::sequential_share(row.use)));
}

std::string of_file(const FileRow& row, std::string (*words)(const FileMetric&)) {
  return fold::in_file_system(row.kind) ? words(row.use) : std::string();
}

std::string name_of(const VolumeRow& row) {
  if (row.mount) return volume(*row.mount);
  return row.directory.empty() ? "(not known)" : row.directory;
}

}  // namespace

Figures<FileRow> file_figures(const std::vector<FileRow>& rows, const ViewOptions& options) {
  const FileMetric all = all_of(rows);
  const double whole = real(all.ns());
  const Where pattern_where = shown_if(all.reads > 0 || all.writes > 0);
  Figures<FileRow> out{{{"share", "%", Kind::Share, "of all", Where::TableOnly},
                        [whole](auto& row) { return share(real(row.use.ns()), whole); }}};
  append(out, figures_of(&FileRow::use, use_figures(all, options)));
  append<FileRow>(
      out, {{data("processes", "processes", Kind::Count),
             [](auto& row) { return static_cast<std::int64_t>(row.processes); }},
            {data("sequential_share", "sequential", Kind::Share), sequential_share, kNotInJson},
            {{"pattern", "pattern", Kind::Text, "", pattern_where},
             [](auto& row) { return of_file(row, pattern); },
             kNotInJson},
            {{"source", "read from", Kind::Text, "", shown_if(all.reads > 0)},
             [](auto& row) { return of_file(row, source); },
             kNotInJson},
            {data("kind", "kind", Kind::Text), [](auto& row) { return fold::to_string(row.kind); }},
            {data("mount", "file system", Kind::Text),
             [](auto& row) { return row.mount ? Cell(volume(*row.mount)) : Cell(); }, kNotInJson},
            {{"name", "file", Kind::Text, "", Where::Everywhere, !options.wide},
             [](auto& row) { return row.kind == fold::FileKind::Directory ? row.name + " (files in it)" : row.name; },
             kNotInJson}});
  return out;
}

Figures<VolumeRow> volume_figures(const std::vector<VolumeRow>& rows, const ViewOptions& options) {
  Figures<VolumeRow> out = figures_of(&VolumeRow::use, use_figures(all_of(rows), options));
  append<VolumeRow>(
      out, {{{"names", "names", Kind::Count}, [](auto& row) { return static_cast<std::int64_t>(row.files); }},
            {data("directory", "directory", Kind::Text), &VolumeRow::directory},
            {{"pattern", "pattern", Kind::Text, "", Where::TableOnly}, [](auto& row) { return pattern(row.use); }},
            {{"source", "read from", Kind::Text, "", Where::TableOnly}, [](auto& row) { return source(row.use); }},
            {{"name", "file system", Kind::Text, "", Where::TableOnly, !options.wide}, name_of}});
  return out;
}

}  // namespace prof::show
