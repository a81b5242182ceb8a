#include "report/summary/facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "report/findings/javascript.hpp"
#include "report/fold/memory/heap.hpp"
#include "report/fold/memory/program_memory.hpp"
#include "report/fold/watched.hpp"
#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/commands.hpp"
#include "report/show/gpu/gpu_text.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/python/python_text.hpp"
#include "report/show/text.hpp"
#include "report/show/training/loading_text.hpp"
#include "report/show/training/step_text.hpp"
#include "report/show/waiting/wall_text.hpp"
#include "report/summary/unseen.hpp"

namespace prof::show {
namespace {

constexpr std::size_t kLabel = 11;
constexpr std::size_t kProcesses = 3;
constexpr std::string_view kLost = "Lost";

constexpr double kMoreThanResident = 1.25;  // blocks of all memory: what is estimated varies
constexpr std::uint64_t kMuchMapped = 32 << 20;
constexpr double kMostlyMapped = 0.3;        // of RSS
constexpr double kWorthAWord = 0.1;          // of RSS
constexpr double kWaitsForProcessor = 0.25;  // of the main thread's life
constexpr double kUsed = 0.75;               // of the processors: then it is the run itself that keeps them busy

std::int64_t whole(std::uint64_t value) { return model::to_signed(value); }

// A program that was given on the command line is not told whole.
std::string first_line(const std::string& command) {
  const std::size_t end = command.find('\n');
  return end == std::string::npos ? command : command.substr(0, end) + " ...";
}

class FactsWriter {
 public:
  FactsWriter(const Subject& subject, const ViewOptions& options, const fold::CallTree& lines)
      : subject_(subject), run_(subject.run), options_(options), lines_(lines), chosen_(selected_processes(subject)) {}

  std::vector<Fact> write() {
    run();
    time();
    memory();
    several("Steps", step_sentences(subject_));
    several("Loading", loading_sentences(subject_));
    several("GPU", gpu_sentences(subject_, lines_));
    processes();
    several("Python", python_remarks(subject_));
    return std::move(out_);
  }

 private:
  void fact(const char* label, std::string text) { out_.push_back({label, std::move(text)}); }

  void several(const char* label, const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) {
      fact(label, sentence);
      label = "";
    }
  }

