// The program's thread waits at one of its own lines: for a disk, for the network, in sleep, for a child.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/delayed_answers.hpp"
#include "report/findings/event_loop.hpp"
#include "report/findings/peers.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/process_tree.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

// Half of what makes a turn of a loop a long one.
constexpr auto kLongCallNs = static_cast<std::int64_t>(log::kHoldLeast / 2);

constexpr std::array<std::string_view, 6> kSyncs = {"fsync", "fdatasync", "msync", "sync_file_range", "sync", "syncfs"};

bool syncs(const symbols::Function& call) { return std::find(kSyncs.begin(), kSyncs.end(), call.name) != kSyncs.end(); }

bool runs_loop(const symbols::Function& function) {
  return function.language == symbols::Language::Python && function.file.find("/asyncio/") != std::string::npos;
}

// What asyncio itself reads and writes by sockets that do not block.
bool transports(const symbols::Function& function) {
  return function.language == symbols::Language::Python && function.file.ends_with("/asyncio/selector_events.py");
}

// What a database reads of its own file, it reads for a query: its pages are no calls that could be fewer.
bool of_database(const symbols::Function& function) { return function.module.find("/libsqlite3") != std::string::npos; }

// Short ones are what the data costs, and none that could be left out: small-reads is about those of few bytes.
bool reads(const symbols::Function& call) {
  constexpr std::array<std::string_view, 8> kReads = {"read",  "pread", "pread64", "readv",
                                                      "fread", "fgets", "getc",    "getline"};
  return std::find(kReads.begin(), kReads.end(), call.name) != kReads.end();
}

bool in_file(const symbols::Function& function, std::string_view part) {
  return function.language == symbols::Language::Python && function.file.find(part) != std::string::npos;
}
// Who waits there for descriptors waits for a child, or for what another process sends.
bool starts_processes(const symbols::Function& function) { return in_file(function, "/subprocess.py"); }
bool shares_work(const symbols::Function& function) { return in_file(function, "/multiprocessing/"); }

// What to say where the calls are so short that the system's own work for them is what takes the time.
struct OfShortCalls {
  const char *title, *what, *advice;
};

struct Kind {
  const Rule* rule;
  const char* title;
  const char* what;  // behind "7 calls"
  const char* advice;
  std::int64_t least_calls = 1;  // fewer are no fault
  const OfShortCalls* of_short = nullptr;
};

extern const Kind kSync, kLoop, kAwaits, kNetwork, kSleep, kAsyncSleep, kChild, kFile, kPipe;

// Where a coroutine waits for others of the program, or for a time, and not for a peer.
bool awaits_others(const symbols::Function& function) {
  static constexpr fold::FunctionAt kOthers[] = {
      {"/asyncio/tasks.py", ""},     {"/asyncio/taskgroups.py", ""}, {"/asyncio/locks.py", ""},
      {"/asyncio/queues.py", ""},    {"/asyncio/futures.py", ""},    {"/asyncio/runners.py", ""},
      {"/asyncio/staggered.py", ""}, {"/asyncio/timeouts.py", ""},   {"/asyncio/base_events.py", "serve_forever"}};
  return fold::is_any(function, kOthers);
}

bool sleeps_in_loop(const symbols::Function& function) {
  return function.language == symbols::Language::Python && function.file.ends_with("/asyncio/tasks.py") &&
         function.name == "sleep";
}

// What a loop waits for, by the coroutine that its main task awaits: the innermost function of Python.
const Kind* awaited_at(const Evidence& evidence, std::uint32_t node) {
  const fold::CallTree& lines = evidence.lines();
  for (; node != 0; node = lines.nodes()[node].parent) {
    const symbols::Function& function = lines.function(node);
    if (function.language != symbols::Language::Python) continue;
    if (sleeps_in_loop(function)) return &kAsyncSleep;
    // Its own functions: what it waits for is not known. A line of one's own awaits many at once (gather), or a thread.
    const bool known =
        !selects(function) && !awaits_others(function) && !evidence.own().function(lines.function_id(node));
    return known ? &kAwaits : nullptr;
  }
  return nullptr;
}

