// Processes of the run: which are selected, how they are called, what they recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/show/view.hpp"

namespace prof::show {

// Indices of the selected processes in Run::processes, and the CPU time of such processes together, in ns.
std::vector<std::size_t> selected_processes(const Subject& subject);
std::uint64_t cpu_of(const Subject& subject, const std::vector<std::size_t>& processes);

// A process's command line in a table: the program without its folders, and its arguments; all of it when `wide`.
std::string command_label(const model::Process& process, bool wide);

// "exit 0", "killed by SIGKILL", "exec", "running", "unknown".
std::string ending(const model::Process& process);

// "SIGKILL", or "signal 99" for one without a name.
std::string signal_name(int signal);

// Whether the calls of malloc and its family were counted in a process, and in any of the selected ones.
bool heap_recorded(const model::Process& process);
bool heap_recorded(const Subject& subject);
// Whether an interpreter of Python ran in a selected process: it frees its objects when it ends, and what is live then
// says nothing of what was kept until then.
bool any_python(const Subject& subject);

// From the start of the run to a moment of a process, in ns.
std::int64_t since_start(const model::Run& run, const model::Process& process, std::uint64_t monotonic_ns);

}  // namespace prof::show