  void run() {
    std::string how = run_.processes.empty() ? "ended" : ending(last_image(run_.processes.front()));
    const auto running = std::count_if(run_.processes.begin(), run_.processes.end(), [](const model::Process& process) {
      return process.ending == model::Ending::Running;
    });
    const bool first = !run_.processes.empty() && last_image(run_.processes.front()).ending == model::Ending::Running;
    if (first) {
      how = "still running";
    } else if (running > 0) {
      how += fmt::format(" ({} it started {} still running)", counted(running, "process", "processes"),
                         running == 1 ? "is" : "are");
    }
    std::string when = local_time(run_.start_realtime_ns);
    if (!run_.processes.empty() && !run_.processes.front().host.empty()) when += " on " + run_.processes.front().host;
    fact("Run", fmt::format("{}: {}; started {}", shown_path(run_.directory).string(), how, when));
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

  // "find (pid 501)".
  static std::string name_of(const model::Process& process) {
    const std::string pid = fmt::format("pid {}", process.pid);
    return process.exe.empty() ? pid : fmt::format("{} ({})", base_name(process.exe), pid);
  }

  void time() {
    const std::uint64_t cpu = cpu_of(subject_, chosen_);
    // The wall clock starts with the agent, the CPU clock with the process: of a very short run their ratio says
    // nothing.
    constexpr std::uint64_t kMeaningfulNs = 20'000'000;
    const bool ends = std::all_of(chosen_.begin(), chosen_.end(),
                                  [this](std::size_t process) { return run_.processes[process].end_known; });
    std::string text = fmt::format("{}{} of wall time, {} of CPU time", ends ? "" : "at least ",
                                   duration(real(run_.wall_ns)), duration(real(cpu)));
    if (run_.wall_ns >= kMeaningfulNs) {
      text += fmt::format(" ({:.2f} processors busy on average)", real(cpu) / real(run_.wall_ns));
    }
    text += '.';
    if (const auto main = main_wall(subject_, lines_)) {
      text += chosen_.size() > 1 ? fmt::format(" Main thread of {}: ", name_of(run_.processes[main->process]))
                                 : std::string(" Main thread: ");
      text += wall_sentence(main->split, main->idle_ns);
      if (!main->split.blocked_known) text += " (blocking calls were not recorded)";
      text += '.';
      if (others_computed(*main)) text += " The processors were busy with other programs.";
    }
    fact("Time", text);
  }

  // Whether it waited for a processor although the run kept only some of them busy.
  bool others_computed(const MainWall& main) const {
    const std::optional<double> cpus = run_.processes[main.process].cpus;
    if (!cpus || !main.split.run_queue_known || run_.wall_ns == 0) return false;
    const double used = real(cpu_of(subject_, chosen_)) / real(run_.wall_ns);
    return static_cast<double>(main.split.run_queue_ns) >=
               kWaitsForProcessor * static_cast<double>(main.split.wall_ns) &&
           used < kUsed * *cpus;
  }

  // Of the mappings in which Python keeps small objects, which malloc does not know of.
  std::int64_t arenas_at_peak() const {
    std::int64_t out = 0;
    for (std::uint32_t node = 1; node < lines_.nodes().size(); ++node) {
      out = model::saturated_sum(out, fold::objects_memory(lines_, node).peak_bytes);
    }
    return out;
  }

  // What a runtime keeps for its objects, or the program mapped itself.
  static std::string mapped_text(const model::Process& process, std::int64_t arenas) {
    const double most = real(process.memory_high->rss);
    const std::uint64_t java = process.memory_high->part(log::MemoryPart::JavaHeap).rss,
                        mapped = process.memory_high->part(log::MemoryPart::Mapped).rss;
    if (real(java) >= kWorthAWord * most) return fmt::format(", Java's heap {}", bytes(real(java)));
    if (mapped < kMuchMapped || real(mapped) < kMostlyMapped * most || 2 * arenas > model::to_signed(mapped)) return {};
    const char* const of = findings::runs_javascript(process)              ? ", V8's heap among it"
                           : model::has_library(process, "/libcoreclr.so") ? ", .NET's heap among it"
                           : process.python && !process.python_counted
                               ? ", objects of Python among it: prof run --python-alloc on has their lines"
                               : "";
    return fmt::format(", mapped by the program {}{}", bytes(real(mapped)), of);
  }

  void memory() {
    const fold::HeapTotals totals = fold::heap_totals(run_, subject_.selection);
    std::optional<std::uint64_t> rss;
    bool to_its_end = true;
    const model::Process* largest = nullptr;
    for (const std::size_t i : chosen_) {
      const model::Process& process = run_.processes[i];
      if (process.peak_rss_bytes <= rss) continue;
      rss = process.peak_rss_bytes;
      to_its_end = model::seen_to_its_end(process);
      largest = &process;
    }
    const bool several = chosen_.size() > 1;
    const std::string resident =
        rss ? fmt::format("RSS at most {}{}{}", bytes(real(*rss)), several ? " in one process" : "",
                          to_its_end ? "" : ", when last seen before it was killed")
            : "RSS not known";
    const std::int64_t arenas = arenas_at_peak();
    std::string text = resident;
    if (largest != nullptr && largest->memory_high) text += mapped_text(*largest, arenas);
    if (!heap_recorded(subject_)) {
      fact("Memory", fmt::format("{}; allocations were not recorded.", text));
      return;
    }
    if (totals.levels_known) {
      text +=
          fmt::format("; blocks of malloc held at most {}{} ({})", bytes(static_cast<double>(totals.peak_bytes)),
                      several ? " in one process" : "", totals.mode == log::HeapMode::Exact ? "exact" : "estimated");
      // Pages that nobody writes to are never there.
      if (rss && static_cast<double>(totals.peak_bytes) > kMoreThanResident * real(*rss))
        text += ", not all of it used";
    }
    if (rss && static_cast<double>(arenas) >= kWorthAWord * real(*rss))
      text += fmt::format(", small objects of Python {}", bytes(static_cast<double>(arenas)));
    fact("Memory", fmt::format("{}; {} by malloc ({}).", text,
                               counted(whole(totals.allocations), "allocation", "allocations"),
                               bytes(real(totals.allocated_bytes))));
  }

  void processes() {
    if (chosen_.size() < 2) return;
    std::vector<std::size_t> by_cpu = chosen_;
    std::stable_sort(by_cpu.begin(), by_cpu.end(),
                     [&](std::size_t a, std::size_t b) { return run_.processes[a].cpu_ns > run_.processes[b].cpu_ns; });
    // What runs the same as the one before is told by its number alone, and that it ended well is not told.
    std::vector<std::string> most;
    std::string before_it;
    for (std::size_t i = 0; i < std::min(by_cpu.size(), kProcesses); ++i) {
      const model::Process& process = run_.processes[by_cpu[i]];
      std::string label = cut_middle(printable(command_label(process, false)), 24);
      const bool well = process.ending == model::Ending::Exit && process.exit_code.value_or(0) == 0;
      most.push_back(fmt::format("{}{} ({}{}{}{})", label == before_it ? "" : label + ' ',
                                 duration(real(process.cpu_ns)), label == before_it ? "" : "pid ", process.pid,
                                 well ? "" : ", ", well ? "" : ending(process)));
      before_it = std::move(label);
    }
    const std::size_t count = std::min(chosen_.size(), run_.process_count());
    std::string images;
    if (const std::size_t before = run_.processes.size() - std::min(run_.processes.size(), run_.process_count());
        before > 0)
      images = fmt::format(" ({} of them with a record from before an exec, too)", grouped(whole(before)));
    fact("Processes",
         fmt::format("{}{}, {}. Most CPU time: {}{}.", grouped(whole(run_.process_count())), images,
                     counted(whole(run_.thread_count()), "thread", "threads"), fmt::join(most, ", "),
                     count > kProcesses ? fmt::format(", and {} more; --view processes", count - kProcesses) : ""));
  }

  const Subject& subject_;
  const model::Run& run_;
  const ViewOptions& options_;
  const fold::CallTree& lines_;
  std::vector<std::size_t> chosen_;
  std::vector<Fact> out_;
};

// What the program's own libraries spend on telling libprof what they do: on no clock, so where it is worth a word.
std::string watching(const model::Run& run) {
  constexpr double kWorthSaying = 0.01;
  const fold::Watched watched = fold::watched(run);
  if (real(watched.ns) < kWorthSaying * real(run.cpu_ns)) return "";
  std::vector<const char*> who;
  if (watched.operators > 0) who.push_back("PyTorch's");
  if (watched.device_work > 0) who.push_back("CUPTI's");
  return fmt::format(", and {} or more of {} (estimated)", duration(real(watched.ns)), fmt::join(who, " and "));
}

// As many of them as fit, and how many others there are: each view tells them all.
std::string on_one_line(const std::vector<std::string>& sentences, std::size_t width) {
  std::string out;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::size_t rest = sentences.size() - i - 1;
    const std::string next = (i == 0 ? "" : "; ") + sentences[i];
    const std::string end = rest == 0 ? "." : fmt::format("; {} more: --view findings.", rest);
    if (i > 0 && width > 0 && kLabel + display_width(out + next + end) > width)
      return fmt::format("{}; {} more: --view findings.", out, rest + 1);
    out += next;
  }
  return out + '.';
}

std::string text_of(const std::vector<Fact>& facts, const Terminal& terminal) {
  std::string out;
  for (const Fact& fact : facts) out += labelled(terminal, fact.label, fact.text, fact.style);
  return out;
}

}  // namespace

