#include "report/show/run/timeline_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "report/show/captions.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/run/gpu_plot.hpp"
#include "report/show/text.hpp"

namespace prof::show {
namespace {

constexpr std::size_t kUsualProcesses = 4;
constexpr std::size_t kRows = 14;
constexpr std::size_t kUsualWidth = 100;
constexpr std::size_t kLabel = 11;  // "123.4 MiB |"

struct Ink {
  const char* heap;
  const char* maps;
  const char* rest;
  const char* files;
};
constexpr Ink kAscii{"#", "+", ".", ":"};
constexpr Ink kBlocks{"\u2588", "\u2592", "\u2591", "\u00b7"};

struct Level {
  double heap = 0, maps = 0, rss = 0, files = 0;
  double most() const { return std::max(heap + maps, rss); }
};

// The highest levels in each of `columns` even slices from the start of the process to its last point. Where nobody
// looked, things are as they were.
std::vector<Level> levels(const model::Process& process, std::size_t columns) {
  const std::vector<model::SeriesPoint>& points = process.series;
  const std::uint64_t start = std::min(process.start_monotonic_ns, points.front().begin_monotonic_ns);
  const double all = static_cast<double>(points.back().end_monotonic_ns - start);
  const auto column_of = [&](std::uint64_t when) {
    const double part = all > 0 ? std::min(1.0, static_cast<double>(when - std::min(when, start)) / all) : 0;
    return std::min(columns - 1, static_cast<std::size_t>(part * static_cast<double>(columns)));
  };
  std::vector<Level> out(columns);
  std::size_t next = 0;
  Level now;
  for (std::size_t column = 0; column < columns; ++column) {
    Level most = now;
    for (; next < points.size() && column_of(points[next].begin_monotonic_ns) <= column; ++next) {
      const model::SeriesPoint& point = points[next];
      const auto maps = static_cast<double>(point.maps_live);
      now = {static_cast<double>(point.heap_live), maps, static_cast<double>(point.rss),
             static_cast<double>(point.rss_file)};
      most.heap = std::max(most.heap, static_cast<double>(point.heap_high));
      most.maps = std::max(most.maps, maps);
      most.rss = std::max(most.rss, static_cast<double>(point.rss_high));
      most.files = std::max(most.files, now.files);
    }
    out[column] = most;
  }
  return out;
}

std::string plot(const model::Process& process, const Terminal& terminal) {
  const Ink& ink = terminal.unicode ? kBlocks : kAscii;
  const std::size_t width = terminal.width == 0 ? kUsualWidth : terminal.width;
  const std::size_t columns = std::max<std::size_t>(20, width > kLabel + 1 ? width - kLabel - 1 : 0);
  const std::vector<Level> all = levels(process, columns);
  double top = 1;
  for (const Level& level : all) top = std::max(top, level.most());

  std::string out;
  for (std::size_t row = 0; row < kRows; ++row) {
    const double from_top = static_cast<double>(row) / static_cast<double>(kRows);
    const bool labelled = row == 0 || row == kRows / 2;
    const std::string label = labelled ? bytes(top * (1 - from_top)) : "";
    out += fmt::format("{:>{}} |", label, kLabel - 2);
    const double height = top * (1 - (static_cast<double>(row) + 0.5) / static_cast<double>(kRows));
    std::string line;
    std::size_t used = 0;
    for (std::size_t column = 0; column < columns; ++column) {
      const Level& level = all[column];
      const char* mark = height < level.heap                ? ink.heap
                         : height < level.heap + level.maps ? ink.maps
                         : height < level.rss - level.files ? ink.rest
                         : height < level.rss               ? ink.files
                                                            : " ";
      line += mark;
      if (*mark != ' ') used = line.size();
    }
    out += line.substr(0, used) + '\n';
  }
  const std::string end =
      duration(static_cast<double>(process.series.back().end_monotonic_ns -
                                   std::min(process.start_monotonic_ns, process.series.back().end_monotonic_ns)));
  out += fmt::format("{:>{}} +{:-<{}}\n", "0", kLabel - 2, "", columns);
  out += fmt::format("{:{}}0{:>{}}\n", "", kLabel, end, columns - 1);
  return out;
}

std::string heading(const model::Process& process, const Terminal& terminal, bool wide) {
  std::uint64_t rss = 0;
  std::int64_t heap = 0, maps = 0;
  for (const model::SeriesPoint& point : process.series) {
    rss = std::max(rss, point.rss_high);
    heap = std::max(heap, point.heap_high);
    maps = std::max(maps, point.maps_live);
  }
  const std::string title = printable(fmt::format("{} ({})", command_label(process, wide), process.pid));
  const std::string shown = terminal.width == 0 ? title : cut_middle(title, terminal.width);
  return styled(terminal, Style::Heading, shown) + '\n' +
         wrapped(fmt::format("Highest: RSS {}, heap {}, mapped {}. {} of {} each.", bytes(static_cast<double>(rss)),
                             bytes(static_cast<double>(heap)), bytes(static_cast<double>(maps)),
                             counted(std::ssize(process.series), "point", "points"),
                             duration(static_cast<double>(process.series.front().end_monotonic_ns -
                                                          process.series.front().begin_monotonic_ns))),
                 terminal.width) +
         '\n';
}

}  // namespace

std::string timeline_plot(const Subject& subject, const ViewOptions& options, const Terminal& terminal) {
  std::vector<std::size_t> chosen = selected_processes(subject);
  std::erase_if(chosen, [&](std::size_t i) { return subject.run.processes[i].series.empty(); });
  if (chosen.empty()) return "No process was followed over time: that begins when one has run for a second.\n";
  const auto followed = [&](std::size_t i) { return subject.run.processes[i].series.size() > 1; };
  if (std::any_of(chosen.begin(), chosen.end(), followed)) {
    std::erase_if(chosen, [&](std::size_t i) { return !followed(i); });  // too short to draw
  }
  const auto highest = [&](std::size_t i) {
    std::uint64_t most = 0;
    for (const model::SeriesPoint& point : subject.run.processes[i].series) most = std::max(most, point.rss_high);
    return most;
  };
  std::stable_sort(chosen.begin(), chosen.end(), [&](std::size_t a, std::size_t b) { return highest(a) > highest(b); });
  const Ink& ink = terminal.unicode ? kBlocks : kAscii;
  std::string out = styled(terminal, Style::Heading, "Memory over time") + '\n';
  const bool files_known = std::any_of(chosen.begin(), chosen.end(), [&](std::size_t i) {
    const auto& series = subject.run.processes[i].series;
    return std::any_of(series.begin(), series.end(), [](const auto& point) { return point.rss_file != 0; });
  });
  const std::string rest =
      files_known ? fmt::format(
                        "{} the rest of RSS that is its own: stacks, the allocator's overhead; {} "
                        "code, files and shared memory that it did not map itself",
                        ink.rest, ink.files)
                  : fmt::format("{} the rest of RSS: code, files, stacks, the allocator's overhead", ink.rest);
  out += wrapped(fmt::format("{} heap: live blocks of malloc ({}); {} mapped by the program, touched or not; {}. "
                             "Across: wall time.",
                             ink.heap, heap_sampling(subject), ink.maps, rest),
                 terminal.width) +
         '\n';
  for (const std::string& filter : filters(subject, options)) out += wrapped(printable(filter), terminal.width) + '\n';
  const std::size_t shown = options.rows_of(chosen.size(), kUsualProcesses);
  for (std::size_t i = 0; i < shown; ++i) {
    const model::Process& process = subject.run.processes[chosen[i]];
    out += '\n' + heading(process, terminal, options.wide) + plot(process, terminal) + gpu_plot(process, terminal);
  }
  for (const std::string& note : left_out(shown, chosen.size(), "processes")) out += '\n' + note + '\n';
  return out;
}

}  // namespace prof::show
