#include "report/formats/json_files.hpp"

#include <string>

#include "report/fold/line_tree.hpp"
#include "report/fold/training/loading_cause.hpp"
#include "report/fold/training/loading_data.hpp"
#include "report/fold/waiting/files.hpp"
#include "report/fold/waiting/locks.hpp"
#include "report/formats/json_memory.hpp"
#include "report/show/training/loading_words.hpp"
#include "report/show/waiting/wait_words.hpp"

namespace prof::formats {
namespace {

Json place_json(const symbols::Symbols& symbols, std::uint32_t location) {
  return location == fold::kNobody ? Json() : frame_json(symbols, location);
}

Json ratio(std::int64_t part, std::int64_t by, double times) {
  return by > 0 ? Json(static_cast<double>(part) / static_cast<double>(by) * times) : Json();
}

Json maximum(std::int64_t ns, std::int64_t calls) { return calls > 0 ? seconds(ns) : Json(); }

Json seconds_or_null(const std::optional<std::int64_t>& ns) { return ns ? seconds(*ns) : Json(); }

Json mount_json(const std::optional<model::Mount>& mount) {
  if (!mount) return {};
  return {{"path", text(mount->path)}, {"type", text(mount->type)}, {"source", text(mount->source)}};
}

void add_use(Json& out, const model::FileMetric& use) {
  out["total_s"] = seconds(use.ns());
  out["opens"] = use.opens;
  out["open_s"] = seconds(use.open_ns);
  out["reads"] = use.reads;
  out["read_bytes"] = use.read_bytes;
  out["read_s"] = seconds(use.read_ns);
  out["max_read_s"] = maximum(use.read_max_ns, use.reads);
  out["avg_read_bytes"] = ratio(use.read_bytes, use.reads, 1);
  out["read_bytes_per_s"] = ratio(use.read_bytes, use.read_ns, 1e9);
  out["slow_reads"] = use.slow_reads;
  out["slow_read_s"] = seconds(use.slow_read_ns);
  out["writes"] = use.writes;
  out["written_bytes"] = use.write_bytes;
  out["write_s"] = seconds(use.write_ns);
  out["max_write_s"] = maximum(use.write_max_ns, use.writes);
  out["avg_write_bytes"] = ratio(use.write_bytes, use.writes, 1);
  out["write_bytes_per_s"] = ratio(use.write_bytes, use.write_ns, 1e9);
  out["slow_writes"] = use.slow_writes;
  out["slow_write_s"] = seconds(use.slow_write_ns);
  out["sequential_share"] = or_null(fold::sequential_share(use));
  out["syncs"] = use.syncs;
  out["sync_s"] = seconds(use.sync_ns);
  out["seeks"] = use.seeks;
  out["waits"] = use.polls;
  out["wait_s"] = seconds(use.poll_ns);
  out["others"] = use.others;
  out["other_s"] = seconds(use.other_ns);
  out["failed"] = use.failed;
}

Json storage_json(const show::Subject& subject) {
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

Json locks_json(const show::Subject& subject) {
  Json out = Json::array();
  for (const fold::LockRow& row : fold::locks(subject.run, subject.symbols, subject.selection)) {
    const model::Process& process = subject.run.processes[row.process];
    const std::uint32_t holder = row.use.longest_holder;
    out.push_back({{"name", text(row.name)},
                   {"kind", fold::to_string(row.kind)},
                   {"variable", row.variable},
                   {"pid", process.pid},
                   {"processes", row.processes},
                   {"locks", row.locks},
                   {"waits", row.use.waits},
                   {"total_s", seconds(row.use.ns)},
                   {"avg_s", ratio(row.use.ns, row.use.waits, 1e-9)},
                   {"max_s", maximum(row.use.max_ns, row.use.waits)},
                   {"failed", row.use.failed},
                   {"created", place_json(subject.symbols, row.created)},
                   {"longest_waiter", place_json(subject.symbols, row.waiter)},
                   {"longest_holder_tid", holder != 0 ? Json(holder) : Json()},
                   {"longest_holder", holder != 0 ? text(show::thread_label(process, holder)) : Json()}});
  }
  return out;
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
  out["wait_share"] = ratio(loader.wait.ns(), loader.loop_ns, 1);
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

void add_files_json(Json& out, const show::Subject& subject) {
  for (const char* section : {"files", "file_systems", "storage", "locks", "data_loading"}) out[section] = nullptr;
  if (show::why_no_waits(subject)) return;
  const std::vector<fold::FileRow> rows = fold::files(subject.run, subject.selection);
  out["files"] = Json::array();
  for (const fold::FileRow& row : rows) {
    Json item = {{"name", text(row.name)}, {"kind", fold::to_string(row.kind)}, {"processes", row.processes}};
    item["mount"] = mount_json(row.mount);
    add_use(item, row.use);
    out["files"].push_back(std::move(item));
  }
  out["file_systems"] = Json::array();
  for (const fold::VolumeRow& row : fold::volumes(rows)) {
    Json item = {{"mount", mount_json(row.mount)}, {"directory", text_or_null(row.directory)}, {"names", row.files}};
    add_use(item, row.use);
    out["file_systems"].push_back(std::move(item));
  }
  out["storage"] = storage_json(subject);
  out["locks"] = {{"uncontended", fold::uncontended(subject.run, subject.selection)}, {"locks", locks_json(subject)}};
  out["data_loading"] = Json::array();
  for (const fold::Loader& loader : fold::loaders(subject.run, subject.symbols, subject.selection)) {
    out["data_loading"].push_back(loader_json(subject, loader));
  }
}

}  // namespace prof::formats
