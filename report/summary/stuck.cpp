#include "report/summary/stuck.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "report/fold/line_tree.hpp"
#include "report/fold/own_code.hpp"
#include "report/fold/raw_stack.hpp"
#include "report/model/wait_class.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/text.hpp"

namespace prof::show {
namespace {

constexpr std::uint64_t kLongStandingNs = 1'000'000'000;
constexpr double kOfItsLife = 0.2;

struct OpenCall {
  std::optional<std::uint64_t> ns;  // not known where nobody saw the process end
  std::string function;
  log::WaitClass waits = log::WaitClass::Other;
  std::optional<std::uint32_t> node;
};

std::optional<OpenCall> open_call(const model::Process& process, const model::Thread& thread) {
  if (!thread.use.open_frame || thread.agent) return std::nullopt;
  const std::optional<log::WaitClass> waits = model::wait_class_of(process, *thread.use.open_frame);
  const std::uint64_t since = std::max(thread.use.open_since_ns, thread.start_monotonic_ns);
  if (!waits || (since >= thread.end_monotonic_ns && process.end_known)) return std::nullopt;
  const model::Frame& frame = process.tree.frames[*thread.use.open_frame];
  OpenCall call{std::nullopt, process.names[frame.name].name, *waits, thread.use.open_node};
  if (process.end_known) call.ns = thread.end_monotonic_ns - since;
  return call;
}

bool long_standing(const model::Process& process, const OpenCall& call) {
  const std::uint64_t life = process.end_monotonic_ns - std::min(process.start_monotonic_ns, process.end_monotonic_ns);
  return !call.ns || (*call.ns >= kLongStandingNs && real(*call.ns) >= kOfItsLife * real(life));
}

// Threads that wait for work do so at a condition or a semaphore: who stands at a mutex waits for another thread.
bool wants_a_lock(const OpenCall& call) {
  return call.function.find("mutex") != std::string::npos || call.function.find("rwlock") != std::string::npos;
}

// A server that waits for somebody to come, a shell for its command, a daemon for a signal.
bool does_its_work(const OpenCall& call) {
  const auto is = [&](std::string_view part) { return call.function.find(part) != std::string::npos; };
  return call.waits == log::WaitClass::Poll || call.waits == log::WaitClass::Child ||
         call.waits == log::WaitClass::Other || is("accept") || is("pause") || is("sig");
}

class Words {
 public:
  Words(const Subject& subject, const model::Process& process)
      : subject_(subject),
        own_(subject.run, subject.symbols, subject.selection),
        index_(static_cast<std::size_t>(&process - subject.run.processes.data())) {}

  std::string of(const OpenCall& call) {
    return fmt::format("{} ({}){}{}", printable(call.function),
                       log::kWaitClassNames[static_cast<std::size_t>(call.waits)],
                       call.ns ? " for " + duration(real(*call.ns)) : "", at(call));
  }
  bool all_known() const { return all_known_; }

  // Of the call, the line that answers for it.
  std::string at(const OpenCall& call) {
    const std::uint32_t caller =
        call.node ? fold::caller_of(own_, fold::raw_stack(subject_.run, subject_.symbols, index_, *call.node))
                  : fold::kNobody;
    if (caller != fold::kNobody) return fmt::format(", in {}", printable(place_name(subject_.symbols, caller, false)));
    all_known_ = false;
    return "";
  }

 private:
  const Subject& subject_;
  const fold::OwnCode own_;
  const std::size_t index_;
  bool all_known_ = true;
};

// A mutex, or a lock of Python's: one of processes may be another process's to release.
bool held_by_itself(const Subject& subject, const model::Process& process) {
  if (!process.stands_still || model::living_threads(process) != 1) return false;
  const auto main =
      std::find_if(process.threads.begin(), process.threads.end(), [](auto& thread) { return thread.main; });
  const std::optional<OpenCall> call = main == process.threads.end() ? std::nullopt : open_call(process, *main);
  if (!call || wants_a_lock(*call)) return call.has_value();
  if (!call->node || call->function.find("sem_") != 0 || !process.python) return false;
  const auto index = static_cast<std::size_t>(&process - subject.run.processes.data());
  for (const std::uint32_t location : fold::raw_stack(subject.run, subject.symbols, index, *call->node)) {
    const symbols::Function& function = subject.symbols.function(subject.symbols.location(location).function);
    if (function.module.find("multiprocessing") != std::string::npos ||
        function.file.find("/multiprocessing/") != std::string::npos)
      return false;
  }
  return true;
}

}  // namespace

std::string stuck_text(const Subject& subject) {
  for (const model::Process& process : subject.run.processes) {
    const bool over = process.ending != model::Ending::Killed && process.ending != model::Ending::Running;
    if (process.parent || over || !subject.selection.includes(process)) continue;
    Words words(subject, process);
    std::vector<std::string> parts;
    std::map<std::string, std::pair<std::int64_t, OpenCall>> at_locks;  // by function: threads, and the longest
    for (const model::Thread& thread : process.threads) {
      const std::optional<OpenCall> call = open_call(process, thread);
      if (!call || !long_standing(process, *call)) continue;
      if (thread.main && !does_its_work(*call)) parts.push_back("the main thread in " + words.of(*call));
      if (thread.main || !wants_a_lock(*call)) continue;
      auto& [threads, longest] =
          at_locks.try_emplace(call->function + words.at(*call), std::int64_t{0}, *call).first->second;
      ++threads;
      if (call->ns > longest.ns) longest = *call;
    }
    for (const auto& [function, at] : at_locks)
      parts.push_back(fmt::format("{} in {}", counted(at.first, "other thread", "other threads"), words.of(at.second)));
    if (parts.empty()) continue;
    return fmt::format(
        "Not returned {}: {}{}.{}", process.ending == model::Ending::Killed ? "when the process was killed" : "yet",
        fmt::join(parts, "; "),
        held_by_itself(subject, process)
            ? "; no other thread could release the lock, so it holds it itself, if no other process shares it"
            : "",
        words.all_known() ? "" : " The line of some calls is known once they have returned.");
  }
  return {};
}

}  // namespace prof::show
