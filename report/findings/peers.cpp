#include "report/findings/peers.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "report/findings/thresholds.hpp"
#include "report/fold/waiting/accounting.hpp"
#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"

namespace prof::findings {
namespace {

// What a process was seen to do with sockets.
struct Talk {
  bool accepts = false, connects = false, sends = false;
  bool names = false;  // of its sockets are known, and:
  bool tells = false;  // sends by one that is no accepted one, and is connected
};

Talk talk_of(const model::Process& process) {
  constexpr std::string_view kSends[] = {"send", "write", "pwrite"};
  Talk out;
  // Of all calls: single ones, however short, have no context.
  for (const auto& row : process.tree.wait_totals) {
    if (model::wait_class_of(process, row.frame) != log::WaitClass::Network) continue;
    const std::string& call = process.names[process.tree.frames[row.frame].name].name;
    out.accepts |= call.starts_with("accept");
    out.connects |= call == "connect";
    out.sends |= begins_with_any(call, kSends);
  }
  for (const auto& row : process.tree.files) {
    const std::uint32_t name = process.tree.frames[row.frame].name;
    if (name >= process.names.size()) continue;  // of a damaged log
    const model::Name& socket = process.names[name];
    if (socket.group != "socket" || socket.name == "socket") continue;
    out.names = true;
    // Datagrams by one that is connected to nobody are answers as often as questions.
    const bool to_anybody = socket.name.starts_with("udp *") || socket.name.ends_with("(not connected)") ||
                            socket.name.ends_with("(accepted)");
    out.tells |= row.metric.writes > 0 && !to_anybody;
  }
  return out;
}

// Ends of connections, by what both ends call the same: the protocol and the port, or the path.
struct Ends {
  std::map<std::string, model::FileMetric> asked, answered;
};

// What both ends of a pair of sockets are called, which are held by one process, or by parent and child.
constexpr std::string_view kPair = "unix (unnamed)";

// "tcp 127.0.0.1:80" and "tcp *:80 (accepted)": "tcp :80". Nothing of a peer elsewhere.
void add_end(Ends& ends, std::string_view name, const model::FileMetric& metric) {
  constexpr std::string_view kTaken[] = {" (accepted)", " (listening)"};
  bool taken = false;
  for (const std::string_view& ending : kTaken) {
    if (!name.ends_with(ending)) continue;
    name.remove_suffix(ending.size());
    taken = true;
  }
  const std::size_t blank = name.find(' '), colon = name.rfind(':');
  if (blank == std::string_view::npos) return;
  std::string key(name);
  if (!name.starts_with("unix ")) {
    if (colon == std::string_view::npos || colon < blank) return;
    const std::string_view host = name.substr(blank + 1, colon - blank - 1);
    taken |= host == "*";
    if (!taken && !host.starts_with("127.") && host != "[::1]") return;
    key = std::string(name.substr(0, blank + 1)) + std::string(name.substr(colon));
  }
  if (taken || name == kPair) ends.answered[key] += metric;
  if (!taken) ends.asked[key] += metric;
}

Ends ends_of(const model::Process& process) {
  Ends out;
  for (const auto& row : process.tree.files) {
    const std::uint32_t name = process.tree.frames[row.frame].name;
    if (name >= process.names.size() || process.names[name].group != "socket") continue;  // of a damaged log
    if (row.metric.calls() > row.metric.opens) add_end(out, process.names[name].name, row.metric);
  }
  return out;
}

// "tcp *:80 (accepted)": ":80".
std::string port_of(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? std::string(name)
                                         : std::string(name.substr(colon, name.find(' ', colon) - colon));
}

// Sockets by which a process sent something, by their names: those that it connected, and those that it accepted.
struct Sockets {
  using ByName = std::map<std::string_view, model::FileMetric>;
  ByName asking, answering;
};
Sockets sockets_of(const model::Process& process) {
  Sockets out;
  for (const auto& row : process.tree.files) {
    const std::uint32_t id = process.tree.frames[row.frame].name;
    if (id >= process.names.size() || process.names[id].group != "socket" || row.metric.writes <= 0) continue;
    const std::string_view name = process.names[id].name;
    if (name.ends_with("(accepted)"))
      out.answering[name] += row.metric;
    else if (!name.starts_with("udp *") && !name.ends_with("(not connected)") && name != kPair)
      out.asking[name] += row.metric;
  }
  return out;
}

bool related(const model::Process& one, const model::Process& other) {
  return one.ppid == other.pid || other.ppid == one.pid;
}

// Of the process, but for one thread: of its own threads those that run the user's code.
std::int64_t work_of(const Evidence& evidence, std::size_t process, std::optional<std::uint32_t> but) {
  const std::vector<bool>& imports = evidence.imports(process);
  std::map<std::uint32_t, std::int64_t> imported;  // by slot
  for (const auto& cpu : evidence.run().processes[process].tree.cpu) {
    std::int64_t& ns = imported[cpu.slot];
    if (imports[cpu.node]) ns = model::saturated_sum(ns, cpu.metric.ns);
  }
  std::int64_t work = 0;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    const std::uint32_t slot = row.thread->slot;
    if (row.process != process || row.thread->agent || slot == but) continue;
    if (but && !runs_own_code(evidence, process, slot)) continue;
    const std::int64_t ns = model::saturated_sum(row.split.cpu_ns, row.split.run_queue_ns);
    work = model::saturated_sum(work, std::max<std::int64_t>(0, model::saturated_difference(ns, imported[slot])));
  }
  return work;
}

}  // namespace

