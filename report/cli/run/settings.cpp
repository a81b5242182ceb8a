#include "report/cli/run/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "report/cli/usage_error.hpp"
#include "report/cli/whole_number.hpp"

namespace prof::cli {
namespace {

constexpr std::uint64_t kKi = 1024;
constexpr std::uint64_t kMi = kKi * kKi;
constexpr std::uint64_t kGi = kKi * kMi;

bool is_number(std::string_view text, std::uint64_t low, std::uint64_t high) {
  const auto value = whole_number(text);
  return value && *value >= low && *value <= high;
}

// Bytes, with K, M or G behind the number for powers of 1024.
bool is_size(std::string_view text, std::uint64_t low, std::uint64_t high) {
  std::uint64_t unit = 1;
  if (!text.empty()) {
    switch (text.back()) {
      case 'k':
      case 'K':
        unit = kKi;
        break;
      case 'm':
      case 'M':
        unit = kMi;
        break;
      case 'g':
      case 'G':
        unit = kGi;
        break;
      default:
        break;
    }
  }
  if (unit != 1) text.remove_suffix(1);
  const auto value = whole_number(text);
  return value && *value <= high / unit && *value * unit >= low && *value * unit <= high;
}

bool is_heap(std::string_view text) {
  constexpr std::string_view kSized = "sampled:";
  if (text == "off" || text == "sampled" || text == "exact") return true;
  return text.substr(0, kSized.size()) == kSized && is_size(text.substr(kSized.size()), kKi, kGi);
}

bool is_python(std::string_view text) {
  constexpr std::string_view kChosen = "lines:";
  if (text == "off" || text == "frames" || text == "on" || text == "calls" || text == "lines") return true;
  return text.substr(0, kChosen.size()) == kChosen && text.size() > kChosen.size() &&
         text.size() < kChosen.size() + 512;
}

bool is_ops(std::string_view text) {
  if (text == "on" || text == "off") return true;
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    if (word != "shapes" && word != "memory" && word != "flops" && word != "stacks") return false;
    if (comma != std::string_view::npos) text.remove_prefix(comma + 1);
  }
  return true;
}

bool is_switch(std::string_view text) { return text == "on" || text == "off"; }

// Seconds with up to three decimals.
bool is_seconds(std::string_view text) {
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  if (!is_number(whole, 0, 100'000'000)) return false;
  if (point == std::string_view::npos) return true;
  const auto decimals = text.substr(point + 1);
  return decimals.size() <= 3 && is_number(decimals, 0, 999);
}

bool is_trace(std::string_view text) { return text == "off" || is_size(text, 64 * kKi, 512 * kMi); }

bool is_capture_range(std::string_view text) {
  constexpr std::string_view kNvtx = "nvtx:";
  return text == "cudaProfilerApi" || (text.starts_with(kNvtx) && text.size() > kNvtx.size() && text.size() < 256);
}

bool is_step(std::string_view text) { return !text.empty() && text != "nvtx:" && text.size() < 256; }

// WORD=N by commas, each word at most once, and N steps of `active` at least one.
bool is_schedule(std::string_view text) {
  constexpr std::string_view kWords[] = {"active", "skip_first", "wait", "warmup", "repeat"};
  bool named[std::size(kWords)] = {};
  for (std::size_t at = 0; at <= text.size();) {
    const std::string_view part = text.substr(at, text.find(',', at) - at);
    const std::size_t equals = part.find('=');
    const auto word = std::find(std::begin(kWords), std::end(kWords), part.substr(0, equals));
    if (equals == std::string_view::npos || word == std::end(kWords)) return false;
    const auto i = static_cast<std::size_t>(word - std::begin(kWords));
    if (named[i] || !is_number(part.substr(equals + 1), i == 0 ? 1 : 0, 1'000'000'000)) return false;
    named[i] = true;
    at += part.size() + 1;
  }
  return named[0];
}

constexpr Setting kSettings[] = {
    {"-o,--out", "PROF_OUT", "DIR", "run directory; default: prof-YYYYmmdd-HHMMSS-PID here", "a directory",
     [](std::string_view text) { return !text.empty() && text.size() < 4000; }},
    {"--cpu", "PROF_CPU", "HZ|off", "CPU samples per second of CPU time; default: 100", "off or 1..10000",
     [](std::string_view text) { return text == "off" || is_number(text, 1, 10000); }},
    {"--ticks", "PROF_TICKS", "KIND",
     "auto, timer (a CPU timer per thread) or perf (perf events); default: auto, which "
     "takes perf events above 200 Hz where they are allowed",
     "auto, timer or perf", [](std::string_view text) { return text == "auto" || text == "timer" || text == "perf"; }},
    {"--heap", "PROF_HEAP", "MODE",
     "off, sampled[:BYTES], one sample in BYTES allocated on average, or exact, every allocation; default: sampled, "
     "one in 512K and finer while a process has allocated little",
     "off, sampled, sampled:BYTES (1K..1G) or exact", is_heap},
    {"--depth", "PROF_DEPTH", "N", "deepest stack, in frames; default: 128", "8..1024",
     [](std::string_view text) { return is_number(text, 8, 1024); }},
    {"--children", "PROF_CHILDREN", "on|off", "follow child processes; default: on", "on or off", is_switch},
    {"--cmdline", "PROF_CMDLINE", "on|off", "record command lines; default: on", "on or off", is_switch},
    {"--log-max", "PROF_LOG_MAX", "SIZE", "largest log of a process; default: 64M, with --heap exact 256M", "1M..1G",
     [](std::string_view text) { return is_size(text, kMi, kGi); }},
    {"--unwinder", "PROF_UNWINDER", "KIND", "what takes the stacks of allocations: own or libunwind; default: own",
     "own or libunwind", [](std::string_view text) { return text == "own" || text == "libunwind"; }},
    {"--python", "PROF_PYTHON", "MODE",
     "off, frames (Python frames in stacks), calls (and every call, exactly) or lines[:PATTERN,...] (and every line "
     "of the chosen functions or files); default: frames",
     "off, frames, calls, lines or lines:PATTERN[,PATTERN...]", is_python},
    {"--python-alloc", "PROF_PYTHON_ALLOC", "on|off",
     "record the objects of Python programs too, as the interpreter's own allocators hand them out; default: off",
     "on or off", is_switch},
    {"--copies", "PROF_COPIES", "on|off", "record what memcpy, memmove, strcpy and their kin copy; default: on",
     "on or off", is_switch},
    {"--wait", "PROF_WAIT", "on|off", "record blocking calls, files and locks; default: on", "on or off", is_switch},
    {"--osrt-threshold", "PROF_OSRT_THRESHOLD", "NS",
     "leave blocking calls shorter than NS nanoseconds out of the trace; default: 1000", "0..1000000000",
     [](std::string_view text) { return is_number(text, 0, 1'000'000'000); }},
    {"--watch", "PROF_WATCH", "PATTERN",
     "exact calls and time of the Python functions that PATTERN[,PATTERN...] names: a function, module or file",
     "PATTERN[,PATTERN...] (up to 511 bytes)",
     [](std::string_view text) { return !text.empty() && text.size() < 512; }},
    {"--cuda", "PROF_CUDA", "on|host|off",
     "record CUDA and the libraries above it: calls and what devices do, the calls alone (host), or nothing; default: "
     "on",
     "on, host or off", [](std::string_view text) { return text == "on" || text == "host" || text == "off"; }},
    {"--cuda-graph", "PROF_CUDA_GRAPH", "KIND",
     "record CUDA graphs as one (graph) or each of their kernels and copies (node), at a price; default: graph",
     "graph or node", [](std::string_view text) { return text == "graph" || text == "node"; }},
    {"--cuda-callbacks", "PROF_CUDA_CALLBACKS", "KIND",
     "auto, on or off: CUPTI's callbacks, for launches that no interposed function sees; default: auto",
     "auto, on or off", [](std::string_view text) { return text == "auto" || text == "on" || text == "off"; }},
    {"--cupti", "PROF_CUPTI", "FILE", "the libcupti.so to use; default: the one that belongs to the program's CUDA",
     "the path of a libcupti.so",
     [](std::string_view text) { return !text.empty() && text[0] != '-' && text.size() < 1024; }},
    {"--ranges", "PROF_RANGES", "on|off", "record ranges of the program's own (NVTX, ITT); default: on", "on or off",
     is_switch},
    {"--ops", "PROF_OPS", "MODE",
     "operators of PyTorch: on, off, or on with the shapes of their inputs (shapes), the memory of their tensors on "
     "the "
     "host (memory), their floating point operations (flops), the Python lines that called them (stacks), or several "
     "of "
     "these (shapes,flops); default: on",
     "on, off, or of shapes, memory, flops and stacks those that are wanted, with commas", is_ops},
    {"--trace", "PROF_TRACE", "SIZE",
     "keep the last events, each with its time, in a ring of SIZE bytes per process, for timelines; default: off",
     "off or 64K..512M", is_trace},
    {"--step", "PROF_STEP", "NAME",
     "what a step is: a range or a call of a Python function of that name, nvtx:TEXT or nvtx:TEXT@DOMAIN for a range "
     "alone, off for no steps; default: auto, which finds them",
     "auto, off, NAME of a range or Python function, or nvtx:TEXT (up to 255 bytes)", is_step},
    {"--schedule", "PROF_SCHEDULE", "SCHEDULE",
     "record details (the trace; of operators shapes, memory, FLOPs and stacks) in some steps only: leave out "
     "skip_first, then again and again, repeat times in all, leave out wait + warmup and record active ones, as "
     "torch.profiler.schedule does",
     "active=N with skip_first=N, wait=N, warmup=N or repeat=N, by commas", is_schedule},
    {"--capture-range", "PROF_CAPTURE_RANGE", "RANGE",
     "record only between cudaProfilerStart and cudaProfilerStop (cudaProfilerApi), or while a range of that name is "
     "open (nvtx:TEXT or nvtx:TEXT@DOMAIN)",
     "cudaProfilerApi or nvtx:TEXT (up to 255 bytes)", is_capture_range},
    {"--delay", "PROF_DELAY", "SECONDS", "begin to record so long after the start",
     "seconds, with up to three decimals", is_seconds},
    {"--duration", "PROF_DURATION", "SECONDS", "record for so long; default: to the end",
     "seconds, with up to three decimals", is_seconds},
    {"--stop-on-exit", "PROF_STOP_ON_EXIT", "on|off", "end the program, by SIGTERM, when recording ends; default: off",
     "on or off", is_switch},
    {"-q,--quiet", "PROF_QUIET", "", "no notices on stderr, neither of prof nor in the program", "on or off",
     is_switch},
};

}  // namespace

std::span<const Setting> settings() { return kSettings; }

void check(const Setting& setting, std::string_view value) {
  if (setting.valid(value)) return;
  const std::string_view option = setting.option;
  throw UsageError(fmt::format("{} takes {}, not '{}'", option.substr(option.find("--")), setting.allowed, value));
}

}  // namespace prof::cli