// `alone`: what runs in the loop holds up nobody, and is as if it ran without one.
const Kind* kind_of(const Evidence& evidence, const LineTime& time, bool alone) {
  const fold::CallTree& lines = evidence.lines();
  if (below(lines, time.node, selects) && below(lines, time.node, runs_loop)) return awaited_at(evidence, time.node);
  if (below(lines, time.node, runs_callbacks) && below(lines, time.node, transports)) return nullptr;
  if (!alone && below(lines, time.node, runs_callbacks))
    return time.waited_ns >= kBlocksTheLoopNs * std::max<std::int64_t>(1, time.calls) ? &kLoop : nullptr;
  if (syncs(lines.function(time.node))) return &kSync;
  if (below(lines, time.node, starts_processes)) return &kChild;
  if (*time.waits != log::WaitClass::Lock && below(lines, time.node, shares_work)) return &kPipe;
  switch (*time.waits) {
    case log::WaitClass::Network:
    case log::WaitClass::Poll:
      return &kNetwork;
    case log::WaitClass::Sleep:
      return &kSleep;
    case log::WaitClass::Child:
      return &kChild;
    case log::WaitClass::File:
      if (below(lines, time.node, of_database)) return nullptr;
      if (reads(lines.function(time.node)) && time.waited_ns < kShortCallNs * time.calls) return nullptr;
      return &kFile;
    case log::WaitClass::Pipe:
      return &kPipe;
    default:
      return nullptr;
  }
}

struct Sum {
  std::int64_t ns = 0, calls = 0;
  std::int64_t polled_ns = 0;    // of ns
  std::int64_t gathered_ns = 0;  // of ns: in tasks that were gathered
  std::int64_t peers_ns = 0;     // of ns: may have been for peers
  TimeByPlace lines;
  std::map<std::string, std::int64_t> tasks{};  // of ns, by the name of the task that blocked the loop
  // Of these, calls that make a turn of the loop a long one, and all lines.
  std::int64_t long_calls = 0;
  std::set<std::uint32_t> locations{};
};

// The one that blocked it longest; the end where none is known.
std::map<std::string, std::int64_t>::const_iterator most_in(const Sum& sum) {
  return std::max_element(sum.tasks.begin(), sum.tasks.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
}

// Whether nearly all that blocked the loop was one of several kinds of tasks: then it may be one task, whose calls come
// one after the other, and nothing tells how many of the tasks that are gathered do the like. The main task is one of
// them.
bool one_of_several_tasks(const Evidence& evidence, const ThreadOf& program, const Sum& sum) {
  constexpr std::size_t kSeveral = 3;
  constexpr double kNearlyAll = 0.9;
  const auto most = most_in(sum);
  if (most == sum.tasks.end() || most->first.empty() || real(most->second) < kNearlyAll * real(sum.ns)) return false;
  return tasks_of(evidence, program).size() >= kSeveral;
}

const char* cannot(const Evidence& evidence) {
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

// Lines that do little else than such calls, of the disk or for files: what they compute for them goes with them.
std::set<std::uint32_t> whole_lines(const Evidence& evidence, const ThreadOf& program, const Kind& kind, bool alone) {
  std::set<std::uint32_t> out;
  if (&kind != &kSync && &kind != &kFile) return out;
  std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> by_line;  // in such calls, and in all
  for (const LineTime& time : line_times(evidence, program)) {
    auto& [in_calls, all] = by_line[evidence.own_location(time.node)];
    const std::int64_t ns = model::saturated_sum(time.cpu_ns, time.blocked_ns);
    all = model::saturated_sum(all, ns);
    if (time.waits && kind_of(evidence, time, alone) == &kind)
      in_calls = model::saturated_sum(in_calls, time.waited_ns);
  }
  for (const auto& [line, sums] : by_line) {
    if (line != 0 && sums.first > sums.second / 2) out.insert(line);
  }
  return out;
}

// Lines that send or receive, too: what they poll for comes from a peer, as behind a socket that has a time-out.
std::set<std::uint32_t> conversing_lines(const Evidence& evidence, const ThreadOf& program) {
  std::set<std::uint32_t> out;
  for (const LineTime& time : line_times(evidence, program)) {
    if (time.waits == log::WaitClass::Network) out.insert(evidence.own_location(time.node));
  }
  out.erase(0);
  return out;
}

// Whether the thread hardly ever gave its processor up: what it waited in calls it waited for others that were at work.
bool never_blocked(const Evidence& evidence, const ThreadOf& thread, std::int64_t calls) {
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (row.process != thread.process || row.thread->slot != thread.slot) continue;
    const std::optional<std::int64_t>& gave_up = row.thread->use.voluntary_switches;
    return gave_up && static_cast<double>(*gave_up) < kGivesUp * static_cast<double>(calls);
  }
  return false;
}

// What is done while the thread sleeps: what it does not wait for elsewhere.
std::int64_t work_meanwhile(const Evidence& evidence, const ThreadOf& thread) {
  std::int64_t work = work_beside(evidence, thread);
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    if (row.process != thread.process || row.thread->slot != thread.slot) continue;
    work -= model::saturated_sum(row.split.of(log::WaitClass::Lock), row.split.of(log::WaitClass::Child));
  }
  return std::max<std::int64_t>(0, work);
}

