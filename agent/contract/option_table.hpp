// The options, one row each. Of it are made: what the agent takes from its environment and writes to its log, the
// options, help, checks and completion of `prof run`, and the table in docs/options.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/contract/option_texts.hpp"
#include "agent/contract/option_values.hpp"
#include "agent/contract/options.hpp"
#include "agent/contract/text_builder.hpp"

namespace prof::option {

struct Option {
  std::string_view flag;      // of `prof run`, "--cpu"; with a short form "-o,--out"; empty: there is none
  std::string_view variable;  // "PROF_CPU"
  std::string_view value;     // what help calls the value: "HZ|off"; empty: a flag, which sets the variable to "on"
  // The values that can be given, with '|' between them: "off|1..10000 (samples per second of CPU time)". Words in
  // small letters are meant as they are.
  std::string_view grammar;
  std::string_view standard;  // what holds without the option, in words
  std::string_view help;      // what it does
  bool (*set)(std::string_view value, Options& options);
  // The value in force, as the log states it; nothing where it need not be stated. Null: the log states it elsewhere,
  // or it changes nothing that is recorded.
  void (*write)(const Options& options, TextBuilder& text);
};

inline constexpr std::string_view kOnOff = "on|off";
inline constexpr std::string_view kSeconds = "seconds, with up to three decimals";
// What is no user's business: such rows are in no table.
inline constexpr std::string_view kOwn = "set by libprof itself";

inline constexpr Option kOptions[] = {
    {"-o,--out", "PROF_OUT", "DIR", "a directory", "prof-YYYYmmdd-HHMMSS-PID here", "run directory", set_out, nullptr},
    {"--cpu", "PROF_CPU", "HZ|off", "off|1..10000 (samples per second of CPU time)",
     "100, and 200 in a thread's first 10 seconds of CPU time", "CPU samples per second of CPU time of each thread",
     set_cpu, write_cpu},
    {"--ticks", "PROF_TICKS", "KIND", "auto|timer|perf",
     "auto, which takes perf events above 200 Hz where they are allowed",
     "what makes the ticks: a CPU timer per thread (timer) or perf events (perf)", set_ticks, write_ticks},
    {"--heap", "PROF_HEAP", "MODE", "off|sampled|sampled:BYTES (1K..1G)|exact",
     "sampled, one in 512K and finer while a process has allocated little",
     "contexts of allocations: of one sample in BYTES allocated on average (sampled), of every allocation (exact), or "
     "of none (off)",
     set_heap, write_heap},
    {"--depth", "PROF_DEPTH", "N", "8..1024 (frames)", "128",
     "deepest stack, in native frames; up to four times as many Python frames", set_depth, write_depth},
    {"--children", "PROF_CHILDREN", "on|off", kOnOff, "on", "follow child processes", set_switch<&Options::children>,
     write_switch<&Options::children>},
    {"--cmdline", "PROF_CMDLINE", "on|off", kOnOff, "on", "record command lines", set_switch<&Options::command_lines>,
     write_switch<&Options::command_lines>},
    {"--log-max", "PROF_LOG_MAX", "SIZE", "1M..1G", "64M, with --heap exact 256M",
     "largest log of a process; when it is full, new contexts are booked on their nearest known caller", set_log_max,
     write_log_max},
    {"--unwinder", "PROF_UNWINDER", "KIND", "own|libunwind", "own", "what takes the stacks of allocations",
     set_unwinder, write_unwinder},
    {"--python", "PROF_PYTHON", "MODE", "off|frames|calls|lines|lines:PATTERN[,PATTERN...] (up to 511 bytes)", "frames",
     "of Python programs record frames in stacks (frames), every call too, exactly (calls), every line of the chosen "
     "functions or files too, exactly (lines), or nothing (off)",
     set_python, write_python},
    {"--python-alloc", "PROF_PYTHON_ALLOC", "on|off", kOnOff, "off",
     "record the objects of Python programs too, as the interpreter's own allocators hand them out",
     set_switch<&Options::python_alloc>, write_switch<&Options::python_alloc>},
    {"--java", "PROF_JAVA", "on|off", kOnOff, "on",
     "name the methods that a Java VM compiles, and follow their callers", set_switch<&Options::java>,
     write_other<&Options::java>},
    {"--js", "PROF_JS", "on|off", kOnOff, "off",
     "ask Node to list its functions (--perf-basic-prof in NODE_OPTIONS), so that they have names",
     set_switch<&Options::js>, write_other<&Options::js>},
    {"--dotnet", "PROF_DOTNET", "on|off", kOnOff, "off",
     "ask .NET to list its methods (DOTNET_PerfMapEnabled=1), so that they have names", set_switch<&Options::dotnet>,
     write_other<&Options::dotnet>},
    {"--lua", "PROF_LUA", "on|off", kOnOff, "off",
     "ask LuaJIT to list what it compiles (by LUA_INIT), so that it has names", set_switch<&Options::lua>,
     write_other<&Options::lua>},
    {"--pypy", "PROF_PYPY", "on|off", kOnOff, "off",
     "ask PyPy to list what it compiles (by PYPYLOG), so that it has names", set_switch<&Options::pypy>,
     write_other<&Options::pypy>},
    {"--copies", "PROF_COPIES", "on|off", kOnOff, "on", "record what memcpy, memmove, strcpy and their kin copy",
     set_switch<&Options::copies>, write_switch<&Options::copies>},
    {"--wait", "PROF_WAIT", "on|off", kOnOff, "on", "record blocking calls, files and locks",
     set_switch<&Options::wait>, write_switch<&Options::wait>},
    {"--osrt-threshold", "PROF_OSRT_THRESHOLD", "NS", "0..1000000000 (nanoseconds)", "1000",
     "leave blocking calls shorter than NS nanoseconds out of the trace",
     set_number<&Options::wait_threshold, 0, 1'000'000'000>, write_other<&Options::wait_threshold>},
    {"--watch", "PROF_WATCH", "PATTERN", "PATTERN[,PATTERN...] (up to 511 bytes)", "none",
     "exact calls and time of the Python functions that the patterns name: by function, module or file",
     set_text<&Options::watch>, write_text<&Options::watch>},
    {"--cuda", "PROF_CUDA", "on|host|off", "on|host|off", "on",
     "record CUDA and the libraries above it: calls and what devices do (on), the calls alone (host), or nothing (off)",
     set_cuda, write_cuda},
    {"--cuda-graph", "PROF_CUDA_GRAPH", "KIND", "graph|node", "graph",
     "record CUDA graphs as one (graph) or each of their kernels and copies, at a price (node)", set_graph,
     write_graph},
    {"--cuda-callbacks", "PROF_CUDA_CALLBACKS", "KIND", "auto|on|off", "auto",
     "CUPTI's callbacks, for launches that no interposed function sees", set_callbacks, write_callbacks},
    {"--cupti", "PROF_CUPTI", "FILE", "the path of a libcupti.so", "the one that belongs to the program's CUDA",
     "the libcupti.so to use", set_text<&Options::cupti>, write_text<&Options::cupti>},
    {"--ranges", "PROF_RANGES", "on|off", kOnOff, "on", "record ranges that the program marks (NVTX, ITT)",
     set_switch<&Options::ranges>, write_other<&Options::ranges>},
    {"--ops", "PROF_OPS", "MODE", "on|off|shapes|memory|flops|stacks (these four together, too: shapes,flops)", "on",
     "count PyTorch's operators; with the shapes of their inputs (shapes), the memory of their tensors on the host "
     "(memory), their floating point operations (flops), the Python lines that called them (stacks)",
     set_ops, write_ops},
    {"--trace", "PROF_TRACE", "SIZE", "off|64K..512M (bytes of the ring)", "off",
     "keep the last events, each with its time, in a ring of SIZE bytes per process, for timelines", set_trace,
     write_other<&Options::trace_bytes>},
    {"--step", "PROF_STEP", "NAME", "auto|off|NAME of a range or Python function|nvtx:TEXT (up to 255 bytes)",
     "auto, which detects steps",
     "what a step is: a range or a call of a Python function of that name, or a range alone (nvtx:TEXT, "
     "nvtx:TEXT@DOMAIN)",
     set_step, write_step},
    {"--schedule", "PROF_SCHEDULE", "SCHEDULE", "active=N with skip_first=N, wait=N, warmup=N or repeat=N, by commas",
     "none",
     "record details (the trace; of operators shapes, memory, FLOPs and stacks) in some steps only: leave out "
     "skip_first, then again and again, repeat times in all, leave out wait + warmup and record active ones, as "
     "torch.profiler.schedule does",
     set_schedule, write_schedule},
    {"--capture-range", "PROF_CAPTURE_RANGE", "RANGE", "cudaProfilerApi|nvtx:TEXT (up to 255 bytes)", "none",
     "record only between cudaProfilerStart and cudaProfilerStop, or while a range named TEXT (TEXT@DOMAIN of a "
     "domain) is open",
     set_capture, write_text<&Options::capture_range>},
    {"--delay", "PROF_DELAY", "SECONDS", kSeconds, "0", "begin to record so long after the start of the run",
     set_seconds<&Options::delay_ms>, write_seconds<&Options::delay_ms>},
    {"--duration", "PROF_DURATION", "SECONDS", kSeconds, "to the end", "record for so long, and not again",
     set_seconds<&Options::duration_ms>, write_seconds<&Options::duration_ms>},
    {"--stop-on-exit", "PROF_STOP_ON_EXIT", "on|off", kOnOff, "off", "end the program, by SIGTERM, when recording ends",
     set_switch<&Options::stop_on_exit>, write_other<&Options::stop_on_exit>},
    {"-q,--quiet", "PROF_QUIET", "", kOnOff, "off", "no notices on stderr, neither of prof nor in the program",
     set_switch<&Options::quiet>, nullptr},
    {"", "PROF_SEED", "", "a whole number", "another one each time",
     "gaps between heap samples come from it and the thread's number: a deterministic program is sampled alike each "
     "time",
     set_number<&Options::seed, 0, 999'999'999'999>, write_other<&Options::seed>},
    {"", "PROF_RUN", "", "off", "none",
     "off: record nothing in this program and what it starts; libprof itself sets it so that children find the run",
     set_text<&Options::run>, nullptr},
    {"", "PROF_LIBRARY", "", "a path", "the one beside prof, or of its installation",
     "the libprof.so that prof run preloads", set_nothing, nullptr},
    {"", "PROF_WINDOW_FROM", "", kOwn, "", "", set_number<&Options::window_from, 1, UINT64_MAX>, nullptr},
};

// The grammar as a sentence has it, "off, sampled or exact": `put` is called with each piece. Any context.
template <class Put>
void write_values(std::string_view grammar, Put put) {
  for (std::size_t bar; (bar = grammar.find('|')) != std::string_view::npos;) {
    put(first(grammar, bar));
    grammar = from(grammar, bar + 1);
    put(grammar.find('|') == std::string_view::npos ? " or " : ", ");
  }
  put(grammar);
}

}  // namespace prof::option