bool accepts_connections(const Evidence& evidence, std::size_t process) {
  return talk_of(evidence.run().processes[process]).accepts;
}

std::int64_t taken_connections(const model::Process& process) {
  std::set<std::string> addresses;
  for (const auto& row : process.tree.files) {
    const std::uint32_t name = process.tree.frames[row.frame].name;
    if (name < process.names.size() && process.names[name].name.ends_with("(accepted)"))
      addresses.insert(process.names[name].name);
  }
  if (addresses.size() > 1) return 0;
  std::int64_t taken = 0;
  for (const auto& row : process.tree.wait_totals) {
    const std::uint32_t name = process.tree.frames[row.frame].name;
    if (name < process.names.size() && process.names[name].name.starts_with("accept"))
      taken = model::saturated_sum(taken, row.metric.calls - row.metric.failed);
  }
  return taken;
}

bool serves(const model::Process& process, std::uint32_t slot) {
  std::int64_t of_askers = 0, of_others = 0;
  for (const auto& row : process.tree.files) {
    const std::uint32_t name = process.tree.frames[row.frame].name;
    if (row.slot != slot || name >= process.names.size() || process.names[name].group != "socket") continue;
    std::int64_t& reads = process.names[name].name.ends_with("(accepted)") ? of_askers : of_others;
    reads = model::saturated_sum(reads, row.metric.reads);
  }
  return of_askers > of_others;
}

bool asks_peers(const Evidence& evidence, std::size_t process) {
  const Talk talk = talk_of(evidence.run().processes[process]);
  return talk.connects || (talk.names ? talk.tells : talk.sends && !talk.accepts);
}

