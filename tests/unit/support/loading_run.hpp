// A training loop and the processes that load its data, as a log of each has them.
#pragma once

#include <string>
#include <vector>

#include "report/fold/training/loading_data.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/loaded_run.hpp"

namespace prof::test {

// A process that trains for 10 s, and what loads for it. Times in ms.
struct Plan {
  struct Worker {
    std::uint64_t cpu = 0, file = 0, idle = 0, sending = 0, queued = 0;
  };
  std::uint64_t computing = 2'000, waiting = 8'000, waiting_cpu = 10;
  std::vector<Worker> workers{};
  const char* cpus = "allowed=4";
  bool pins = false;
  std::uint64_t queued = 0;  // of the loop's thread
};

class LoadingRun : public LoadedRun {
 public:
  explicit LoadingRun(const Plan& plan) {
    write_trainer(plan);
    for (std::size_t i = 0; i < plan.workers.size(); ++i) {
      write_worker(static_cast<std::uint32_t>(i), plan.workers[i], plan.cpus);
    }
    load();
  }

  fold::Loader loader() const {
    const auto all = fold::loaders(run, symbols, selection);
    REQUIRE(all.size() == 1);
    return all.front();
  }

 private:
  static constexpr std::uint64_t kMs = 1'000'000, kSecond = 1'000 * kMs;

  static std::uint32_t code(LogBuilder& log, const char* name, const char* file) {
    return log.python(log.code(name, name, file, 1, "", log::CodeKind::Code, 11), 0);
  }
  static void wait(LogBuilder& log, std::uint32_t above, const char* function, const char* what, std::uint64_t ms,
                   std::uint32_t slot = 0) {
    const auto node = log.node(above, log.named(log::NameKind::Wait, function, what));
    log.record(log::RecordClass::Wait, node, log::WaitWords{log::kCountUnit, ms * kMs, 1}, slot);
  }
  static void cpu(LogBuilder& log, std::uint32_t node, std::uint64_t ms, std::uint32_t slot = 0) {
    log.cpu(node, ms / 10 + 1, ms * kMs, slot);
  }
  static void use(LogBuilder& log, std::uint64_t queued) {
    log::ThreadUseRecord record{};
    record.known = log::kKnowsRunQueue;
    record.noted_ns = 5;
    record.run_queue_ns = queued * kMs;
    ByteVector content;
    append(content, record);
    log.chunk(log::ChunkType::ThreadUse, content);
  }
  static void begin(LogBuilder& log, std::uint32_t pid, const char* cpus) {
    log.header.pid = pid;
    log.header.log_id = pid;
    log.header.end_monotonic_ns = log.header.last_monotonic_ns = log.header.start_monotonic_ns + 10 * kSecond;
    log.info(log::InfoKey::Options, "PROF_WAIT=on");
    log.info(log::InfoKey::Argv, std::string("python3\0train.py", 16));
    log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames");
    if (cpus[0] != '\0') log.info(log::InfoKey::Cpus, cpus);
    log.thread(0).flags = log::kThreadMain;
  }

  void write_trainer(const Plan& plan) {
    constexpr const char* kLoader = "/usr/lib/python3/dist-packages/torch/utils/data/dataloader.py";
    LogBuilder log;
    begin(log, 100, plan.cpus);
    log.header.cpu_ns = (plan.computing + plan.waiting_cpu) * kMs;
    const auto module = log.node(0, code(log, "<module>", "/app/train.py"));
    const auto import = log.node(module, code(log, "_load_unlocked", "<frozen importlib._bootstrap>"));
    cpu(log, import, 1'000);  // no part of the loop
    const auto train = log.node(module, code(log, "train", "/app/train.py"));
    cpu(log, train, plan.computing);
    // The program's code calls the loader by way of a progress bar of somebody else's.
    const auto bar = log.node(train, code(log, "tqdm.__iter__", "/usr/lib/python3/dist-packages/tqdm/std.py"));
    const auto start = log.node(train, code(log, "DataLoader.__iter__", kLoader));
    wait(log, start, "read", "pipe", 30);
    const auto next = log.node(bar, code(log, "_BaseDataLoaderIter.__next__", kLoader));
    const auto data = log.node(next, code(log, "_MultiProcessingDataLoaderIter._next_data", kLoader));
    cpu(log, data, plan.waiting_cpu);
    wait(log, data, "poll", "poll", plan.waiting - plan.waiting_cpu);
    // What other threads wait for is not the loop's.
    log.thread(1);
    wait(log, module, "pthread_cond_wait", "lock", 9'000, 1);
    if (plan.pins) {
      constexpr const char* kPin = "/usr/lib/python3/dist-packages/torch/utils/data/_utils/pin_memory.py";
      log.thread(2);
      const auto pin = log.node(0, code(log, "_pin_memory_loop", kPin));
      cpu(log, pin, 300, 2);
      wait(log, log.node(pin, code(log, "Queue.get", "/usr/lib/python3.11/multiprocessing/queues.py")), "poll", "poll",
           9'000, 2);
    }
    use(log, plan.queued);
    log.write(directory() / "100.1.proflog");
  }

  void write_worker(std::uint32_t number, const Plan::Worker& worker, const char* cpus) {
    constexpr const char* kQueues = "/usr/lib/python3.11/multiprocessing/queues.py";
    LogBuilder log;
    begin(log, 101 + number, cpus);
    log.header.ppid = 100;
    log.header.parent_log_id = 100;
    log.header.origin = log::Origin::Forked;
    log.header.start_realtime_ns += 1 + number;
    log.header.cpu_ns = worker.cpu * kMs;
    // The worker's stack begins with that of the loop which forked it.
    const auto train =
        log.node(log.node(0, code(log, "<module>", "/app/train.py")), code(log, "train", "/app/train.py"));
    const auto above = log.node(
        train, code(log, "DataLoader.__iter__", "/usr/lib/python3/dist-packages/torch/utils/data/dataloader.py"));
    const auto loop =
        log.node(above, code(log, "_worker_loop", "/usr/lib/python3/dist-packages/torch/utils/data/_utils/worker.py"));
    const auto fetch = log.node(loop, code(log, "Images.__getitem__", "/app/train.py"));
    cpu(log, fetch, worker.cpu);
    wait(log, fetch, "read", "file", worker.file);
    wait(log, log.node(loop, code(log, "Queue.get", kQueues)), "poll", "poll", worker.idle);
    log.thread(1);
    const auto feed = log.node(0, code(log, "Queue._feed", kQueues));
    wait(log, feed, "write", "pipe", worker.sending, 1);
    wait(log, log.node(feed, code(log, "Condition.wait", "/usr/lib/python3.11/threading.py")), "sem_wait", "lock",
         9'000, 1);
    const auto files = log.node(0, log.special(log::SpecialFrame::Files));
    log::FileWords words{};
    words.reads = words.slow_reads = 10;
    words.read_bytes = 1 << 20;
    words.read_ns = words.slow_read_ns = worker.file * kMs;
    log.record(log::RecordClass::File, log.node(files, log.named(log::NameKind::File, "/data/images", "files")), words);
    use(log, worker.queued);
    log.write(directory() / (std::to_string(101 + number) + ".1.proflog"));
  }
};

}  // namespace prof::test
