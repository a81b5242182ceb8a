#include "report/summary/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "report/fold/memory/heap.hpp"
#include "report/show/captions.hpp"
#include "report/show/commands.hpp"
#include "report/show/gpu/gpu_words.hpp"
#include "report/show/measure.hpp"
#include "report/show/memory/memory_words.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/python/python_words.hpp"
#include "report/show/table.hpp"
#include "report/show/text.hpp"
#include "report/show/training/loading_words.hpp"
#include "report/show/training/step_words.hpp"
#include "report/show/waiting/wall_words.hpp"
#include "report/summary/findings_text.hpp"
#include "report/summary/top_tables.hpp"
#include "report/summary/views.hpp"

namespace prof::show {
namespace {

constexpr std::size_t kLabel = 11;

double real(std::uint64_t value) { return static_cast<double>(value); }
std::int64_t whole(std::uint64_t value) { return model::to_signed(value); }

class Writer {
 public:
  Writer(const Subject& subject, const ViewOptions& options, const Terminal& terminal)
      : subject_(subject),
        run_(subject.run),
        options_(options),
        terminal_(terminal),
        chosen_(selected_processes(subject)),
        lines_(fold::build_call_tree(subject.run, subject.symbols, subject.selection, fold::Granularity::Line)) {}

  std::string write() {
    heading();
    time();
    waiting();
    steps();
    loading();
    processes();
    python();
    memory();
    gpu();
    lost();
    cost();
    tables();
    next();
    out_ += findings_in_summary(subject_, options_, terminal_);
    return std::move(out_);
  }

 private:
  // One labelled paragraph: "Time       wall 3.2 s ...".
  void fact(const char* label, const std::string& text, Style style = Style::Bold) {
    const std::size_t width = terminal_.width > kLabel ? terminal_.width - kLabel : 0;
    std::string body = wrapped(printable(text), width);
    for (std::size_t at = body.find('\n'); at != std::string::npos; at = body.find('\n', at + 1)) {
      body.insert(at + 1, kLabel, ' ');
    }
    out_ += styled(terminal_, style, fmt::format("{:<{}}", label, kLabel)) + body + '\n';
  }

  void heading() {
    const std::string command = run_.processes.empty() ? "(nothing recorded)" : run_.processes.front().command();
    const std::string shown =
        terminal_.width == 0 || options_.wide ? printable(command) : cut_middle(printable(command), terminal_.width);
    out_ += styled(terminal_, Style::Heading, shown) + '\n';
    std::string when = fmt::format("started {}", local_time(run_.start_realtime_ns));
    const bool running = std::any_of(run_.processes.begin(), run_.processes.end(), [](const model::Process& process) {
      return process.ending == model::Ending::Running;
    });
    if (running) {
      when += ", still running";
    } else if (!run_.processes.empty()) {
      when += ", " + ending(last_image(run_.processes.front()));
    }
    if (!run_.processes.empty() && !run_.processes.front().host.empty()) when += " on " + run_.processes.front().host;
    fact("Run", fmt::format("{}; {}", shown_path(run_.directory).string(), when));
    for (const std::string& filter : filters(subject_, options_)) fact("Filter", filter);
    window();
  }

  // Where recording was narrowed: how much of each process's time it saw.
  void window() {
    for (const std::size_t i : chosen_) {
      const model::Process& process = run_.processes[i];
      if (process.window.empty()) continue;
      std::int64_t on = 0;
      for (std::size_t k = 0; k < process.window.size(); ++k) {
        if (!process.window[k].open) continue;
        const bool last = k + 1 == process.window.size();
        const std::uint64_t end = last ? process.end_monotonic_ns : process.window[k + 1].monotonic_ns;
        on = model::saturated_sum(on, std::max<std::int64_t>(0, model::saturated_difference(
                                                                    model::to_signed(end),
                                                                    model::to_signed(process.window[k].monotonic_ns))));
      }
      fact("Window", fmt::format("recorded {} of {} of pid {}: what came before and after is not in the figures.",
                                 duration(static_cast<double>(on)), duration(real(process.wall_ns())), process.pid));
    }
  }

  const model::Process& last_image(const model::Process& first) const {
    const model::Process* image = &first;
    for (std::size_t steps = 0; image->next_image && steps < run_.processes.size(); ++steps) {
      image = &run_.processes.at(*image->next_image);
    }
    return *image;
  }