// Of the waiting for peers, what those of the run computed: it takes as long, whoever asks and however.
std::int64_t waited_for_work(const Evidence& evidence, const ThreadOf& thread, const Kind& kind, const Sum& sum) {
  if (sum.peers_ns <= 0) return 0;
  const PeersInRun peers = peers_in_run(evidence, thread);
  // A loop waits for all its sockets in one call, which is of none of them.
  const std::int64_t most = &kind == &kAwaits ? sum.peers_ns : std::min(sum.peers_ns, peers.talk_ns);
  return std::min(peers.work_ns, most);
}

// Where it is acknowledgements that the thread waits for, the finding is about those who send in parts.
void tell_of_delays(Finding& finding, const Evidence& evidence, const ThreadOf& thread, const std::string& all) {
  const std::int64_t delays = waits_for_acknowledgements(evidence.run().processes[thread.process], thread);
  if (delays == 0) return;
  finding.title = "Small parts are sent one after the other, and wait for each other";
  finding.seen = fmt::format(
      "The thread waited for peers for {}, most of it in {} of about 40 ms each: so long a receiver delays its "
      "acknowledgement.",
      all, show::counted(delays, "call", "calls"));
  finding.advice =
      "Send a request in one piece (join it first, sendmsg, a buffered file), or set TCP_NODELAY: without, the second "
      "small part waits until the first one is acknowledged (Nagle's algorithm).";
  std::vector<Place> places = sending_places(evidence, thread, delays);
  for (Place& place : finding.places) {
    if (places.size() < 3 && std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(std::move(place));
  }
  finding.places = std::move(places);
}

std::vector<Finding> look_for(const Evidence& evidence, const Kind& kind) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  Sum sum{0, 0, 0, 0, 0, TimeByPlace(evidence)};
  symbols::SourceFiles files(evidence.run());
  const bool of_loop = &kind == &kAwaits || &kind == &kAsyncSleep, sleeps = &kind == &kSleep || &kind == &kAsyncSleep;
  if (of_loop && runs_other_tasks(evidence, *program)) return {};
  if (&kind == &kNetwork && !asks_peers(evidence, program->process)) return {};
  const double queue = queue_factor(evidence, *program);
  const bool alone = !others_wait(evidence, *program);
  const std::set<std::uint32_t> whole = whole_lines(evidence, *program, kind, alone),
                                conversing = conversing_lines(evidence, *program);
  for (const LineTime& time : line_times(evidence, *program)) {
    const std::uint32_t line = evidence.own_location(time.node);
    const bool of_line = line != 0 && whole.contains(line);
    if (!of_line && (time.waited_ns <= 0 || !time.waits || kind_of(evidence, time, alone) != &kind)) continue;
    // What computes in a call waits for a processor as well. Samples in calls are CPU time of their line, too.
    const std::int64_t cpu_ns = of_line ? time.cpu_ns : time.waited_ns - time.blocked_ns;
    const auto ns = static_cast<std::int64_t>(static_cast<double>(time.blocked_ns) +
                                              queue * static_cast<double>(std::max<std::int64_t>(0, cpu_ns)));
    if (!sum.lines.add(time.node, ns)) continue;
    sum.ns = model::saturated_sum(sum.ns, ns);
    if (&kind == &kAwaits || time.waits == log::WaitClass::Network || time.waits == log::WaitClass::Poll)
      sum.peers_ns = model::saturated_sum(sum.peers_ns, ns);
    if (&kind == &kLoop) {
      std::int64_t& of_task = sum.tasks[name_of_task(evidence.lines(), time.node)];
      of_task = model::saturated_sum(of_task, ns);
      sum.locations.insert(line);
      if (time.waited_ns >= time.calls * kLongCallNs) sum.long_calls = model::saturated_sum(sum.long_calls, time.calls);
    }
    if (&kind == &kLoop || (of_loop && gathers(evidence, files, time.node)))
      sum.gathered_ns = model::saturated_sum(sum.gathered_ns, ns);
    if (!time.waits || kind_of(evidence, time, alone) != &kind) continue;
    sum.calls = model::saturated_sum(sum.calls, time.calls);
    if (time.waits == log::WaitClass::Poll && !conversing.contains(line))
      sum.polled_ns = model::saturated_sum(sum.polled_ns, ns);
  }
  const double share = share_of_life(evidence, *program, sum.ns);
  // What is done at once takes as long as one part of it.
  const bool one_task = &kind == &kLoop && one_of_several_tasks(evidence, *program, sum) &&
                        !several_in_a_turn(evidence, sum.locations, sum.long_calls);
  const std::int64_t at_once = one_task ? 0 : gathered_at_once(evidence, *program);
  // What one task waits for is waited for in any case; others can do their work meanwhile, and there is no more of it.
  const std::int64_t life_ns = model::to_signed(evidence.run().processes[program->process].wall_ns()),
                     others_ns = std::max<std::int64_t>(0, life_ns - sum.ns);
  const std::int64_t left_ns = one_task      ? std::max<std::int64_t>(0, sum.ns - others_ns)
                               : at_once > 1 ? sum.gathered_ns / at_once
                                             : 0;
  std::int64_t work_ns = sleeps ? work_meanwhile(evidence, *program) : 0;
  if (&kind == &kNetwork || &kind == &kAwaits || &kind == &kLoop)
    work_ns = waited_for_work(evidence, *program, kind, sum);
  const bool of_work = work_ns > left_ns;
  std::int64_t to_save_ns = sum.ns - std::clamp<std::int64_t>(work_ns, left_ns, sum.ns);
  // Children are done sooner when nobody records them.
  const std::int64_t recording_ns =
      &kind == &kChild ? std::min(to_save_ns, profiling_children_ns(evidence, program->process)) : 0;
  to_save_ns -= recording_ns;
  const double to_save = share_of_life(evidence, *program, to_save_ns);
  if (to_save < kWaitingLine || to_save_ns < kLeastWaitNs || sum.calls < kind.least_calls) return {};
  // A program that does nothing else has nothing to do, and where it polls it may be that nobody sends.
  if ((sleeps || (&kind == &kNetwork && sum.polled_ns > sum.ns / 2)) &&
      static_cast<double>(evidence.run().cpu_ns) < kAtWork * static_cast<double>(evidence.run().wall_ns)) {
    return {};
  }
  Finding finding;
  finding.rule = kind.rule->name;
  const std::int64_t calls = std::max<std::int64_t>(1, sum.calls);
  const bool short_calls = kind.of_short != nullptr && sum.ns / calls < kShortCallNs;
  if (&kind == &kFile && !short_calls && never_blocked(evidence, *program, calls)) return {};
  finding.title = short_calls ? kind.of_short->title : kind.title;
  const std::string all = fmt::format("{} in all ({} % of the run's time)", show::duration(static_cast<double>(sum.ns)),
                                      show::percent(share, 1));
  // A loop looks often while it waits for one answer: how many there were nobody counted.
  finding.seen = of_loop ? fmt::format("These lines {}, one at a time: {}.", kind.what, all)
                         : fmt::format("{} {}, {}, {} each on average.", show::counted(calls, "call", "calls"),
                                       short_calls ? kind.of_short->what : kind.what, all,
                                       show::duration(static_cast<double>(sum.ns) / static_cast<double>(calls)));
  const auto most = most_in(sum);
  if (most != sum.tasks.end() && !most->first.empty())
    finding.seen += fmt::format(" {} of it in the task {}.", show::duration(real(most->second)), most->first);
  if (of_work && !sleeps && to_save_ns < sum.ns) {
    if (real(sum.ns - to_save_ns) >= kWorthSaying * real(sum.ns))
      finding.seen += fmt::format(" For {} of it the peers, which are of this run, were at work.",
                                  show::duration(real(sum.ns - to_save_ns)));
  } else if (one_task) {
    if (left_ns > 0)
      finding.seen +=
          fmt::format(" All else took {}: no more than that can be done meanwhile.", show::duration(real(others_ns)));
  } else if (left_ns > 0) {
    finding.seen +=
        fmt::format(" asyncio.gather() waits for {} tasks: {} would be left with all of them at once, if all do this.",
                    show::grouped(at_once), show::duration(real(left_ns)));
  } else if (recording_ns > 0) {
    if (of_wall(evidence, recording_ns) >= kWorthSaying)
      finding.seen += fmt::format(" {} of that is what recording them took.", show::duration(real(recording_ns)));
  } else if (to_save_ns < sum.ns) {
    finding.seen += fmt::format(" Other threads or processes of the program were at work for {} meanwhile.",
                                show::duration(static_cast<double>(sum.ns - to_save_ns)));
  }
  finding.advice = short_calls ? kind.of_short->advice : kind.advice;
  finding.places = sum.lines.top();
  if (&kind == &kNetwork) tell_of_delays(finding, evidence, *program, all);
  finding.general = &kind != &kSync && &kind != &kLoop && !of_loop;
  could_save(finding, evidence, to_save);
  return {finding};
}

