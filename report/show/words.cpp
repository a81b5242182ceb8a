#include "report/show/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "report/model/words.hpp"
#include "report/show/measure.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/demangle.hpp"

namespace prof::show {

std::string base_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string short_file(const std::string& path) {
  const std::string name = base_name(path);
  if (name.size() == path.size() || (name != "__init__.py" && name != "__main__.py")) return name;
  const std::string folder = path.substr(0, path.size() - name.size() - 1);
  return base_name(folder) + '/' + name;
}

std::string label(const symbols::Function& function, bool wide) {
  return wide || function.short_name.empty() ? function.name : function.short_name;
}

std::string place(const symbols::Function& function, bool wide) {
  if (function.file.empty()) return wide ? function.module : symbols::without_abi_tag(base_name(function.module));
  const std::string file = wide ? function.file : short_file(function.file);
  return function.line == 0 ? file : fmt::format("{}:{}", file, function.line);
}

std::string command_label(const model::Process& process, bool wide) {
  std::string whole = process.command();
  if (wide) return whole;
  const std::string program = process.argv.empty() ? whole : process.argv.front();
  const std::string name = base_name(program);
  return name.empty() || whole.compare(0, program.size(), program) != 0 ? whole : name + whole.substr(program.size());
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string ending(const model::Process& process) {
  switch (process.ending) {
    case model::Ending::Exit:
      return process.exit_code ? fmt::format("exit {}", *process.exit_code) : "exit";
    case model::Ending::Killed:
      return process.exit_code ? fmt::format("killed by {}", signal_name(-*process.exit_code)) : "killed";
    case model::Ending::Exec:
    case model::Ending::Running:
    case model::Ending::Unknown:
      break;
  }
  return model::to_string(process.ending);
}

std::string cpu_sampling(const Subject& subject) {
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  std::uint64_t samples = 0;
  for (const model::Process& process : subject.run.processes) {
    if (!subject.selection.includes(process)) continue;
    samples += process.totals.cpu_samples;
    if (process.sample_period_ns == 0) continue;
    least = std::min(least, process.sample_period_ns);
    most = std::max(most, process.sample_period_ns);
  }
  if (most == 0) return "CPU time was not sampled: only its sum is known";
  const std::string period = least == most ? duration(static_cast<double>(most))
                                           : fmt::format("{} to {}", duration(static_cast<double>(least)),
                                                         duration(static_cast<double>(most)));
  return fmt::format("CPU time is sampled every {} ({})", period,
                     counted(static_cast<std::int64_t>(samples), "sample", "samples"));
}

bool heap_recorded(const model::Process& process) {
  return process.heap_mode != log::HeapMode::Off && (process.conditions & log::kHeapNotSeen) == 0;
}

bool heap_recorded(const Subject& subject) {
  const auto& processes = subject.run.processes;
  return std::any_of(processes.begin(), processes.end(), [&](const model::Process& process) {
    return subject.selection.includes(process) && heap_recorded(process);
  });
}

std::string heap_sampling(const Subject& subject) {
  std::uint64_t most = 0, first = 0;
  bool exact = false;
  bool sampled = false;
  for (const model::Process& process : subject.run.processes) {
    if (!subject.selection.includes(process)) continue;
    exact |= process.heap_mode == log::HeapMode::Exact;
    sampled |= process.heap_mode == log::HeapMode::Sampled;
    if (process.heap_mode != log::HeapMode::Sampled) continue;
    most = std::max(most, process.heap_interval);
    first = std::max(first, process.heap_interval_first);
  }
  if (sampled && first < most) {
    return fmt::format("estimated from samples, one in {} to {} on average, finer while little has been allocated",
                       bytes(static_cast<double>(first)), bytes(static_cast<double>(most)));
  }
  if (sampled) {
    return fmt::format("estimated from samples, one in {} on average", bytes(static_cast<double>(most)));
  }
  return exact ? "exact" : "not recorded";
}

std::string measuring(const Subject& subject, model::Measure measure) {
  if (measure == model::Measure::CpuTime || measure == model::Measure::CpuSamples) return cpu_sampling(subject);
  if (is_wait(measure)) {
    constexpr const char* kHow = "calls of 100 us and more are all in it, shorter ones by samples";
    if (measure == model::Measure::BlockingCalls) return fmt::format("blocking calls: {}", kHow);
    const std::string blocked = fmt::format("blocked: in blocking calls, less the CPU time in them; {}", kHow);
    return measure == model::Measure::Blocked ? blocked : fmt::format("{}; {}", cpu_sampling(subject), blocked);
  }
  const bool of_cuda = measure >= model::Measure::GpuTime;  // the last ones but those
  return fmt::format("{}: {}", words_of(measure).noun, of_cuda ? "exact" : heap_sampling(subject));
}

LossSentences losses(const model::Run& run) {
  LossSentences out;
  for (std::size_t reason = 0; reason < run.loss.size(); ++reason) {
    if (run.loss[reason] == 0) continue;
    out.lost.push_back(fmt::format("{} {}", grouped(model::to_signed(run.loss[reason])), model::loss_words(reason)));
  }
  if (run.empty_logs > 0) {
    out.lost.push_back(fmt::format("{} before anything was recorded",
                                   counted(model::to_signed(run.empty_logs), "process ended", "processes ended")));
  }
  out.conditions = model::condition_words(run.conditions);
  return out;
}

std::vector<std::string> loss_captions(const model::Run& run) {
  const LossSentences sentences = losses(run);
  std::vector<std::string> out;
  if (!sentences.lost.empty()) out.push_back(fmt::format("Lost: {}.", fmt::join(sentences.lost, "; ")));
  for (const std::string& condition : sentences.conditions) out.push_back("Note: " + condition);
  return out;
}

std::vector<std::string> filters(const Subject& subject, const ViewOptions& options) {
  std::vector<std::string> out;
  if (!options.focus.empty())
    out.push_back(fmt::format("Only stacks with a function that matches '{}'.", options.focus));
  if (!options.ignore.empty()) out.push_back(fmt::format("Without stacks that match '{}'.", options.ignore));
  if (subject.selection.fold.frames == fold::Frames::Python) {
    out.push_back("Only Python frames: the time of native code is that of the Python line that called it.");
  }
  if (subject.selection.fold.frames == fold::Frames::Native) out.push_back("Only native frames.");
  if (subject.selection.fold.ranges == fold::Ranges::Hide) out.push_back("Without the ranges around stacks.");
  if (!subject.selection.pids.empty()) {
    out.push_back(fmt::format("Only pid {}.", fmt::join(subject.selection.pids, ", ")));
  }
  if (!subject.selection.ranks.empty()) {
    out.push_back(fmt::format("Only rank {}.", fmt::join(subject.selection.ranks, ", ")));
  }
  if (!subject.selection.threads.empty()) {
    out.push_back(fmt::format("Only threads {}; what is live cannot be told by thread.",
                              fmt::join(subject.selection.threads, ", ")));
  }
  return out;
}

std::int64_t since_start(const model::Run& run, const model::Process& process, std::uint64_t monotonic_ns) {
  using model::saturated_difference;
  using model::to_signed;
  const std::int64_t start =
      saturated_difference(to_signed(process.start_realtime_ns), to_signed(run.start_realtime_ns));
  return model::saturated_sum(start,
                              saturated_difference(to_signed(monotonic_ns), to_signed(process.start_monotonic_ns)));
}

std::vector<std::string> left_out(std::size_t shown, std::size_t all, const char* what) {
  if (shown >= all) return {};
  return {fmt::format("{} of {} {} shown; --limit 0 shows all.", grouped(static_cast<std::int64_t>(shown)),
                      grouped(static_cast<std::int64_t>(all)), what)};
}

std::string shell_word(const std::string& text) {
  const auto plain = [](char c) {
    return c != 0 && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::strchr("_-./:=+,@%", c) != nullptr);
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out += '\'';
}

std::filesystem::path shown_path(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error || !path.is_absolute()) return path.lexically_normal();
  const std::filesystem::path relative = path.lexically_normal().lexically_relative(here);
  return relative.empty() || *relative.begin() == ".." ? path : relative;
}

std::string report_command(const model::Run& run) {
  return "prof report " + shell_word(shown_path(run.directory).string());
}

std::size_t ViewOptions::rows_of(std::size_t count, std::size_t usual) const {
  const std::size_t wanted = limit.value_or(everything ? 0 : usual);
  return wanted == 0 ? count : std::min(count, wanted);
}

}  // namespace prof::show
