// The processes of a run as whole ones, all images of each together, for rules about programs that are made of
// processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/rules/shared/command_shape.hpp"

namespace prof::findings {

// A process, all its images together.
struct Whole {
  std::size_t last_image = 0;  // index into Run::processes: the program that it became
  std::uint64_t start_ns = 0, end_ns = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t agent_ns = 0;                // of cpu_ns, what profiling took
  std::int64_t queue_ns = 0;                // ready to run, without a processor: all threads
  std::int64_t written_ns = 0;              // of piped_ns, in writes: the next stage did not take it
  std::int64_t piped_ns = 0, child_ns = 0;  // its main thread, blocked at pipes and by children
  std::int64_t outside_ns = 0;              // its main thread, asleep and blocked by the network
  bool python = false;
  std::vector<std::uint32_t> children;  // pids
  std::int64_t life_ns() const { return end_ns > start_ns ? model::to_signed(end_ns - start_ns) : 0; }
};

// When they lived.
std::vector<Span> lives_of(const std::vector<const Whole*>& processes);

// Those that `process` (an index into Run::processes) started.
std::vector<const Whole*> children_of(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all,
                                      std::size_t process);

// When all lived that `process` (an index into Run::processes) started, and those below them.
std::vector<Span> lives_of_children(const Evidence& evidence, std::size_t process);

// Those that are selected, by pid.
std::map<std::uint32_t, Whole> processes_of(const Evidence& evidence);

// What it runs, without folders: "cut".
std::string program_of(const Evidence& evidence, const Whole& whole);

// What it was started with, as a shell would be told: "cut", "'-d '", "-f4".
CommandWords command_words_of(const Evidence& evidence, const Whole& whole);

// The same as a text of one line, shortened.
std::string command_text(const CommandWords& words);

// Its command in place of a line, shortened.
Place place_of_command(const Evidence& evidence, const Whole& whole);

// These and all below them, each once.
std::vector<const Whole*> with_all_below(const std::map<std::uint32_t, Whole>& all,
                                         std::vector<const Whole*> processes);

// What profiling took of these processes and of all below them, the wait for a processor included: by that much they
// are done sooner when nobody records them. A start takes most of it, so it counts where a process does little else.
std::int64_t profiling_ns(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all,
                          const std::vector<const Whole*>& processes);

// How far that may be off.
std::int64_t profiling_error_ns(std::int64_t profiling_ns);

// What the main threads of these, or of one below each, slept and waited for the network while none of the others
// lived: one process in place of all would wait as long. Of several that sleep below one, the longest: they may do so
// at once.
std::int64_t outside_ns(const std::map<std::uint32_t, Whole>& all, std::vector<const Whole*> processes);

// The same of all processes that `process` (an index into Run::processes) started.
std::int64_t profiling_children_ns(const Evidence& evidence, std::size_t process);
std::int64_t outside_of_children_ns(const Evidence& evidence, std::size_t process);

// The time in which any of them lived.
std::int64_t covered_ns(const std::vector<const Whole*>& processes);

}  // namespace prof::findings
