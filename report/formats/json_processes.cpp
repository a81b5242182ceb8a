#include "report/formats/json_processes.hpp"

#include "report/formats/json_blocking.hpp"
#include "report/formats/json_rows.hpp"
#include "report/model/loss_text.hpp"
#include "report/show/processes.hpp"
#include "report/show/run/thread_figures.hpp"

namespace prof::formats {
namespace {

Json pid_at(const model::Run& run, const std::optional<std::size_t>& index) {
  return index && *index < run.processes.size() ? Json(run.processes[*index].pid) : Json();
}

Json start_of(const show::Subject& subject, std::size_t process, const model::Thread& thread) {
  if (!thread.start_routine) return {};
  const auto locations = subject.symbols.locations(process, *thread.start_routine);
  if (locations.empty()) return {};
  return text(subject.symbols.function(subject.symbols.location(locations.back()).function).name);
}

Json threads_json(const show::Subject& subject, const std::vector<fold::ThreadWall>& walls) {
  return rows_json(walls, show::thread_figures(subject, walls, {}),
                   "tid name python_name python_stacks python_groups main running merged started_in wall_s cpu_s split "
                   "use samples agent_cpu_s allocations allocated_bytes frees reallocations maps mapped_bytes unmaps "
                   "unmapped_bytes copies copied_bytes python_allocations",
                   [&](Json& out, const fold::ThreadWall& entry) {
                     out["name"] = text(entry.thread->name);
                     out["python_name"] = text_or_null(entry.thread->python_name);
                     out["started_in"] = start_of(subject, entry.process, *entry.thread);
                     out["split"] = split_json(entry.split);
                     out["use"] = use_json(entry.thread->use);
                   });
}

Json loss_json(const model::Process& process) {
  Json out = Json::object();
  for (std::size_t reason = 0; reason < process.loss.size(); ++reason) {
    if (process.loss[reason] != 0) out[model::loss_name(reason)] = process.loss[reason];
  }
  return out;
}

const char* ticks_name(log::Ticks ticks) {
  switch (ticks) {
    case log::Ticks::CpuTimer:
      return "timer";
    case log::Ticks::PerfEvents:
      return "perf";
    case log::Ticks::Off:
      break;
  }
  return "off";
}

Json python_frames(const model::PythonInfo& python) {
  return {{"on", python.frames},
          {"reason", text_or_null(python.reason)},
          {"mode", text_or_null(python.mode)},
          {"note", text_or_null(python.note)},
          {"path", text_or_null(python.path)}};
}

Json cuda_json(const model::CudaInfo& cuda) {
  Json notes = Json::array();
  for (const std::string& note : cuda.notes) notes.push_back(text(note));
  return {{"state", text_or_null(cuda.state)},
          {"reason", text_or_null(cuda.reason)},
          {"cupti", text_or_null(cuda.cupti)},
          {"driver", text_or_null(cuda.driver)},
          {"runtime", text_or_null(cuda.runtime)},
          {"library", text_or_null(cuda.library)},
          {"cupti_overhead_s", seconds(cuda.overhead_ns)},
          {"notes", std::move(notes)}};
}

Json window_json(const show::Subject& subject, const model::Process& process) {
  if (process.window.empty()) return {};
  Json out = Json::array();
  for (const auto& edge : process.window) {
    out.push_back(
        {{edge.open ? "open_s" : "close_s", seconds(show::since_start(subject.run, process, edge.monotonic_ns))}});
  }
  return out;
}

Json process_json(const show::Subject& subject, std::size_t index) {
  const model::Run& run = subject.run;
  const model::Process& process = run.processes[index];
  const bool heap = show::heap_recorded(process);
  Json argv = Json::array();
  for (const std::string& argument : process.argv) argv.push_back(text(argument));
  const std::int64_t start =
      model::saturated_difference(model::to_signed(process.start_realtime_ns), model::to_signed(run.start_realtime_ns));
  Json out;
  out["pid"] = process.pid;
  out["ppid"] = process.ppid;
  out["exe"] = text_or_null(process.exe);
  out["argv"] = process.argv.empty() ? Json() : std::move(argv);
  out["rank"] = or_null(process.rank);
  out["world_size"] = or_null(process.world_size);
  out["start_s"] = seconds(start);
  out["wall_s"] = seconds(process.wall_ns());
  out["cpu_s"] = seconds(process.cpu_ns);
  out["end"] = model::to_string(process.ending);
  out["exit_code"] = or_null(process.exit_code);
  out["threads"] = process.thread_count();
  out["peak_rss_bytes"] = or_null(process.peak_rss_bytes);
  out["python"] = process.python ? text(process.python->version) : Json();
  out["python_frames"] = process.python ? python_frames(*process.python) : Json();
  out["cuda"] = process.cuda ? cuda_json(*process.cuda) : Json();
  out["window"] = window_json(subject, process);
  out["parent"] = or_null(process.parent);
  out["parent_pid"] = process.parent ? pid_at(run, process.parent) : Json(process.ppid);
  out["image"] = process.image;
  out["previous_image"] = or_null(process.previous_image);
  out["next_image"] = or_null(process.next_image);
  out["origin"] = process.origin == log::Origin::Forked ? "fork" : "start";
  out["cwd"] = text_or_null(process.cwd);
  out["host"] = text_or_null(process.host);
  out["ticks"] = ticks_name(process.ticks);
  out["sample_period_s"] = process.sample_period_ns == 0 ? Json() : seconds(process.sample_period_ns);
  out["samples"] = process.sample_period_ns == 0 ? Json() : Json(process.totals.cpu_samples);
  out["allocations"] = heap ? Json(process.totals.allocations) : Json();
  out["allocated_bytes"] = heap ? Json(process.totals.allocated_bytes) : Json();
  out["frees"] = heap ? Json(process.totals.frees) : Json();
  out["heap_peak_bytes"] = heap ? Json(process.heap_peak_bytes) : Json();
  out["heap_mode"] = process.heap_mode == log::HeapMode::Exact     ? Json("exact")
                     : process.heap_mode == log::HeapMode::Sampled ? Json("sampled")
                                                                   : Json();
  out["foreign_frees"] = process.heap_mode == log::HeapMode::Exact ? Json(process.totals.foreign_frees) : Json();
  out["copies"] = process.copies_counted ? Json(process.totals.copies) : Json();
  out["copied_bytes"] = process.copies_counted ? Json(process.totals.copied_bytes) : Json();
  out["pss_bytes"] = process.memory_high ? Json(process.memory_high->pss) : Json();
  out["uss_bytes"] = process.memory_high ? Json(process.memory_high->uss) : Json();
  out["agent_cpu_s"] = seconds(process.totals.agent_ns);
  out["log"] = text(process.log_path.string());
  out["log_bytes"] = process.log_bytes;
  out["agent_version"] = text_or_null(process.agent_version);
  out["complaints"] = text_or_null(process.complaints);
  out["loss"] = loss_json(process);
  out["conditions"] = model::condition_names(process.conditions);
  // All threads, whichever are selected: like the other figures here.
  fold::Selection this_one;
  this_one.log_id = process.log_id;
  const std::vector<fold::ThreadWall> walls = fold::thread_walls(run, this_one);
  fold::WallSplit together;
  for (const fold::ThreadWall& wall : walls) together += wall.split;
  out["split"] = split_json(together);
  out["thread_list"] = threads_json(subject, walls);
  return out;
}

}  // namespace

Json processes_json(const show::Subject& subject) {
  Json out = Json::array();
  for (std::size_t i = 0; i < subject.run.processes.size(); ++i) {
    if (subject.selection.includes(subject.run.processes[i])) out.push_back(process_json(subject, i));
  }
  return out;
}

}  // namespace prof::formats