  void time() {
    const std::uint64_t cpu = cpu_of(subject_, chosen_);
    // The wall clock starts with the agent, the CPU clock with the process: of a very short run their ratio says
    // nothing.
    constexpr std::uint64_t kMeaningfulNs = 20'000'000;
    const std::string cores = run_.wall_ns < kMeaningfulNs
                                  ? ""
                                  : fmt::format(": {:.2f} processors busy on average", real(cpu) / real(run_.wall_ns));
    fact("Time", fmt::format("wall {}, CPU {}{}. {}.", duration(real(run_.wall_ns)), duration(real(cpu)), cores,
                             cpu_sampling(subject_)));
  }

  void waiting() {
    const auto main = main_wall(subject_);
    if (!main) return;
    const std::string whose = chosen_.size() > 1
                                  ? fmt::format("main thread of pid {}: ", run_.processes[main->process].pid)
                              : run_.processes[main->process].thread_count() > 1 ? "main thread: "
                                                                                 : "";
    std::string text = whose + wall_sentence(main->split);
    if (!main->split.blocked_known) {
      text += " (blocking calls were not recorded)";
    } else if (main->split.blocked() > main->split.wall_ns / 2) {
      text += "; it mostly waited: --view blocking";
    }
    fact("Waiting", text + '.');
  }

  void loading() {
    for (const std::string& sentence : loading_sentences(subject_)) fact("Loading", sentence);
  }

  void steps() {
    const char* label = "Steps";
    for (const std::string& sentence : step_sentences(subject_)) {
      fact(label, sentence);
      label = "";
    }
  }

  void processes() {
    std::string text = fmt::format("{}, with {}", grouped(whole(run_.process_count())),
                                   counted(whole(run_.thread_count()), "thread", "threads"));
    if (run_.processes.size() != run_.process_count()) {
      text += fmt::format("; {} process images, those after an exec included", grouped(std::ssize(run_.processes)));
    }
    fact("Processes", text + ".");
  }

  void python() {
    for (const std::string& sentence : python_sentences(subject_)) fact("Python", sentence);
  }

  void memory() {
    const fold::HeapTotals totals = fold::heap_totals(run_, subject_.selection);
    std::optional<std::uint64_t> rss;
    for (const std::size_t i : chosen_) rss = std::max(rss, run_.processes[i].peak_rss_bytes);
    const std::string resident = rss ? bytes(real(*rss)) : "-";
    if (!heap_recorded(subject_)) {
      fact("Memory", fmt::format("allocations were not recorded; peak RSS {}.", resident));
      return;
    }
    const bool several = chosen_.size() > 1;
    std::string levels;
    if (totals.levels_known) {
      levels = fmt::format(" peak {}{}, live {}{} ({});", bytes(static_cast<double>(totals.peak_bytes)),
                           several ? " in one process" : "", bytes(static_cast<double>(totals.live_bytes)),
                           several ? " in all" : "", heap_words(totals.mode));
    }
    fact("Memory", fmt::format("{} of {} and {} (exact);{} peak RSS {}{}.",
                               counted(whole(totals.allocations), "allocation", "allocations"),
                               bytes(real(totals.allocated_bytes)), counted(whole(totals.frees), "free", "frees"),
                               levels, resident, several ? " in one process" : ""));
    for (const std::string& sentence : memory_sentences(subject_, totals, lines_)) fact("", sentence);
  }

  void gpu() {
    const char* label = "GPU";
    for (const std::string& sentence : gpu_sentences(subject_, lines_)) {
      fact(label, sentence);
      label = "";
    }
  }

  static const char* heap_words(log::HeapMode mode) { return mode == log::HeapMode::Exact ? "exact" : "estimated"; }

  void lost() {
    const LossSentences sentences = losses(run_);
    if (!sentences.lost.empty()) fact("Lost", fmt::format("{}.", fmt::join(sentences.lost, "; ")), Style::Warning);
    for (const std::string& condition : sentences.conditions) fact("Note", condition, Style::Warning);
  }

