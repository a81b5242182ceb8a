#include <filesystem>

#include "report/fold/waiting/accounting.hpp"
#include "report/formats/sqlite/tables.hpp"
#include "report/show/processes.hpp"
#include "report/show/run/thread_figures.hpp"

namespace prof::formats {
namespace {

constexpr const char* kSchema = "1";

void run_table(Database& database, const model::Run& run) {
  database.run("CREATE TABLE run(name TEXT PRIMARY KEY, value)");
  Insert out(database, "run", "name, value");
  std::error_code error;
  out.row("schema", kSchema);
  out.row("prof_version", PROF_VERSION);
  out.row("directory", std::filesystem::absolute(run.directory, error).lexically_normal().string());
  out.row("command", run.processes.empty() ? std::nullopt : some(run.processes.front().command()));
  out.row("started_realtime_ns", some(run.start_realtime_ns));
  out.row("wall_ns", run.wall_ns);
  out.row("cpu_ns", run.cpu_ns);
  out.row("processes", run.process_count());
  out.row("threads", run.thread_count());
  out.row("agent_ns", run.totals.agent_ns);
  out.row("log_bytes", run.log_bytes);
  database.run("CREATE TABLE warnings(text TEXT NOT NULL)");
  Insert warnings(database, "warnings", "text");
  for (const std::string& warning : run.warnings) warnings.row(warning);
}

// `globalPid` and `name` are Nsight Systems' columns of the table.
constexpr const char* kProcesses = R"(
CREATE TABLE processes(id INTEGER PRIMARY KEY, pid INTEGER, image INTEGER, ppid INTEGER, parent INTEGER,
  previous_image INTEGER, next_image INTEGER, rank INTEGER, world_size INTEGER, command TEXT, exe TEXT, cwd TEXT,
  host TEXT, start_ns INTEGER, wall_ns INTEGER, cpu_ns INTEGER, "end" TEXT, exit_code INTEGER, threads INTEGER,
  peak_rss_bytes INTEGER, heap_mode TEXT, allocations INTEGER, allocated_bytes INTEGER, heap_peak_bytes INTEGER,
  sample_period_ns INTEGER, python TEXT, agent_ns INTEGER, log TEXT, log_bytes INTEGER, globalPid INTEGER, name TEXT))";
constexpr const char* kProcessColumns =
    "id, pid, image, ppid, parent, previous_image, next_image, rank, world_size, command, exe, cwd, host, start_ns, "
    "wall_ns, cpu_ns, \"end\", exit_code, threads, peak_rss_bytes, heap_mode, allocations, allocated_bytes, "
    "heap_peak_bytes, sample_period_ns, python, agent_ns, log, log_bytes, globalPid, name";

void process_table(Database& database, const show::Subject& subject) {
  database.run(kProcesses);
  Insert out(database, "processes", kProcessColumns);
  for (std::size_t i = 0; i < subject.run.processes.size(); ++i) {
    const model::Process& process = subject.run.processes[i];
    if (!subject.selection.includes(process)) continue;
    const bool heap = show::heap_recorded(process);
    const auto of_heap = [&](std::int64_t value) { return heap ? std::optional(value) : std::nullopt; };
    const char* mode = process.heap_mode == log::HeapMode::Exact ? "exact" : "sampled";
    out.row(i, process.pid, process.image, process.ppid, process.parent, process.previous_image, process.next_image,
            process.rank, process.world_size, process.command(), some(process.exe), some(process.cwd),
            some(process.host), show::since_start(subject.run, process, process.start_monotonic_ns), process.wall_ns(),
            process.cpu_ns, model::to_string(process.ending), process.exit_code, process.thread_count(),
            process.peak_rss_bytes, heap ? std::optional<std::string>(mode) : std::nullopt,
            of_heap(model::to_signed(process.totals.allocations)),
            of_heap(model::to_signed(process.totals.allocated_bytes)), of_heap(process.heap_peak_bytes),
            some(process.sample_period_ns), process.python ? some(process.python->version) : std::nullopt,
            process.totals.agent_ns, process.log_path.string(), process.log_bytes, nsys_global_pid(process),
            process.command());
  }
}

void thread_table(Database& database, const show::Subject& subject) {
  const std::vector<fold::ThreadWall> walls = fold::thread_walls(subject.run, subject.selection);
  const show::Figures<fold::ThreadWall> figures = show::thread_figures(subject, walls, {.everything = true});
  const std::vector<show::Column> columns = show::columns_of(figures);
  const std::vector<std::size_t> which = data_columns(columns);
  std::string more, typed;
  for (const char* name : log::kWaitClassNames) {
    more += std::string(", blocked_") + name + "_ns";
    typed += std::string(", blocked_") + name + "_ns INTEGER";
  }
  database.run(
      "CREATE TABLE threads(id INTEGER PRIMARY KEY, process INTEGER REFERENCES "
      "processes(id), start_ns INTEGER, " +
      column_list(columns, which, true) + ", blocked_ns INTEGER, run_queue_ns INTEGER, residual_ns INTEGER" + typed +
      ")");
  Insert out(
      database, "threads",
      "process, start_ns, " + column_list(columns, which, false) + ", blocked_ns, run_queue_ns, residual_ns" + more);
  for (const fold::ThreadWall& wall : walls) {
    const model::Process& process = subject.run.processes[wall.process];
    out.add(wall.process);
    out.add(show::since_start(subject.run, process, wall.thread->start_monotonic_ns));
    for (const std::size_t i : which) out.add(figures[i].value(wall), columns[i].kind);
    const fold::WallSplit& split = wall.split;
    const auto blocked = [&](std::int64_t ns) { return split.blocked_known ? std::optional(ns) : std::nullopt; };
    out.add(blocked(split.blocked()));
    out.add(split.run_queue_known ? std::optional(split.run_queue_ns) : std::nullopt);
    out.add(split.residual_ns);
    for (const std::int64_t ns : split.blocked_ns) out.add(blocked(ns));
    out.end();
  }
}

void module_table(Database& database, const symbols::Symbols& symbols) {
  database.run(
      "CREATE TABLE modules(path TEXT, build_id TEXT, source TEXT, "
      "symbol_file TEXT, addresses INTEGER, "
      "unresolved INTEGER)");
  Insert out(database, "modules", "path, build_id, source, symbol_file, addresses, unresolved");
  for (const symbols::ModuleReport& report : symbols.modules()) {
    out.row(report.path, some(report.build_id), symbols::to_string(report.source), some(report.symbol_file),
            report.addresses, report.unresolved);
  }
}

}  // namespace

void add_run_tables(Database& database, const show::Subject& subject) {
  run_table(database, subject.run);
  process_table(database, subject);
  thread_table(database, subject);
  module_table(database, subject.symbols);
}

}  // namespace prof::formats
