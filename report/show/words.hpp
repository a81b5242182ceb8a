// Names and sentences that several views share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "report/show/view.hpp"

namespace prof::show {

// A function's name in a table: short, or whole when `wide`.
std::string label(const symbols::Function& function, bool wide);

// Where a function is: "file.cpp:12" or, where that is not known, the name of its module; whole paths when `wide`.
std::string place(const symbols::Function& function, bool wide);

// A process's command line in a table: the program without its folders, and its arguments; all of it when `wide`.
std::string command_label(const model::Process& process, bool wide);

// The last part of a path.
std::string base_name(const std::string& path);

// The same of a source file; with its folder where the name says nothing, as that of an __init__.py.
std::string short_file(const std::string& path);

// "exit 0", "killed by SIGKILL", "exec", "running", "unknown".
std::string ending(const model::Process& process);

// "SIGKILL", or "signal 99" for one without a name.
std::string signal_name(int signal);

// How CPU time was measured in the selected processes: "CPU time is sampled every 10 ms (3,214 samples)".
std::string cpu_sampling(const Subject& subject);

// Whether the calls of malloc and its family were counted in a process, and in any of the selected ones.
bool heap_recorded(const model::Process& process);
bool heap_recorded(const Subject& subject);

// How memory contexts were measured: "estimated from samples, one in 512 KiB on average".
std::string heap_sampling(const Subject& subject);

// How figures of that measure came to be, and what they are of: "CPU time is sampled ...", "GPU time: exact".
std::string measuring(const Subject& subject, model::Measure measure);

// What was lost, each with its count, and in what conditions; nothing when there is nothing to say.
struct LossSentences {
  std::vector<std::string> lost;
  std::vector<std::string> conditions;
};
LossSentences losses(const model::Run& run);

// The same as captions of a table: "Lost: ..." and "Note: ...".
std::vector<std::string> loss_captions(const model::Run& run);

// What the selection leaves out; empty when it leaves out nothing.
std::vector<std::string> filters(const Subject& subject, const ViewOptions& options);

// From the start of the run to a moment of a process, in ns.
std::int64_t since_start(const model::Run& run, const model::Process& process, std::uint64_t monotonic_ns);

// "20 of 345 functions shown; --limit 0 shows all." or nothing when all are shown.
std::vector<std::string> left_out(std::size_t shown, std::size_t all, const char* what);

// `text` as one word of a shell command.
std::string shell_word(const std::string& text);

// `prof report RUN` for the run, as short as it can be typed here.
std::string report_command(const model::Run& run);

// `path` from the working directory if it lies below it, else as it is.
std::filesystem::path shown_path(const std::filesystem::path& path);

}  // namespace prof::show
