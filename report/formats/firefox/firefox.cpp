#include "report/formats/firefox/firefox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "report/formats/chrome_args.hpp"
#include "report/formats/firefox/counters.hpp"
#include "report/formats/firefox/threads.hpp"
#include "report/show/measure.hpp"
#include "report/show/processes.hpp"

namespace prof::formats {
namespace {

constexpr int kVersion = 70;

class FirefoxWriter {
 public:
  FirefoxWriter(const show::Subject& subject, const FirefoxOptions& options, const Write& write)
      : subject_(subject), options_(options), write_(write), tables_(subject.symbols, options.whole_names) {}

  std::size_t run() {
    for (const std::size_t process : show::selected_processes(subject_)) add_process(process);
    const auto any = std::count_if(threads_.begin(), threads_.end(), [](const auto& of) { return !of.empty(); });
    if (any == 0) return 0;
    write_("{\"meta\":");
    meta();
    write_(",\n\"libs\":[],\"counters\":");
    write_counters(subject_, processes_, main_threads_, write_);
    write_(",\n\"threads\":[");
    const char* separator = "\n";
    for (const FirefoxThread& thread : threads_) {
      write_(separator);
      write_thread(thread, options_.measure, write_);
      separator = ",\n";
    }
    write_("],\n\"shared\":");
    tables_.write(write_);
    write_("}\n");
    return static_cast<std::size_t>(any);
  }

 private:
  fold::CallTree tree_of(std::size_t process, const std::vector<std::string>& threads) const {
    fold::Selection selection = subject_.selection;
    selection.log_id = subject_.run.processes[process].log_id;
    if (!threads.empty()) selection.threads = threads;
    return fold::build_call_tree(subject_.run, subject_.symbols, selection, fold::Granularity::Line);
  }

  void add_process(std::size_t index) {
    const model::Process& process = subject_.run.processes[index];
    const auto since = [&](std::uint64_t ns) {
      return std::max<std::int64_t>(0, show::since_start(subject_.run, process, ns));
    };
    const bool level = show::is_level(options_.measure);
    std::vector<FirefoxThread> threads;
    for (const model::Thread& thread : process.threads) {
      if (thread.agent || !subject_.selection.includes(thread)) continue;
      FirefoxThread& out = threads.emplace_back();
      out.name = thread.display_name().empty() ? process.command() : thread.display_name();
      out.process_name = show::command_label(process, false);
      out.pid = firefox_pid(process);
      out.tid = std::to_string(thread.tid);
      out.begin_ns = since(thread.start_monotonic_ns);
      out.end_ns = std::max(out.begin_ns, since(thread.end_monotonic_ns));
      out.process_begin_ns = since(process.start_monotonic_ns);
      out.process_end_ns = std::max(out.process_begin_ns, since(process.end_monotonic_ns));
      if (!level) add_samples(out, tree_of(index, {out.tid}), options_.measure, tables_);
    }
    if (threads.empty()) return;
    threads.front().main = true;
    if (!subject_.selection.by_thread() && (level || show::heap_recorded(process))) {
      const fold::CallTree tree = tree_of(index, {});
      if (level) add_samples(threads.front(), tree, options_.measure, tables_);
      add_allocations(threads.front(), tree, tables_);
    }
    add_markers(threads, subject_, index, tables_);
    processes_.push_back(index);
    main_threads_.push_back(threads_.size());
    for (FirefoxThread& thread : threads) {
      if (thread.main || !thread.empty()) threads_.push_back(std::move(thread));
    }
  }

  void meta() {
    const model::Run& run = subject_.run;
    const std::uint64_t period = run.processes[processes_.front()].sample_period_ns;
    write_(fmt::format(
        "{{\"interval\":{},\"startTime\":{:.6f},\"profilingStartTime\":0,\"profilingEndTime\":{},\"processType\":0,"
        "\"product\":{},\"importedFrom\":\"prof {}\",\"stackwalk\":1,\"version\":36,\"preprocessedProfileVersion\":{},"
        "\"symbolicated\":true,\"symbolicationNotSupported\":true,\"usesOnlyOneStackType\":true,"
        "\"sourceCodeIsNotOnSearchfox\":true,\"keepProfileThreadOrder\":false,\"extra\":[],"
        "\"sampleUnits\":{{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}},",
        milliseconds(period == 0 ? 1'000'000 : model::to_signed(period)),
        static_cast<double>(run.start_realtime_ns) / 1e6, milliseconds(model::to_signed(run.wall_ns)),
        quoted(run.processes.front().command()), PROF_VERSION, kVersion));
    write_column(write_, "categories", std::size(kFirefoxCategories), [](std::size_t i) {
      const FirefoxCategory& of = kFirefoxCategories[i];
      return fmt::format("{{\"name\":\"{}\",\"color\":\"{}\",\"subcategories\":[\"Other\"]}}", of.name, of.color);
    });
    write_("\"markerSchema\":");
    write_marker_schema(write_);
    write_("}");
  }

  const show::Subject& subject_;
  const FirefoxOptions& options_;
  const Write& write_;
  FirefoxTables tables_;
  std::vector<FirefoxThread> threads_;
  std::vector<std::size_t> processes_, main_threads_;  // those with a thread, and the place of their main one
};

}  // namespace

std::size_t firefox(const show::Subject& subject, const FirefoxOptions& options, const Write& write) {
  return FirefoxWriter(subject, options, write).run();
}

}  // namespace prof::formats