  void cost() {
    const std::uint64_t cpu = run_.cpu_ns;
    fact("Profiling", fmt::format("{} of CPU time in hooks and handlers ({} % of all), {} of logs.",
                                  duration(real(run_.totals.agent_ns)), percent(real(run_.totals.agent_ns), real(cpu)),
                                  bytes(real(run_.log_bytes))));
  }

  void tables() {
    if (chosen_.size() > 1) part("Processes by CPU time (exact)", top_processes(subject_, options_));
    part("Functions by tottime (sampled)", top_functions(subject_, options_));
    part("Kernels by time on GPUs (exact)", top_kernels(subject_, options_, lines_));
    const log::HeapMode mode = fold::heap_totals(run_, subject_.selection).mode;
    part(fmt::format("Memory by allocation site ({})", heap_words(mode)), top_sites(subject_, options_, lines_));
  }

  void part(const std::string& title, const Sheet& sheet) {
    if (sheet.rows.empty()) return;
    out_ += '\n' + styled(terminal_, Style::Heading, title) + '\n' + table_body(sheet, terminal_, 2);
    for (const std::string& note : sheet.notes) out_ += "  " + styled(terminal_, Style::Dim, printable(note)) + '\n';
  }

  void next() {
    out_ += '\n';
    const char* label = "Next";
    for (const std::string& command : next_views(subject_)) {
      fact(label, command);
      label = "";
    }
  }

  const Subject& subject_;
  const model::Run& run_;
  const ViewOptions& options_;
  const Terminal& terminal_;
  std::vector<std::size_t> chosen_;
  fold::CallTree lines_;
  std::string out_;
};

}  // namespace

std::string summary(const Subject& subject, const ViewOptions& options, const Terminal& terminal) {
  return Writer(subject, options, terminal).write();
}

Sheet summary_sheet(const Subject& subject) {
  const model::Run& run = subject.run;
  const fold::HeapTotals totals = fold::heap_totals(run, subject.selection);
  const bool heap_known = heap_recorded(subject), levels = heap_known && totals.levels_known;
  Sheet sheet;
  sheet.columns = {{"item", "item", Kind::Text}, {"value", "value", Kind::Plain}, {"unit", "unit", Kind::Text}};
  const auto add = [&](const char* item, Cell value, const char* unit) {
    sheet.add({std::string(item), std::move(value), std::string(unit)});
  };
  add("started", whole(run.start_realtime_ns), "ns since 1970");
  add("wall", whole(run.wall_ns), "ns");
  add("cpu", whole(cpu_of(subject, selected_processes(subject))), "ns");
  add("processes", whole(run.process_count()), "");
  add("process_images", std::ssize(run.processes), "");
  add("threads", whole(run.thread_count()), "");
  add("allocations", heap_known ? Cell(whole(totals.allocations)) : Cell(), "");
  add("frees", heap_known ? Cell(whole(totals.frees)) : Cell(), "");
  add("allocated", heap_known ? Cell(whole(totals.allocated_bytes)) : Cell(), "bytes");
  add("live", levels ? Cell(totals.live_bytes) : Cell(), "bytes");
  add("peak", levels ? Cell(totals.peak_bytes) : Cell(), "bytes");
  const fold::CallTree tree = fold::build_call_tree(run, subject.symbols, subject.selection);
  const model::GpuMetrics& gpu = tree.total().gpu.get();
  add("gpu_work", measured(tree.total(), model::Measure::GpuWork, tree), "");
  add("gpu", measured(tree.total(), model::Measure::GpuTime, tree), "ns");
  add("gpu_idle", measured(tree.total(), model::Measure::GpuIdle, tree), "ns");
  add("api_calls", tree.cuda_known() ? Cell(gpu.api.calls) : Cell(), "");
  add("flops", tree.cuda_known() ? Cell(gpu.api.flops) : Cell(), "");
  add("blocked", measured(tree.total(), model::Measure::Blocked, tree), "ns");
  add("agent_cpu", whole(run.totals.agent_ns), "ns");
  add("logs", whole(run.log_bytes), "bytes");
  return sheet;
}

static Sheet summary_sheet_of(const Subject& subject, const ViewOptions&) { return summary_sheet(subject); }

extern const View kSummaryView{.name = "summary",
                               .help = "the first screen, findings at its end",
                               .topic = Topic::Run,
                               .sheets = one_sheet<summary_sheet_of>,
                               .text = summary};

}  // namespace prof::show
