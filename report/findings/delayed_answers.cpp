#include "report/findings/delayed_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "agent/contract/format.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/socket_calls.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace delayed_answers {
namespace {

// Calls that only hand a part to the kernel are too short to be seen: the line behind is told by the source.
void add_next_part(const Evidence& evidence, std::vector<Place>& places) {
  constexpr std::size_t kLinesOn = 3;
  constexpr std::string_view kSending[] = {".sendall(", ".send(", ".write(", " send(", " write("};
  const auto sends = [&](const std::string& line) {
    return std::any_of(std::begin(kSending), std::end(kSending),
                       [&](std::string_view call) { return line.find(call) != std::string::npos; });
  };
  symbols::SourceFiles& files = evidence.sources();
  const std::vector<std::string>& lines = files.file(places.front().file).lines;
  const auto number = static_cast<std::size_t>(std::max<std::int64_t>(0, places.front().line));
  if (number == 0 || number > lines.size() || !sends(lines[number - 1])) return;
  for (std::size_t at = number; at < lines.size() && at < number + kLinesOn; ++at) {
    if (!sends(lines[at])) continue;
    places.push_back({places.front().file, static_cast<std::int64_t>(at + 1), places.front().function});
    return;
  }
}

// What one thread waited for peers, and how often it sent.
struct Talk {
  double answers_ns = 0, delayed_ns = 0, delays = 0, sent = 0;
  double as_long = 0;  // waits that took as long as a delay, or longer
  bool mostly_delayed() const { return delays >= kManyDelays && delayed_ns >= kMostlyDelayed * answers_ns; }
};

double life_of(const model::Thread& thread) {
  return real(model::to_signed(thread.end_monotonic_ns)) - real(model::to_signed(thread.start_monotonic_ns));
}

Talk talk_of(const model::Process& process, std::uint32_t slot) {
  Talk out;
  for (const auto& row : process.tree.spreads) {
    if (row.slot != slot) continue;
    const auto what = model::wait_class_of(process, row.frame);
    if (what != log::WaitClass::Network && what != log::WaitClass::Poll) continue;
    const bool sending = is_one_of(process.names[process.tree.frames[row.frame].name].name, kSends);
    for (std::uint32_t i = 0; i < log::kSpreadClasses; ++i) {
      const double count = real(row.metric.count[i]);
      const double ns = (real(log::spread_floor(i)) + real(log::spread_floor(i + 1))) / 2;
      if (sending) out.sent += count;
      if (count <= 0 || ns < kAnswerNs) continue;
      out.answers_ns += count * ns;
      if (ns >= kDelayedFromNs) out.as_long += count;
      if (ns < kDelayedFromNs || ns > kDelayedToNs) continue;
      out.delayed_ns += count * ns;
      out.delays += count;
    }
  }
  return out;
}

// How many waits for peers took about 40 ms, and who sends in parts; 0: they are not most of what the thread waited
// for.
struct Delays {
  std::int64_t count = 0;
  ThreadOf sender;
};

// So long a receiver of Linux delays its acknowledgement (TCP_DELACK_MIN of the kernel's net/tcp.h), and a sender
// without TCP_NODELAY keeps a small part back until it has that of the part before (Nagle's algorithm, RFC 896).
// A peer of this run waits as long for the second part: then what the thread waits for is that and the answer. Or it is
// the peer that answers in parts, and then waits as long for the next request.
Delays delays_of(const Evidence& evidence, const ThreadOf& thread) {
  const Talk own = talk_of(evidence.run().processes[thread.process], thread.slot);
  const auto in_parts = [](const Talk& talk, double delays) { return talk.sent >= kPartsOfRequest * delays; };
  if (own.mostly_delayed() && in_parts(own, own.delays)) return {whole_number(own.delays), thread};
  double own_life = 0, delays = 0;
  for (const fold::ThreadWall& row : evidence.thread_walls())
    if (row.process == thread.process && row.thread->slot == thread.slot) own_life = life_of(*row.thread);
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    const ThreadOf other{row.process, row.thread->slot};
    if ((other.process == thread.process && other.slot == thread.slot) || row.thread->agent ||
        !runs_own_code(evidence, other.process, other.slot))
      continue;
    const Talk peer = talk_of(evidence.run().processes[other.process], other.slot);
    // Both wait while a part is kept back: who waits for what the thread computes meanwhile waits alone.
    const double both_ns = own.answers_ns + peer.answers_ns - std::min(own_life, life_of(*row.thread));
    const bool as_often = std::abs(own.as_long - peer.delays) <= kAnotherCount * peer.delays;
    if (!peer.mostly_delayed() || !as_often || both_ns < kMostlyDelayed * peer.delayed_ns) continue;
    if (own.mostly_delayed() && in_parts(peer, peer.delays)) return {whole_number(own.delays), other};
    delays += peer.delays;
  }
  if (own.mostly_delayed() || delays <= 0 || !in_parts(own, delays)) return {};
  return {whole_number(delays), thread};
}

