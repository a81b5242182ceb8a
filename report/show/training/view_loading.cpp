#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/fold/training/loading_data.hpp"
#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/figures.hpp"
#include "report/show/numbers.hpp"
#include "report/show/training/loading_text.hpp"
#include "report/show/view.hpp"
#include "report/show/waiting/wait_text.hpp"

namespace prof::show {
namespace {

using fold::Loader;
using fold::LoadingTime;
using fold::ThreadTime;
using log::WaitClass;

constexpr std::size_t kUsualWorkers = 8;

// Waits as the table has them: a reader of a pipe waits in poll as well as in read.
struct Waits {
  std::int64_t file, network, pipe, lock, other;
  explicit Waits(const ThreadTime& time)
      : file(time.blocked_ns(WaitClass::File)),
        network(time.blocked_ns(WaitClass::Network)),
        pipe(model::saturated_sum(time.blocked_ns(WaitClass::Pipe), time.blocked_ns(WaitClass::Poll))),
        lock(time.blocked_ns(WaitClass::Lock)),
        other(time.blocked_ns()) {
    for (const std::int64_t told : {file, network, pipe, lock}) other = model::saturated_difference(other, told);
  }
};

using Part = std::optional<std::int64_t>;

struct Line {
  const char* who;
  std::uint32_t pid;
  std::int64_t wall_ns;
  Part cpu{}, file{}, storage{}, network{}, pipe{}, lock{}, other{}, sending{}, idle{}, starting{}, rest{}, queue{};
  std::string name;
  Loader::Cause cause{};  // of the loader
};

Line& with(Line& line, const ThreadTime& time) {
  const Waits waits(time);
  line.cpu = time.cpu_ns;
  line.file = waits.file;
  line.network = waits.network;
  line.pipe = waits.pipe;
  line.lock = waits.lock;
  line.other = waits.other;
  return line;
}

Line worker_line(const LoadingTime& time, std::uint32_t pid, std::string name) {
  Line line{.who = "worker", .pid = pid, .wall_ns = time.wall_ns, .name = std::move(name)};
  with(line, time.work);
  line.storage = time.storage_ns;
  line.sending = time.sending_ns;
  line.idle = time.idle_ns;
  line.starting = time.starting_ns;
  line.rest = time.rest_ns();
  line.queue = time.run_queue_ns;
  return line;
}

Figures<Line> loading_figures(const ViewOptions& options) {
  Figures<Line> figures = {
      {data("who", "who", Kind::Text), [](auto& line) { return std::string(line.who); }},
      {data("pid", "pid", Kind::Plain), [](auto& line) { return known_if(line.pid != 0, std::int64_t{line.pid}); }},
      {data("verdict", "verdict", Kind::Text), [](auto& line) { return std::string(fold::to_string(line.cause)); }},
      {{"wall_ns", "time", Kind::Time}, &Line::wall_ns}};
  const struct {
    const char *key, *title;
    Part Line::*part;
  } parts[] = {{"cpu", "cpu", &Line::cpu},
               {"file", "file", &Line::file},
               {"storage", "storage", &Line::storage},
               {"network", "network", &Line::network},
               {"pipe", "pipe", &Line::pipe},
               {"lock", "lock", &Line::lock},
               {"other", "other", &Line::other},
               {"sending", "sending", &Line::sending},
               {"idle", "idle", &Line::idle},
               {"starting", "start", &Line::starting},
               {"rest", "rest", &Line::rest}};
  for (const auto& [key, title, part] : parts) {
    figures.push_back(
        {{std::string(key) + "_share", title, Kind::Share, "of it", Where::TableOnly},
         [part = part](auto& line) { return line.*part ? share(real(*(line.*part)), real(line.wall_ns)) : Cell(); }});
    figures.push_back({{std::string(key) + "_ns", title, Kind::Time, "", Where::DataOnly},
                       [part = part](auto& line) { return maybe(line.*part); }});
  }
  figures.push_back({data("run_queue_ns", "queue", Kind::Time), [](auto& line) { return maybe(line.queue); }});
  figures.push_back({{"name", "who", Kind::Text, "", Where::Everywhere, !options.wide}, &Line::name});
  return figures;
}

// Leaves out shares that no row has.
void drop_empty(Sheet& sheet) {
  for (std::size_t i = sheet.columns.size(); i-- > 0;) {
    if (sheet.columns[i].kind != Kind::Share) continue;
    const bool empty = std::none_of(sheet.rows.begin(), sheet.rows.end(), [i](const Row& row) {
      const double* value = std::get_if<double>(&row.cells[i]);
      return value != nullptr && *value >= 0.0005;
    });
    if (!empty) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    sheet.columns.erase(sheet.columns.begin() + at);
    for (Row& row : sheet.rows) row.cells.erase(row.cells.begin() + at);
  }
}

std::string what_it_is(const Subject& subject, const Loader& loader) {
  const model::Process& process = subject.run.processes[loader.process];
  if (loader.kind == Loader::Kind::Torch) return fmt::format("Data loading: DataLoader of pid {}", process.pid);
  return fmt::format("Data loading: processes that send to pid {}", process.pid);
}

Sheet loader_sheet(const Subject& subject, const ViewOptions& options, const Loader& loader) {
  const auto& processes = subject.run.processes;
  const std::uint32_t pid = processes[loader.process].pid;
  const bool torch = loader.kind == Loader::Kind::Torch;
  Sheet sheet;
  sheet.title = what_it_is(subject, loader);
  const Figures<Line> figures = loading_figures(options);
  sheet.columns = columns_of(figures);
  sheet.one_time_unit = true;
  const auto add_line = [&](Line line, Emphasis emphasis = Emphasis::None) {
    line.cause = loader.cause;
    sheet.add(cells_of(figures, line), emphasis);
  };
  add_line({.who = "loop",
            .pid = pid,
            .wall_ns = loader.loop_ns,
            .starting = torch ? Part(loader.starting_ns) : Part(),
            .name = "the loop: " + loop_name(subject, loader, options.wide)});
  Line waiting{.who = "waiting",
               .pid = pid,
               .wall_ns = loader.wait.ns(),
               .name = options.everything ? "waits for data" : "  waits for data"};
  waiting.rest = loader.wait.ready_ns;
  add_line(with(waiting, loader.wait), Emphasis::Strong);
  const std::size_t shown = options.rows_of(loader.workers.size(), kUsualWorkers);
  for (std::size_t i = 0; i < shown; ++i) {
    const Loader::Worker& worker = loader.workers[i];
    const std::uint32_t its = processes[worker.process].pid;
    add_line(worker_line(worker.time, its, fmt::format("worker {} (pid {})", i + 1, its)));
  }
  if (loader.workers.size() > 1 && !options.everything) {
    add_line(worker_line(loader.all, 0, fmt::format("all {} workers", loader.workers.size())));
  }
  if (loader.pinning) {
    Line pinning{
        .who = "pin_memory", .pid = pid, .wall_ns = loader.pinning->ns(), .name = "pin_memory thread, at work"};
    add_line(with(pinning, *loader.pinning));
  }
  if (!options.everything) drop_empty(sheet);
  sheet.notes.push_back("Verdict: " + loading_verdict(loader));
  for (std::string& note : left_out(shown, loader.workers.size(), "workers")) sheet.notes.push_back(std::move(note));
  return sheet;
}

std::vector<std::string> explanation(const std::vector<Loader>& loaders) {
  std::vector<std::string> out;
  const auto any = [&](Loader::Kind kind) {
    return std::any_of(loaders.begin(), loaders.end(), [kind](const Loader& loader) { return loader.kind == kind; });
  };
  if (any(Loader::Kind::Torch)) {
    out.emplace_back(
        "Time of the loop: computing and waiting of the function that takes the batches, and of all that it calls. Its "
        "waiting: the same in the loader's __next__; with num_workers=0 that is the loading itself.");
  }
  if (any(Loader::Kind::Pipes)) {
    out.emplace_back(
        "Processes that send at least 64 KiB by pipes to the one that made them: its waiting is the time of reads, and "
        "of waits until it could read, of the thread that reads most.");
  }
  out.emplace_back(
      "Of a worker: cpu: sampled; storage: of file, in reads that memory cannot explain; pipe: poll included; sending: "
      "what it loaded waited to be taken, in a thread of its own; idle: it waited to be told what to load; start: "
      "before "
      "and after its loop; rest: ready to run, page faults, unaccounted.");
  return out;
}

}  // namespace

// How long training loops waited for their data, what the processes did that load it, and what to do about it.
static std::vector<Sheet> loading_view(const Subject& subject, const ViewOptions& options) {
  const std::vector<Loader> loaders = fold::loaders(subject.run, subject.symbols, subject.selection);
  std::vector<Sheet> sheets;
  for (const Loader& loader : loaders) sheets.push_back(loader_sheet(subject, options, loader));
  if (sheets.empty()) {
    Sheet& none = sheets.emplace_back();
    none.title = "Data loading";
    none.columns = columns_of(loading_figures(options));
  }
  std::vector<std::string>& captions = sheets.front().captions;
  if (!loaders.empty()) {
    captions = explanation(loaders);
  } else if (const auto why = why_no_waits(subject)) {
    captions.push_back(*why);
  } else {
    captions.emplace_back(
        "No loop was seen that takes its data from a PyTorch DataLoader, or from processes by pipes.");
  }
  if (!options.focus.empty() || !options.ignore.empty() || subject.selection.by_thread()) {
    captions.emplace_back("Of all stacks and threads.");
  }
  for (std::string& caption : wait_captions(subject, options)) captions.push_back(std::move(caption));
  return sheets;
}

static bool holds_loaders(const Subject& subject) {
  return !fold::loaders(subject.run, subject.symbols, subject.selection).empty();
}

extern const View kLoadingView{.name = "loading",
                               .help = "whether training loops wait for their data, and why",
                               .topic = Topic::Training,
                               .available = holds_loaders,
                               .sheets = loading_view};

}  // namespace prof::show
