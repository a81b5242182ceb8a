#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/text.hpp"
#include "report/show/waiting/wall_text.hpp"

namespace prof::show {
namespace {

constexpr std::size_t kUsualProcesses = 4;
constexpr std::size_t kUsualThreads = 8;
constexpr std::size_t kUsualWidth = 100;
constexpr std::size_t kName = 24, kTime = 10;

// A part of a bar: letters can be told apart without colours, and where there is nothing but ASCII.
struct Mark {
  const char* ink;
  const char* ascii;
  const char* words;
};
constexpr Mark kMarks[] = {{"\u2588", "#", "CPU"}, {"o", "o", "other calls"}, {"f", "f", "file"},
                           {"n", "n", "network"},  {"p", "p", "pipe"},        {"e", "e", "poll"},
                           {"s", "s", "sleep"},    {"l", "l", "lock"},        {"c", "c", "child"},
                           {"g", "g", "GPU"},      {"q", "q", "waiting for CPU"},   {"\u00b7", ".", "unaccounted"}};
constexpr std::size_t kParts = std::size(kMarks);
static_assert(kParts == log::kWaitClasses + 3);

using Amounts = std::array<std::int64_t, kParts>;  // in the order of kMarks

Amounts amounts_of(const fold::WallSplit& split) {
  Amounts out{};
  out[0] = split.cpu_ns;
  std::copy(split.blocked_ns.begin(), split.blocked_ns.end(), out.begin() + 1);
  out[kParts - 2] = split.run_queue_ns;
  out[kParts - 1] = split.residual_ns;
  return out;
}

// As many columns as the share of `longest` says, divided so that no part is off by a whole column.
std::string bar(const fold::WallSplit& split, std::int64_t longest, std::size_t columns, const Terminal& terminal) {
  if (longest <= 0) return {};
  const double each = static_cast<double>(columns) / static_cast<double>(longest);
  std::string out;
  double sum = 0;
  std::size_t drawn = 0;
  const Amounts amounts = amounts_of(split);
  for (std::size_t i = 0; i < kParts; ++i) {
    sum += static_cast<double>(std::max<std::int64_t>(0, amounts[i]));
    const auto end = std::min(columns, static_cast<std::size_t>(sum * each + 0.5));
    for (; drawn < end; ++drawn) out += terminal.unicode ? kMarks[i].ink : kMarks[i].ascii;
  }
  return out;
}

std::string line(const std::string& name, const fold::WallSplit& split, std::int64_t longest, const Terminal& terminal,
                 Style style) {
  const std::size_t width = terminal.width == 0 ? kUsualWidth : terminal.width;
  const std::size_t columns = width > kName + kTime + 20 ? width - kName - kTime - 4 : 16;
  const std::string shown = cut_middle(printable(name), kName);
  return styled(terminal, style, fmt::format("{:<{}}", shown, kName)) +
         fmt::format(" {:>{}} |", duration(static_cast<double>(split.wall_ns)), kTime) +
         bar(split, longest, columns, terminal) + '\n';
}

std::string legend(const fold::WallSplit& all, const Terminal& terminal) {
  const Amounts amounts = amounts_of(all);
  std::string out;
  for (std::size_t i = 0; i < kParts; ++i) {
    if (amounts[i] <= 0) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : "   ", terminal.unicode ? kMarks[i].ink : kMarks[i].ascii,
                       kMarks[i].words);
  }
  return out;
}

struct OfProcess {
  std::size_t process = 0;
  fold::WallSplit all;
  std::vector<fold::ThreadWall> threads;  // by wall time
};

std::vector<OfProcess> by_process(const Subject& subject) {
  std::vector<OfProcess> out;
  for (const fold::ThreadWall& thread : fold::thread_walls(subject.run, subject.selection)) {
    if (out.empty() || out.back().process != thread.process) out.push_back({thread.process, {}, {}});
    out.back().all += thread.split;
    out.back().threads.push_back(thread);
  }
  for (OfProcess& process : out) {
    std::stable_sort(process.threads.begin(), process.threads.end(),
                     [](const auto& a, const auto& b) { return a.split.wall_ns > b.split.wall_ns; });
  }
  const auto cpu = [&](const OfProcess& process) { return subject.run.processes[process.process].cpu_ns; };
  std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return cpu(a) > cpu(b); });
  return out;
}

std::string thread_name(const model::Thread& thread) {
  return fmt::format("{} {}", thread.tid, thread.main ? "(main)" : thread.display_name());
}

std::string bars_of(const OfProcess& of, const Subject& subject, const ViewOptions& options, const Terminal& terminal) {
  const model::Process& process = subject.run.processes[of.process];
  const std::string title = printable(fmt::format("{} ({})", command_label(process, options.wide), process.pid));
  std::string out =
      styled(terminal, Style::Heading, terminal.width == 0 ? title : cut_middle(title, terminal.width)) + '\n';
  const std::size_t count = of.threads.size();
  if (count > 1) {
    out += line(fmt::format("{} together", counted(std::ssize(of.threads), "thread", "threads")), of.all,
                of.all.wall_ns, terminal, Style::Bold);
  }
  const std::size_t shown = options.limit ? options.rows_of(count, count) : std::min(count, kUsualThreads);
  for (std::size_t i = 0; i < shown; ++i) {
    const fold::ThreadWall& thread = of.threads[i];
    out += line(thread_name(*thread.thread), thread.split, of.threads.front().split.wall_ns, terminal, Style::Dim);
  }
  if (shown < count) {
    const std::string more = counted(static_cast<std::int64_t>(count - shown), "shorter thread", "shorter threads");
    out += fmt::format("and {}\n", more);
  }
  return out;
}

}  // namespace

std::string wall_bars(const Subject& subject, const ViewOptions& options, const Terminal& terminal) {
  const std::vector<OfProcess> processes = by_process(subject);
  if (processes.empty()) return {};
  fold::WallSplit all;
  for (const OfProcess& process : processes) all += process.all;
  std::string out = styled(terminal, Style::Heading, "Where wall time went") + '\n';
  out += wrapped(legend(all, terminal), terminal.width) + '\n';
  const std::size_t shown = options.rows_of(processes.size(), kUsualProcesses);
  for (std::size_t i = 0; i < shown; ++i) out += '\n' + bars_of(processes[i], subject, options, terminal);
  for (const std::string& note : left_out(shown, processes.size(), "processes")) out += '\n' + note + '\n';
  return out;
}

}  // namespace prof::show