// Own lines of the thread that send about as often as that, in the order of the file, two at most: the parts that
// should be one.
std::vector<Place> sending_places(const Evidence& evidence, const ThreadOf& thread, std::int64_t delays) {
  const auto sends = [&](std::uint32_t node) { return is_one_of(evidence.lines().function(node).name, kSends); };
  std::map<std::uint32_t, std::int64_t> by_line;
  for (const LineTime& time : line_times(evidence, thread)) {
    if (time.waits != log::WaitClass::Network || !sends(time.node)) continue;
    std::int64_t& calls = by_line[evidence.own_location(time.node)];
    calls = model::saturated_sum(calls, time.calls);
  }
  std::vector<Place> out;
  for (const auto& [location, calls] : by_line) {
    // Short calls are counted by samples.
    if (location != 0 && real(calls) >= kSendsForDelay * real(delays))
      out.push_back(place_of(evidence.symbols(), location));
  }
  std::sort(out.begin(), out.end(),
            [](const Place& a, const Place& b) { return std::tie(a.file, a.line) < std::tie(b.file, b.line); });
  constexpr std::size_t kParts = 2;
  if (out.size() == 1) add_next_part(evidence, out);
  if (out.size() > kParts) out.resize(kParts);
  return out;
}

}  // namespace
}  // namespace delayed_answers

namespace delayed_answers {
namespace {

// Whether the program sets TCP_NODELAY, by the files of its own code: then nothing is held back.
bool sends_at_once(const Evidence& evidence) {
  symbols::SourceFiles& files = evidence.sources();
  std::set<std::string> seen;
  for (std::uint32_t id = 0; id < evidence.symbols().function_count(); ++id) {
    const std::string& file = evidence.symbols().function(id).file;
    if (file.empty() || !evidence.own().function(id) || !seen.insert(file).second) continue;
    const std::vector<std::string>& lines = files.file(file).lines;
    if (std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
          return line.find("setsockopt") != std::string::npos && line.find("TCP_NODELAY") != std::string::npos;
        }))
      return true;
  }
  return false;
}

}  // namespace
}  // namespace delayed_answers

bool waits_as_long(const Evidence& evidence, const ThreadOf& thread) {
  return delayed_answers::talk_of(evidence.run().processes[thread.process], thread.slot).mostly_delayed();
}

bool is_kept_by_delays(const Evidence& evidence, const ThreadOf& thread) {
  return delayed_answers::delays_of(evidence, thread).count > 0 && !delayed_answers::sends_at_once(evidence);
}

std::int64_t tell_of_delays(Finding& finding, const Evidence& evidence, const ThreadOf& thread,
                            const std::string& all) {
  const delayed_answers::Delays delays = delayed_answers::delays_of(evidence, thread);
  if (delays.count == 0 || delayed_answers::sends_at_once(evidence)) return 0;
  finding.title = "Small parts are sent one after the other, and wait for each other";
  finding.seen = fmt::format(
      "The thread waited for peers for {}. {} about 40 ms of it went by, as long as a receiver delays its "
      "acknowledgement.",
      all, show::counted(delays.count, "time", "times"));
  finding.advice =
      "Send what belongs together in one piece (join it first, sendmsg, a buffered file), or set TCP_NODELAY: without, "
      "the second "
      "small part waits until the first one is acknowledged (Nagle's algorithm).";
  std::vector<Place> places = delayed_answers::sending_places(evidence, delays.sender, delays.count);
  for (Place& place : finding.places) {
    if (places.size() < 3 && std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(std::move(place));
  }
  finding.places = std::move(places);
  const bool of_peer = delays.sender.process != thread.process || delays.sender.slot != thread.slot;
  return of_peer ? whole_number(real(delays.count) * kDelayNs) : 0;
}

}  // namespace prof::findings