template <const Kind& kind>
std::vector<Finding> look(const Evidence& evidence) {
  return look_for(evidence, kind);
}

std::vector<Finding> look_for_sleeps(const Evidence& evidence) {
  std::vector<Finding> found = look_for(evidence, kSleep);
  for (Finding& finding : look_for(evidence, kAsyncSleep)) found.push_back(std::move(finding));
  return found;
}

const Kind kSync{&kSyncWritesRule, "Writes wait until they are on the disk", "waited for the disk (fsync)",
                 "Sync once for many writes: one transaction or one fsync() for a batch, not for each row."};
const Kind kLoop{&kEventLoopRule, "The event loop is blocked",
                 "blocked the event loop, so that no other task could run",
                 "Await instead (asyncio.sleep, an asynchronous client), or run what blocks in a thread: await "
                 "asyncio.to_thread(...)."};
const Kind kAwaits{
    &kAwaitsRule, "The program awaits its peers one after the other", "awaited answers",
    "Await many at once: asyncio.gather() or a TaskGroup, with a Semaphore where the peer must not be asked "
    "for too many; hold no asyncio.Lock while you await; keep connections open; ask for many things in one request.",
    kManyAwaits};
const Kind kNetwork{&kNetworkRule, "The program waits for the network", "waited for a peer",
                    "Ask for many things at once (a batch, a join, a bulk endpoint), ask at the same time (threads, "
                    "asyncio.gather), keep the connection, or keep the answers."};
