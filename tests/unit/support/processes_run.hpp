// Runs that are made of processes, by their commands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/support/findings_run.hpp"

namespace prof::test {

inline constexpr std::uint32_t kFirst = 500;  // pid of the first process

// Processes without lines, by their commands; the first one lives for two seconds.
class ProcessesRun : public LoadedRun {
 public:
  LogBuilder& shell(const char* cpus = "allowed=4") {
    LogBuilder& log = process(kFirst, 1, "/bin/sh build.sh", 0, 2'000, 10);
    log.info(log::InfoKey::Cpus, cpus);
    return log;
  }
  // A child of the shell's or another one's, from `at` milliseconds on.
  LogBuilder& child(const std::string& command, std::uint64_t at, std::uint64_t life_ms, std::uint64_t cpu_ms,
                    std::uint32_t parent = kFirst) {
    return process(kFirst + static_cast<std::uint32_t>(logs_.size()), parent, command, at, life_ms, cpu_ms);
  }
  static void wait(LogBuilder& log, const char* function, const char* what, std::uint64_t ms) {
    const auto node = log.node(0, log.named(log::NameKind::Wait, function, what));
    log.record(log::RecordClass::Wait, node, log::WaitWords{10 * log::kCountUnit, ms * kMs, 10});
  }
  static void is_python(LogBuilder& log) { log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames"); }

  std::vector<findings::Finding> look(const std::string& rule) {
    for (const auto& log : logs_) log->write(directory() / (std::to_string(log->header.pid) + ".1.proflog"));
    load();
    findings::Outcome all = findings::look_for_all(findings::Evidence(run, symbols, selection));
    std::erase_if(all.findings, [&](const findings::Finding& finding) { return finding.rule != rule; });
    return all.findings;
  }

 protected:
  LogBuilder& process(std::uint32_t pid, std::uint32_t parent, std::string command, std::uint64_t at,
                      std::uint64_t life_ms, std::uint64_t cpu_ms) {
    LogBuilder& log = *logs_.emplace_back(std::make_unique<LogBuilder>());
    log.header.pid = pid;
    log.header.log_id = pid;
    log.header.ppid = parent;
    log.header.start_ticks = pid;
    log.header.start_realtime_ns += at * kMs;
    log.header.start_monotonic_ns += at * kMs;
    log.header.end_monotonic_ns = log.header.start_monotonic_ns + life_ms * kMs;
    log.header.cpu_ns = cpu_ms * kMs;
    log.thread(0).flags = log::kThreadMain;
    log.info(log::InfoKey::Options, "PROF_WAIT=on");
    std::replace(command.begin(), command.end(), ' ', '\0');
    log.info(log::InfoKey::Argv, command);
    return log;
  }
  std::vector<std::unique_ptr<LogBuilder>> logs_;
};

}  // namespace prof::test
