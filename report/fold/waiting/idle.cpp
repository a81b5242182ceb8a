#include "report/fold/waiting/idle.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "report/fold/function_match.hpp"
#include "report/fold/waiting/vm_waits.hpp"
#include "report/model/process.hpp"

namespace prof::fold {
namespace {

// What only waits on behalf of its caller.
constexpr FunctionAt kWaiters[] = {{"/threading.py", "wait"},
                                   {"/threading.py", "wait_for"},
                                   {"/threading.py", "acquire"},
                                   {"/threading.py", "__enter__"},
                                   {"/threading.py", "join"},
                                   {"/threading.py", "_wait_for_tstate_lock"},
                                   {"/selectors.py", ""},
                                   {"/multiprocessing/connection.py", ""},
                                   {"/multiprocessing/synchronize.py", ""},
                                   {"/socket.py", ""}};
constexpr FunctionAt kQueues[] = {{"/queue.py", "get"}, {"/multiprocessing/queues.py", "get"}};
// Who waits here waits for threads and processes of its own: what these do is what counts.
constexpr FunctionAt kJoins[] = {{"/threading.py", "join"},
                                 {"/concurrent/futures/_base.py", "result"},
                                 {"/concurrent/futures/_base.py", "exception"},
                                 {"/concurrent/futures/_base.py", "wait"},
                                 {"/concurrent/futures/_base.py", "as_completed"},
                                 {"/concurrent/futures/_base.py", "result_iterator"},
                                 {"/concurrent/futures/thread.py", "shutdown"},
                                 {"/concurrent/futures/process.py", "shutdown"},
                                 {"/multiprocessing/pool.py", "wait"},
                                 {"/multiprocessing/pool.py", "get"},
                                 {"/multiprocessing/pool.py", "next"},
                                 {"/multiprocessing/pool.py", "join"},
                                 {"/multiprocessing/process.py", "join"}};
constexpr std::string_view kNativeJoins[] = {"pthread_join", "pthread_timedjoin", "pthread_clockjoin", "thrd_join"};
// The same in the C++ library: beginnings of functions.
constexpr std::string_view kNativeResults[] = {"std::__atomic_futex_unsigned_base::_M_futex_wait",
                                               "std::__basic_future", "std::future", "std::shared_future"};
// The outermost frames of threads, and of what ends them.
constexpr FunctionAt kThreadFrames[] = {{"/threading.py", "_bootstrap"},
                                        {"/threading.py", "run"},
                                        {"/threading.py", "_bootstrap_inner"},
                                        {"/multiprocessing/process.py", "_bootstrap"},
                                        {"/multiprocessing/spawn.py", "_main"}};

constexpr FunctionAt kWorkers[] = {{"/concurrent/futures/thread.py", "_worker"},
                                   {"/concurrent/futures/process.py", "_process_worker"},
                                   {"/concurrent/futures/process.py", "run"},
                                   {"/concurrent/futures/process.py", "wait_result_broken_or_wakeup"},
                                   {"/multiprocessing/pool.py", "worker"},
                                   {"/multiprocessing/pool.py", "_handle_tasks"},
                                   {"/multiprocessing/pool.py", "_handle_results"},
                                   {"/multiprocessing/pool.py", "_handle_workers"},
                                   {"/multiprocessing/pool.py", "_wait_for_updates"},
                                   {"/multiprocessing/queues.py", "_feed"},
                                   {"/multiprocessing/managers.py", "serve_client"},
                                   {"/multiprocessing/managers.py", "serve_forever"},
                                   {"/multiprocessing/managers.py", "accepter"},
                                   {"/multiprocessing/managers.py", "handle_request"},
                                   {"/multiprocessing/managers.py", "_handle_request"},
                                   {"/multiprocessing/resource_tracker.py", ""},
                                   {"/multiprocessing/resource_sharer.py", ""},
                                   {"/multiprocessing/forkserver.py", "main"},
                                   {"/socketserver.py", "serve_forever"},
                                   {"/http/server.py", "handle_one_request"},
                                   {"/wsgiref/simple_server.py", "handle"},
                                   {"/cheroot/server.py", "read_request_line"},
                                   {"/logging/handlers.py", "dequeue"},
                                   {"/logging/handlers.py", "_monitor"},
                                   {"/aiosqlite/core.py", ""},
                                   {"/gevent/threadpool.py", ""},
                                   {"/gevent/_threading.py", ""},
                                   {"/eventlet/tpool.py", ""},
                                   {"/tqdm/_monitor.py", ""},
                                   {"/gunicorn/arbiter.py", ""},
                                   {"/gunicorn/workers/sync.py", ""},
                                   {"/gunicorn/workers/gthread.py", ""},
                                   {"/waitress/wasyncore.py", ""},
                                   {"/waitress/task.py", ""},
                                   {"/kombu/asynchronous/hub.py", ""},
                                   {"/celery/concurrency/asynpool.py", ""},
                                   {"/billiard/pool.py", ""},
                                   {"/ipykernel/heartbeat.py", ""},
                                   {"/ipykernel/iostream.py", ""},
                                   {"/sentry_sdk/worker.py", ""},
                                   {"/torch/utils/data/_utils/worker.py", "_worker_loop"},
                                   {"/torch/utils/data/_utils/pin_memory.py", ""}};

constexpr FunctionAt kEventLoops[] = {{"/asyncio/base_events.py", "_run_once"},
                                      {"/tornado/ioloop.py", ""},
                                      {"/gevent/hub.py", ""},
                                      {"/eventlet/hubs/", ""},
                                      {"/twisted/internet/", ""}};

// Of a server's coroutines, those that wait for requests, for signals or for the next tick.
constexpr FunctionAt kServing[] = {{"/asyncio/base_events.py", ""},
                                   {"/asyncio/locks.py", ""},
                                   {"/asyncio/tasks.py", ""},
                                   {"/asyncio/queues.py", ""},
                                   {"/asyncio/runners.py", ""},
                                   {"/uvicorn/", ""},
                                   {"/hypercorn/", ""},
                                   {"/daphne/", ""},
                                   {"/aiohttp/web.py", ""},
                                   {"/websockets/", ""},
                                   {"/grpc/aio/_server.py", ""},
                                   {"/sanic/", ""},
                                   {"/ipykernel/", ""},
                                   {"/tornado/", ""}};

// Of native libraries: beginnings of functions.
constexpr std::string_view kNativeWorkers[] = {"uv__threadpool",
                                               "uv_cond_wait",
                                               "blas_thread_server",
                                               "gomp_",
                                               "__kmp_",
                                               "g_thread_pool",
                                               "g_async_queue",
                                               "g_main_loop_run",
                                               "g_main_context_",
                                               "rayon_core::",
                                               "tokio::runtime",
                                               "std::thread::park",
                                               "grpc_core::",
                                               "arrow::internal::",
                                               "tbb::",
                                               "jemalloc_bg",
                                               "background_thread_",
                                               "rd_kafka_",
                                               "v8::platform",
                                               "node::WorkerThreads",
                                               "WatcherThread::",
                                               "GCTaskThread::",
                                               "PosixSemaphore::wait",
                                               "CorUnix::CPalSynchronizationManager::WorkerThread",
                                               "CLRLifoSemaphore::Wait",
                                               "ThreadpoolMgr::TimerThreadFire",
                                               "ThreadpoolMgr::GateThreadStart",
                                               "FinalizerThread::WaitForFinalizerEvent",
                                               "System.Threading.LowLevelLifoSemaphore.Wait",
                                               "System.Threading.PortableThreadPool.GateThread",
                                               "System.Threading.TimerQueue.TimerThread",
                                               "System.Net.Sockets.SocketAsyncEngine.EventLoop"};
constexpr std::string_view kNativeLoops[] = {"uv__io_poll", "uv_run", "aeApiPoll",
                                             "ngx_epoll",   "ev_run", "event_base_loop"};
constexpr std::string_view kThreadStarts[] = {"start_thread", "clone", "__clone", "thread_start"};
constexpr std::string_view kFutex = "syscall(futex)";
constexpr std::string_view kConditions[] = {"pthread_cond_", "cnd_"};

bool accepts(const symbols::Function& function) {
  return function.language == symbols::Language::Wait && (function.name == "accept" || function.name == "accept4");
}

bool accepts_any(const model::Process& process) {
  return std::any_of(process.tree.wait_totals.begin(), process.tree.wait_totals.end(), [&](const auto& row) {
    const std::uint32_t name = process.tree.frames[row.frame].name;
    return name != model::kNoName && process.names[name].name.starts_with("accept");
  });
}

// What a function says about a wait below it.
enum Sign : std::uint16_t {
  kPython = 1,
  kOfThread = 2,  // the frames that start a thread of Python
  kOfLoop = 4,    // of an event loop, Python's or another
  kOfJoin = 8,
  kOfQueue = 16,
  kOnlyWaits = 32,  // for its caller: of itself it says nothing
  kOfServer = 64,
  kOfWorker = 128,
  kStarts = 256,      // a thread, in native code
  kKept = 512,        // of Java and .NET: by a lock, a time, or the VM
  kOfRuntime = 1024,  // of .NET's, native
};

std::uint16_t signs_of(const symbols::Function& function) {
  if (function.language == symbols::Language::Python) {
    std::uint16_t out = kPython;
    if (is_any(function, kThreadFrames)) out |= kOfThread;
    if (is_any(function, kEventLoops)) out |= kOfLoop;
    if (is_any(function, kJoins)) out |= kOfJoin;
    if (is_any(function, kQueues)) out |= kOfQueue;
    if (is_any(function, kWaiters) || symbols::is_import_system(function)) out |= kOnlyWaits;
    if (is_any(function, kServing)) out |= kOfServer;
    if (is_any(function, kWorkers)) out |= kOfWorker;
    return out;
  }
  if (function.language != symbols::Language::Native) return 0;
  const std::string_view name = function.short_name.empty() ? function.name : function.short_name;
  std::uint16_t out = 0;
  if (begins_with_any(name, kThreadStarts)) out |= kStarts;
  if (begins_with_any(name, kNativeWorkers)) out |= kOfWorker;
  if (begins_with_any(name, kNativeLoops)) out |= kOfLoop;
  if (begins_with_any(name, kNativeResults) || joins_in_dotnet(function)) out |= kOfJoin;
  if (is_of_dotnet_runtime(function.module)) out |= kOfRuntime;
  if (takes_vm_lock(function) || sleeps_in_vm(function) || waits_for_java_vm(function)) out |= kKept;
  return out;
}

// Waits that only a signal ends: of servers for the end, of shells (`wait`) for their children.
bool awaits_signals(const symbols::Function& function) {
  constexpr std::string_view kCalls[] = {"pause", "sigsuspend", "sigwait", "sigwaitinfo"};
  return function.language == symbols::Language::Wait &&
         std::find(std::begin(kCalls), std::end(kCalls), function.name) != std::end(kCalls);
}

class Judge {
 public:
  explicit Judge(const CallTree& tree) : tree_(tree), signs_(tree.symbols().function_count(), kOpen) {
    for (std::uint32_t node = 1; node < tree.nodes().size() && !serves_; ++node) serves_ = accepts(tree.function(node));
    // A few short calls have no context.
    for (const model::Process& process : tree.own().run().processes) serves_ |= accepts_any(process);
  }

