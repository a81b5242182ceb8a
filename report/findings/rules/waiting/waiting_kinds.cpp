#include "report/findings/rules/waiting/waiting_kinds.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "report/findings/event_loop.hpp"
#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/fold/python/tasks.hpp"
#include "report/fold/waiting/holds.hpp"

namespace prof::findings::waiting {
namespace {

constexpr std::array<std::string_view, 6> kSyncs = {"fsync", "fdatasync", "msync", "sync_file_range", "sync", "syncfs"};

bool syncs(const symbols::Function& call) { return std::find(kSyncs.begin(), kSyncs.end(), call.name) != kSyncs.end(); }

bool in_wait_of_loop(const fold::CallTree& lines, std::uint32_t node) {
  while (node != 0 && !fold::is_wait_of_loop(lines, node)) node = lines.nodes()[node].parent;
  return node != 0;
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
    const bool known = !fold::is_wait_of_loop(lines, node) && !awaits_others(function) &&
                       !evidence.own().function(lines.function_id(node));
    return known ? &kAwaits : nullptr;
  }
  return nullptr;
}

}  // namespace

// What runs cells of notebooks does so in its loop, one after the other.
static bool runs_cells(const symbols::Function& function) {
  return function.language == symbols::Language::Python && function.file.find("/ipykernel/") != std::string::npos;
}

const Kind* kind_of(const Evidence& evidence, const LineTime& time, const Beside& beside) {
  const fold::CallTree& lines = evidence.lines();
  if (in_wait_of_loop(lines, time.node)) return awaited_at(evidence, time.node);
  if (below(lines, time.node, runs_callbacks) && below(lines, time.node, transports)) return nullptr;
  const bool long_calls = time.waited_ns >= kBlocksTheLoopNs * std::max<std::int64_t>(1, time.calls);
  if (!beside.alone && below(lines, time.node, runs_callbacks) && !below(lines, time.node, runs_cells))
    return long_calls ? &kLoop : nullptr;
  if (!beside.alone && beside.greenlets && fold::task_of(lines, time.node) != nullptr && long_calls &&
      !below(lines, time.node, is_of_hub))
    return &kHub;
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

const Kind kSync{&kSyncWritesRule, "Writes wait until they are on the disk",
                 "waited for the disk (fsync, and what a commit does beside it)",
                 "Sync once for many writes: one transaction or one fsync() for a batch, not for each row."};
const Kind kLoop{&kEventLoopRule, "The event loop is blocked",
                 "blocked the event loop, so that no other task could run",
                 "Await instead (asyncio.sleep, an asynchronous client), or run what blocks in a thread: await "
                 "asyncio.to_thread(...)."};
const Kind kHub{&kEventLoopRule, "The event loop is blocked", "blocked the hub, so that no other greenlet could run",
                "Let the hub wait: gevent.sleep(), or monkey.patch_all() before everything else is imported. What it "
                "cannot patch (drivers in C) runs in its threads: gevent.get_hub().threadpool.apply(...); "
                "eventlet.tpool.execute(...)."};
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
static constexpr OfShortCalls kManyFileCalls{
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

}  // namespace prof::findings::waiting