const Kind kSleep{&kSleepRule, "The program sleeps", "slept",
                  "Wait for the event itself (a condition, a queue, select, a longer poll of the server) in place of "
                  "sleeping and looking again.",
                  kManySleeps};
const Kind kAsyncSleep{&kSleepRule, "Coroutines sleep one after the other", "awaited asyncio.sleep()",
                       "Let them sleep at the same time: asyncio.gather() or a TaskGroup, and no asyncio.Lock held "
                       "meanwhile. Who sleeps to "
                       "look again should await the event itself (asyncio.Event, a Queue).",
                       kManySleeps};
const Kind kChild{
    &kChildRule, "The program waits for its child processes", "waited for a child",
    "Start fewer: one process for many jobs, a library in place of a command; or let several run at once.",
    kManyChildren};
constexpr OfShortCalls kManyFileCalls{
    "The program asks the system about files again and again", "for files",
    "Make fewer calls: keep files open, buffer what is written, ask once and keep the answer (os.scandir in place of "
    "listdir and stat), skip what has not changed."};
const Kind kFile{
    &kFileWaitRule,
    "The program waits for files",
    "waited for a file",
    "Read and write larger parts, in order, or from a thread ahead of the work; keep what is needed again.",
    1,
    &kManyFileCalls};
const Kind kPipe{&kPipeRule, "The program waits at a pipe", "waited at a pipe",
                 "The other end is the slower one, or is asked for one thing at a time: send more at once, or let it "
                 "work while this process does."};

}  // namespace

const Rule kSyncWritesRule{"synced-writes", "writes that wait for the disk", cannot, look<kSync>};
const Rule kEventLoopRule{"event-loop-blocked", "calls that block an event loop", cannot, look<kLoop>};
const Rule kAwaitsRule{"awaits-in-turn", "awaits of peers one after the other", cannot, look<kAwaits>};
const Rule kNetworkRule{"network-waits", "waiting for the network", cannot, look<kNetwork>};
const Rule kSleepRule{"sleeping", "sleeping", cannot, look_for_sleeps};
const Rule kChildRule{"waiting-for-children", "waiting for child processes", cannot, look<kChild>};
const Rule kFileWaitRule{"waiting-for-files", "waiting for files", cannot, look<kFile>};
const Rule kPipeRule{"waiting-at-pipes", "waiting at pipes", cannot, look<kPipe>};

}  // namespace prof::findings