std::string labelled(const Terminal& terminal, const char* label, const std::string& text, Style style) {
  return styled(terminal, style, fmt::format("{:<{}}", label, kLabel)) +
         hanging(printable(text), terminal.width, kLabel) + '\n';
}

std::string command_line(const Subject& subject) {
  const auto& processes = subject.run.processes;
  return printable(first_line(processes.empty() ? "(nothing recorded)" : processes.front().command()));
}

std::vector<Fact> fact_list(const Subject& subject, const ViewOptions& options, const fold::CallTree& lines) {
  return FactsWriter(subject, options, lines).write();
}

std::vector<Fact> reservation_list(const Subject& subject, const fold::CallTree& lines) {
  const model::Run& run = subject.run;
  std::vector<Fact> out;
  // That the ticks have another signal changes no figure: programs that take many signals (Java) do so each time.
  const LossSentences sentences = losses(run, log::kSignalMoved);
  if (!sentences.lost.empty())
    out.push_back({kLost.data(), fmt::format("{}.", fmt::join(sentences.lost, "; ")), Style::Warning});
  for (const std::string& sentence : unseen(subject, lines)) out.push_back({"Note", sentence, Style::Warning});
  for (const std::string& condition : sentences.conditions) out.push_back({"Note", condition, Style::Warning});
  const CpuSamples samples = cpu_samples(subject);
  out.push_back(
      {"Profiling",
       fmt::format("{} of CPU time ({} %){}, {} of logs{}", duration(real(run.totals.agent_ns)),
                   percent(real(run.totals.agent_ns), real(run.cpu_ns)), watching(run), bytes(real(run.log_bytes)),
                   samples.period.empty() ? fmt::format(". {}.", cpu_sampling(subject))
                                          : fmt::format("; {}, one in about {}.", samples.count, samples.period))});
  return out;
}

std::string facts(const Subject& subject, const ViewOptions& options, const Terminal& terminal,
                  const fold::CallTree& lines) {
  const std::string line = command_line(subject);
  const bool cut = terminal.width > 0 && !options.wide;
  return styled(terminal, Style::Heading, cut ? cut_middle(line, terminal.width) : line) + '\n' +
         text_of(fact_list(subject, options, lines), terminal);
}

std::string reservations(const Subject& subject, const Terminal& terminal, const fold::CallTree& lines) {
  std::vector<Fact> list = reservation_list(subject, lines);
  for (Fact& fact : list) {
    if (fact.label == kLost) fact.text = on_one_line(losses(subject.run).lost, terminal.width);
  }
  return text_of(list, terminal);
}

}  // namespace prof::show