  bool idle(std::uint32_t node) {
    const symbols::Function& call = tree_.function(node);
    if (call.language != symbols::Language::Wait) return false;
    if (accepts(call) || awaits_signals(call) || begins_with_any(call.name, kNativeJoins)) return true;
    // A call that was not over when its process ended, of a thread that waited for work: model/open_calls.cpp.
    // An open() for as long is that of a pipe that somebody may come to.
    if (tree_.nodes()[node].parent == 0) return is_of(call, log::WaitClass::Lock) || call.name == "open";
    bool python = false, own = false, helper = false, queue = false, loop = false, worker = false, joins = false,
         event_loop = false, kept = false, runtime = false, others = false;
    std::optional<std::uint16_t> innermost;  // of Python, that does not only wait for its caller
    for (std::uint32_t at = tree_.nodes()[node].parent; at != 0; at = tree_.nodes()[at].parent) {
      const std::uint16_t signs = signs_at(at);
      own |= tree_.own().function(tree_.function_id(at));
      if ((signs & kPython) != 0) {
        python = true;
        if ((signs & kOfThread) != 0) {
          helper = true;
          continue;
        }
        event_loop |= (signs & kOfLoop) != 0;
        if (innermost) continue;
        if ((signs & kOfJoin) != 0) {
          joins = true;
        } else if ((signs & kOfQueue) != 0) {
          queue = true;
        } else if ((signs & kOnlyWaits) == 0) {
          innermost = signs;
        }
      } else {
        // Whoever starts a thread lies outside of all that it does.
        ((signs & kOfRuntime) != 0 ? runtime : others) |= (signs & kStarts) == 0;
      }
      if ((signs & kPython) == 0 && signs != 0) {
        helper |= (signs & kStarts) != 0;
        if (innermost) continue;
        worker |= (signs & kOfWorker) != 0;
        joins |= (signs & kOfJoin) != 0;
        kept |= (signs & kKept) != 0;
        loop |= (signs & kOfLoop) != 0;
      }
    }
    if (kept && own) return false;
    if (worker || (joins && !python)) return true;
    // A thread that .NET keeps for itself: what is not its own runtime's is the program's.
    if (runtime && !others && helper) return true;
    // One that a thread begins with is a library's own: nothing of the program's waits for it.
    if (loop) return serves_ || (helper && !python && !own);
    // Threads that a library keeps for itself wait for work, however they do.
    const bool sleeps = begins_with_any(call.name, kConditions) || (!own && call.name == kFutex);
    // A shell's for its command, where neither is one's own: what the command does is what counts.
    if (!python && !own && is_of(call, log::WaitClass::Child)) return true;
    if (!python) return helper ? sleeps : serves_ && is_of(call, log::WaitClass::Poll);
    if (!innermost || joins) return true;
    // What its main task awaits stands inside the loop, where that is known.
    if ((*innermost & kOfLoop) != 0) return serves_;
    if (event_loop && (*innermost & kOfServer) != 0) return serves_;
    return (*innermost & kOfWorker) != 0 || (queue && helper);
  }

 private:
  static bool is_of(const symbols::Function& call, log::WaitClass what) {
    return call.module == symbols::wait_module(log::kWaitClassNames[static_cast<std::size_t>(what)]);
  }

  std::uint16_t signs_at(std::uint32_t node) {
    std::uint16_t& known = signs_[tree_.function_id(node)];
    if (known == kOpen) known = signs_of(tree_.function(node));
    return known;
  }

  static constexpr std::uint16_t kOpen = UINT16_MAX;
  const CallTree& tree_;
  std::vector<std::uint16_t> signs_;  // by function
  bool serves_ = false;
};

}  // namespace

std::vector<bool> idle_waits(const CallTree& tree) {
  Judge judge(tree);
  std::vector<bool> out(tree.nodes().size(), false);
  for (std::uint32_t node = 1; node < out.size(); ++node) {
    if (!tree.self().wait[node].empty()) out[node] = judge.idle(node);
  }
  return out;
}

}  // namespace prof::fold
