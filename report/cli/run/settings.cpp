#include "report/cli/run/settings.hpp"

#include <fmt/format.h>

#include <cstdint>

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

bool is_switch(std::string_view text) { return text == "on" || text == "off"; }

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
    {"--watch", "PROF_WATCH", "PATTERN",
     "exact calls and time of the Python functions that PATTERN[,PATTERN...] names: a function, module or file",
     "PATTERN[,PATTERN...] (up to 511 bytes)",
     [](std::string_view text) { return !text.empty() && text.size() < 512; }},
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
