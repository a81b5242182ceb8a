#include "report/formats/json_files.hpp"

#include <string>

#include "report/fold/line_tree.hpp"
#include "report/fold/training/loading_cause.hpp"
#include "report/fold/training/loading_data.hpp"
#include "report/formats/json_memory.hpp"
#include "report/formats/json_rows.hpp"
#include "report/show/training/loading_text.hpp"
#include "report/show/waiting/wait_text.hpp"
#include "report/show/waiting/waiting_figures.hpp"

namespace prof::formats {
namespace {

Json seconds_or_null(const std::optional<std::int64_t>& ns) { return ns ? seconds(*ns) : Json(); }

Json mount_json(const std::optional<model::Mount>& mount) {
  if (!mount) return {};
  return {{"path", text(mount->path)}, {"type", text(mount->type)}, {"source", text(mount->source)}};
}

constexpr const char* kUse =
    "total_s opens open_s reads read_bytes read_s max_read_s avg_read_bytes read_bytes_per_s slow_reads slow_read_s "
    "writes written_bytes write_s max_write_s avg_write_bytes write_bytes_per_s slow_writes slow_write_s "
    "sequential_share syncs sync_s seeks waits wait_s others other_s answers answer_s avg_answer_s awaited_s failed";

Json rows_of_files(const std::vector<fold::FileRow>& rows) {
  return rows_json(rows, show::file_figures(rows, {}), std::string("name kind processes mount ") + kUse,
                   [](Json& out, const fold::FileRow& row) {
                     out["name"] = text(row.name);
                     out["mount"] = mount_json(row.mount);
                     const bool file = fold::in_file_system(row.kind);  // others have no order
                     out["sequential_share"] = or_null(file ? fold::sequential_share(row.use) : std::nullopt);
                   });
}

Json volumes_json(const std::vector<fold::VolumeRow>& rows) {
  return rows_json(rows, show::volume_figures(rows, {}), std::string("mount directory names ") + kUse,
                   [](Json& out, const fold::VolumeRow& row) {
                     out["mount"] = mount_json(row.mount);
                     out["sequential_share"] = or_null(fold::sequential_share(row.use));
                   });
}

Json storage_by_process(const show::Subject& subject) {
  Json out = Json::array();
  for (const fold::StorageUse& row : fold::storage_use(subject.run, subject.selection)) {
    out.push_back({{"pid", row.pid},
                   {"image", subject.run.processes[row.process].image},
                   {"read_bytes", or_null(row.read_bytes)},
                   {"written_bytes", or_null(row.written_bytes)},
                   {"major_faults", or_null(row.major_faults)},
                   {"wait_s", seconds_or_null(row.delay_ns)}});
  }
  return out;
}

Json rows_of_locks(const show::Subject& subject) {
  const std::vector<fold::LockRow> rows = fold::locks(subject.run, subject.symbols, subject.selection);
  return rows_json(rows, show::lock_figures(subject, rows, {.everything = true}),
                   "name kind variable pid processes locks waits total_s avg_s max_s failed created longest_waiter "
                   "longest_holder_tid longest_holder held_in",
                   [&](Json& out, const fold::LockRow& row) {
                     out["created"] = place_json(subject.symbols, row.created);
                     out["longest_waiter"] = place_json(subject.symbols, row.waiter);
                     out["held_in"] = place_json(subject.symbols, row.holder);
                   });
}

Json waits_json(const fold::ThreadTime& time) {
  Json out = Json::object();
  for (std::uint32_t i = 0; i < log::kWaitClasses; ++i) {
    out[log::kWaitClassNames[i]] = seconds(time.blocked_ns(static_cast<log::WaitClass>(i)));
  }
  return out;
}

Json time_json(const fold::ThreadTime& time) {
  return {{"total_s", seconds(time.ns())},
          {"cpu_s", seconds(time.cpu_ns)},
          {"ready_s", seconds(time.ready_ns)},
          {"waits_s", waits_json(time)}};
}

Json worker_json(const fold::LoadingTime& time) {
  Json out;
  out["wall_s"] = seconds(time.wall_ns);
  out["cpu_s"] = seconds(time.work.cpu_ns);
  out["waits_s"] = waits_json(time.work);
  out["idle_s"] = seconds(time.idle_ns);
  out["sending_s"] = seconds(time.sending_ns);
  out["sending_cpu_s"] = seconds(time.sending_cpu_ns);
  out["starting_s"] = seconds(time.starting_ns);
  out["rest_s"] = seconds(time.rest_ns());
  out["storage_s"] = seconds(time.storage_ns);
  out["read_bytes"] = time.read_bytes;
  out["read_s"] = seconds(time.read_ns);
  out["run_queue_s"] = seconds_or_null(time.run_queue_ns);
  out["major_faults"] = or_null(time.major_faults);
  out["storage_delay_s"] = seconds_or_null(time.delay_ns);
  return out;
}

Json loader_json(const show::Subject& subject, const fold::Loader& loader) {
  const bool torch = loader.kind == fold::Loader::Kind::Torch;
  const auto needed = fold::workers_needed(loader);
  Json out;
  out["kind"] = torch ? "torch" : "pipes";
  out["pid"] = subject.run.processes[loader.process].pid;
  out["image"] = subject.run.processes[loader.process].image;
  out["verdict"] = fold::to_string(loader.cause);
  out["text"] = text(show::loading_verdict(loader));
  out["loop"] = place_json(subject.symbols, loader.location);
  out["loop_s"] = seconds(loader.loop_ns);
  out["wait_s"] = seconds(loader.wait.ns());
  out["wait_share"] = cell_json(show::share(static_cast<double>(loader.wait.ns()), static_cast<double>(loader.loop_ns)),
                                show::Kind::Share);
  out["wait"] = time_json(loader.wait);
  out["starting_s"] = torch ? seconds(loader.starting_ns) : Json();
  out["workers_at_once"] = loader.workers_at_once;
  out["workers_needed"] = needed ? Json(*needed) : Json();
  out["cpus"] = or_null(loader.cpus);
  out["cpus_used"] = loader.workers.empty() ? Json() : Json(loader.cpus_used);
  Json workers = Json::array();
  for (const fold::Loader::Worker& worker : loader.workers) {
    Json item = worker_json(worker.time);
    item["pid"] = subject.run.processes[worker.process].pid;
    item["image"] = subject.run.processes[worker.process].image;
    workers.push_back(std::move(item));
  }
  out["workers"] = std::move(workers);
  out["all_workers"] = worker_json(loader.all);
  out["pin_memory"] = loader.pinning ? time_json(*loader.pinning) : Json();
  return out;
}

}  // namespace

Json files_json(const show::Subject& subject) {
  if (show::why_no_waits(subject)) return {};
  return rows_of_files(fold::files(subject.run, subject.selection));
}

Json file_systems_json(const show::Subject& subject) {
  if (show::why_no_waits(subject)) return {};
  return volumes_json(fold::volumes(fold::files(subject.run, subject.selection)));
}

Json storage_json(const show::Subject& subject) {
  return show::why_no_waits(subject) ? Json() : storage_by_process(subject);
}

Json locks_json(const show::Subject& subject) {
  if (show::why_no_waits(subject)) return {};
  return {{"uncontended", fold::uncontended(subject.run, subject.selection)}, {"locks", rows_of_locks(subject)}};
}

Json data_loading_json(const show::Subject& subject) {
  if (show::why_no_waits(subject)) return {};
  Json out = Json::array();
  for (const fold::Loader& loader : fold::loaders(subject.run, subject.symbols, subject.selection)) {
    out.push_back(loader_json(subject, loader));
  }
  return out;
}

}  // namespace prof::formats