PeersInRun peers_in_run(const Evidence& evidence, const ThreadOf& thread) {
  const std::vector<model::Process>& processes = evidence.run().processes;
  const Ends own = ends_of(processes[thread.process]);
  PeersInRun out;
  std::set<std::string> named;
  std::int64_t unnamed_work = 0, unnamed_talk = 0;
  for (std::size_t i = 0; i < processes.size() && !own.asked.empty(); ++i) {
    const bool itself = i == thread.process;
    const Ends its = ends_of(processes[i]);
    bool by_name = false, by_pair = false;
    for (const auto& [name, metric] : own.asked) {
      if (!its.answered.contains(name)) continue;
      if (name == kPair) {
        by_pair = !itself && related(processes[i], processes[thread.process]);
        if (by_pair) unnamed_talk = metric.ns();
      } else {
        by_name = true;
        named.insert(name);
      }
    }
    if (!by_name && !by_pair) continue;
    std::int64_t& work = by_name ? out.work_ns : unnamed_work;
    const std::int64_t its_work = work_of(evidence, i, itself ? std::optional(thread.slot) : std::nullopt);
    work = model::saturated_sum(work, its_work);
    if (by_name && !itself) out.elsewhere_ns = model::saturated_sum(out.elsewhere_ns, its_work);
  }
  for (const std::string& name : named) out.talk_ns = model::saturated_sum(out.talk_ns, own.asked.at(name).ns());
  // Pairs have other uses as well, such as the one by which an event loop wakes itself.
  const std::int64_t unnamed = std::min(unnamed_work, unnamed_talk);
  out.work_ns = model::saturated_sum(out.work_ns, unnamed);
  out.elsewhere_ns = model::saturated_sum(out.elsewhere_ns, unnamed);
  out.talk_ns = model::saturated_sum(out.talk_ns, unnamed_talk);
  return out;
}

std::int64_t answers_to_itself(const Evidence& evidence, std::size_t process) {
  const Ends ends = ends_of(evidence.run().processes[process]);
  std::int64_t answers = 0, sent = 0, received = 0;
  for (const auto& [name, metric] : ends.answered) {
    const auto asked = ends.asked.find(name);
    if (metric.writes == 0 || name == kPair) continue;
    answers = model::saturated_sum(answers, metric.writes);
    sent = model::saturated_sum(sent, metric.write_bytes);
    if (asked != ends.asked.end()) received = model::saturated_sum(received, asked->second.read_bytes);
  }
  return real(received) >= kNearlyAll * real(sent) ? answers : 0;
}

Asked asked_of(const Evidence& evidence, std::size_t process) {
  Asked out;
  for (const auto& [name, metric] : sockets_of(evidence.run().processes[process]).asking) {
    out.answers = model::saturated_sum(out.answers, metric.answers);
    out.answer_ns = model::saturated_sum(out.answer_ns, metric.answer_ns);
    out.awaited_ns = model::saturated_sum(out.awaited_ns, metric.answering_ns);
  }
  return out;
}

Messages messages_of(const Evidence& evidence, std::size_t process) {
  const auto [asking, all_answering] = sockets_of(evidence.run().processes[process]);
  Sockets::ByName answering = all_answering;
  std::string asked_for;  // ":8080" of the server that the others are asked for
  if (!answering.empty() && answers_to_itself(evidence, process) > 0) {
    std::int64_t most = 0;
    for (const auto& [name, metric] : answering) most = std::max(most, metric.writes);
    std::erase_if(answering, [&](const auto& row) { return real(row.second.writes) < kOfBusiest * real(most); });
    // It takes as long to answer as all that it asks for.
    const auto front = std::min_element(answering.begin(), answering.end(), [](const auto& one, const auto& other) {
      return std::pair(-one.second.answering_ns, one.second.writes) <
             std::pair(-other.second.answering_ns, other.second.writes);
    });
    asked_for = port_of(front->first);
    answering = {*front};
  }
  Messages out;
  for (const auto& [name, metric] : answering) {
    out.answers = model::saturated_sum(out.answers, metric.writes);
    out.asked_ns = model::saturated_sum(out.asked_ns, metric.answering_ns);
    out.asked_each_ns = model::saturated_sum(out.asked_each_ns, metric.answer_ns);
  }
  for (const auto& [name, metric] : asking) {
    if (!asked_for.empty() && name.ends_with(asked_for)) continue;
    out.questions = model::saturated_sum(out.questions, metric.writes);
    out.answered = model::saturated_sum(out.answered, metric.answers);
    out.awaited_ns = model::saturated_sum(out.awaited_ns, metric.answering_ns);
  }
  return out;
}

}  // namespace prof::findings
