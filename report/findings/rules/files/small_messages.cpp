// A socket or a pipe is read, or written, a few bytes at a time: each call of the system costs more than thousands of
// them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "report/findings/keeper_python.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/socket_calls.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace small_messages {
namespace {

// Calls of one kind: which, and of what.
struct Kind {
  bool receives, pipe;
  const SocketCalls& names() const { return receives ? kReceives : kSends; }
  log::WaitClass what() const { return pipe ? log::WaitClass::Pipe : log::WaitClass::Network; }
};

constexpr Kind kKinds[] = {{true, false}, {false, false}, {true, true}, {false, true}};

bool is_of(const model::Process& process, std::uint32_t frame, const Kind& kind) {
  if (model::wait_class_of(process, frame) != kind.what()) return false;
  return is_one_of(process.names[process.tree.frames[frame].name].name, kind.names());
}

const char* cannot(const Evidence& evidence) {
  return evidence.lines().waits_known() ? nullptr : "what sockets were used for was not recorded";
}

struct Calls {
  std::int64_t count = 0, bytes = 0;
  bool small() const { return count >= kManyMessages && bytes < kSmallMessage * count; }
};

Calls calls_of(const model::Process& process, const Kind& kind) {
  Calls out;
  for (const auto& row : process.tree.wait_totals) {
    if (!is_of(process, row.frame, kind)) continue;
    out.count = model::saturated_sum(out.count, row.metric.calls - row.metric.failed);
    out.bytes = model::saturated_sum(out.bytes, row.metric.bytes);
  }
  return out;
}

// Where most of the calls are made: own lines, and what Python calls for them below these, which goes with the calls.
struct Callers {
  std::set<std::uint32_t> lines;      // locations
  std::set<std::uint32_t> functions;  // that make the calls; none: the lines do
};

Callers callers_of(const Evidence& evidence, std::size_t index, const Kind& kind) {
  const model::Process& process = evidence.run().processes[index];
  const fold::CallTree& tree = evidence.lines();
  std::map<std::uint32_t, std::int64_t> calls;
  Callers out;
  for (const auto& row : process.tree.waits) {
    if (!is_of(process, process.tree.nodes[row.node].frame, kind)) continue;
    std::uint32_t node = tree.node_of(index, row.node);
    if (node == fold::CallTree::kNoNode || evidence.own_location(node) == 0) continue;
    std::int64_t& count = calls[evidence.own_location(node)];
    count = model::saturated_sum(count, row.metric.calls());
    while (tree.function(node).language != symbols::Language::Python && tree.nodes()[node].parent != 0)
      node = tree.nodes()[node].parent;
    if (!evidence.own().function(tree.function_id(node))) out.functions.insert(tree.function_id(node));
  }
  std::int64_t most = 0;
  for (const auto& [location, count] : calls) most = std::max(most, count);
  for (const auto& [location, count] : calls) {
    if (count * 10 >= most) out.lines.insert(location);
  }
  return out;
}

CpuAt cpu_of(const Evidence& evidence, const Callers& callers) {
  const fold::CallTree& tree = evidence.lines();
  return cpu_at(evidence, [&](std::uint32_t node) {
    if (!callers.lines.contains(evidence.own_location(node))) return false;
    if (callers.functions.empty()) return true;
    for (; node != 0 && !evidence.own().function(tree.function_id(node)); node = tree.nodes()[node].parent) {
      if (callers.functions.contains(tree.function_id(node))) return true;
    }
    return false;
  });
}

// The line that made the pipe unbuffered, by the source: the nearest one.
void name_unbuffered(Finding& finding, const Evidence& evidence) {
  symbols::SourceFiles& files = evidence.sources();
  Place place = finding.places.front();
  place.callers.clear();
  const std::vector<std::string>& lines = files.file(place.file).lines;
  // Who reads a descriptor has no buffer in any case.
  if (files.line(place.file, static_cast<std::uint32_t>(std::max<std::int64_t>(0, place.line))).find("os.read(") !=
      std::string::npos)
    return;
  const auto distance = [&](std::size_t line) { return std::abs(static_cast<std::int64_t>(line) - place.line); };
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], "#");
    if (code.find("bufsize=0") == std::string_view::npos) continue;
    if (nearest == 0 || distance(i + 1) < distance(nearest)) nearest = i + 1;
  }
  if (nearest == 0) return;
  place.line = static_cast<std::int64_t>(nearest);
  place.function = function_around(lines, nearest);
  finding.places.insert(finding.places.begin() + 1, std::move(place));
  if (finding.places.size() > 3) finding.places.pop_back();
}

std::string advice_for(const Kind& kind) {
  if (!kind.receives) return "Gather what is written (a buffer, b\"\".join, writelines, sendmsg) and send it at once.";
  if (kind.pipe)
    return "Read large parts into a buffer and take the pieces from there: bufsize of subprocess.Popen as it is by "
           "default, open() with a buffer, os.read(fd, 65536).";
  return "Read large parts into a buffer and take the pieces from there: sock.makefile(\"rb\"), rbufsize of "
         "socketserver as it is by default, recv(65536), asyncio's streams.";
}

std::vector<Finding> look_at(const Evidence& evidence, std::size_t index, const Kind& kind) {
  const Calls calls = calls_of(evidence.run().processes[index], kind);
  if (!calls.small()) return {};
  const CpuAt cpu = cpu_of(evidence, callers_of(evidence, index, kind));
  if (cpu.share() < kActivity || !is_enough(cpu) || cpu.places.empty()) return {};
  Finding finding;
  finding.rule = kSmallMessagesRule.name;
  finding.title = fmt::format("{} are {} a few bytes at a time", kind.pipe ? "Pipes" : "Sockets",
                              kind.receives ? "read" : "written");
  finding.seen =
      fmt::format("{} {} {:.1f} bytes each on average; these took {}.", show::counted(calls.count, "call", "calls"),
                  kind.receives ? "received" : "sent", real(calls.bytes) / real(calls.count), cpu_words(evidence, cpu));
  finding.advice = advice_for(kind);
  finding.places = cpu.places;
  if (kind.pipe && kind.receives) name_unbuffered(finding, evidence);
  could_save(finding, evidence, cpu);
  return {finding};
}

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<Finding> out;
  for (std::size_t i = 0; i < evidence.run().processes.size(); ++i) {
    if (!evidence.selection().includes(evidence.run().processes[i])) continue;
    for (const Kind& kind : kKinds) {
      for (Finding& finding : look_at(evidence, i, kind)) out.push_back(std::move(finding));
    }
  }
  return out;
}

}  // namespace
}  // namespace small_messages

const Rule kSmallMessagesRule{"small-messages", "sockets and pipes used a few bytes at a time", small_messages::cannot,
                              small_messages::look};

}  // namespace prof::findings
