#include <algorithm>
#include <string>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/rules/look.hpp"
#include "report/fold/training/loading_cause.hpp"
#include "report/fold/training/loading_data.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/json.hpp"
#include "report/formats/json_value.hpp"
#include "report/show/table.hpp"
#include "report/show/training/loading_text.hpp"
#include "report/summary/summary.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/loaded_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using fold::Loader;
using test::cell;
using test::LogBuilder;
using Cause = Loader::Cause;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMs;

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

class LoadingRun : public test::LoadedRun {
 public:
  explicit LoadingRun(const Plan& plan) {
    write_trainer(plan);
    for (std::size_t i = 0; i < plan.workers.size(); ++i) {
      write_worker(static_cast<std::uint32_t>(i), plan.workers[i], plan.cpus);
    }
    load();
  }

  Loader loader() const {
    const auto all = fold::loaders(run, symbols, selection);
    REQUIRE(all.size() == 1);
    return all.front();
  }

 private:
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
    test::ByteVector content;
    test::append(content, record);
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

}  // namespace

TEST_CASE("data loading: the loop's time, its waiting, and each worker's", "[fold]") {
  const LoadingRun run(
      {.workers = {{.cpu = 1'000, .file = 8'500, .idle = 300, .sending = 50}, {.cpu = 900}}, .pins = true});
  const Loader loader = run.loader();
  CHECK(loader.kind == Loader::Kind::Torch);
  CHECK(run.symbols.function(run.symbols.location(loader.location).function).name == "train");
  CHECK(loader.wait.ns() == 8'000 * kMs);
  CHECK(loader.wait.cpu_ns == 10 * kMs);
  CHECK(loader.loop_ns == 10'030 * kMs);  // neither the import nor the other thread
  CHECK(loader.starting_ns == 30 * kMs);
  REQUIRE(loader.pinning);
  CHECK(loader.pinning->ns() == 300 * kMs);
  CHECK(loader.cpus == 4.0);
  REQUIRE(loader.workers.size() == 2);
  CHECK(loader.workers_at_once == 2);
  const fold::LoadingTime& first = loader.workers[0].time;
  CHECK(run.run.processes[loader.workers[0].process].pid == 101);
  CHECK(first.wall_ns == 10 * kSecond);
  CHECK(first.idle_ns == 300 * kMs);
  CHECK(first.work.cpu_ns == 1'000 * kMs);
  CHECK(first.work.blocked_ns(log::WaitClass::File) == 8'500 * kMs);
  CHECK(first.work.blocked_ns() == 8'500 * kMs);
  CHECK(first.sending_ns == 50 * kMs);  // without waiting for something to send
  CHECK(first.storage_ns == 8'500 * kMs);
  CHECK(first.rest_ns() == 200 * kMs);
  CHECK(loader.all.wall_ns == 20 * kSecond);
  CHECK(loader.cpus_used == Approx(0.1 + 0.09 + 0.331).epsilon(0.01));
}

TEST_CASE("data loading: the cause that the figures tell", "[fold]") {
  const auto cause = [](const Plan& plan) { return LoadingRun(plan).loader().cause; };
  CHECK(cause({.computing = 9'800, .waiting = 200, .workers = {{.cpu = 9'900}}}) == Cause::FastEnough);
  CHECK(cause({.workers = {{.cpu = 1'000, .file = 8'500}, {.cpu = 900, .file = 9'000}}}) == Cause::SlowDisk);
  CHECK(cause({.workers = {}}) == Cause::TooFewWorkers);
  CHECK(cause({.workers = {{.cpu = 9'900}}}) == Cause::TooFewWorkers);
  CHECK(cause({.workers = {{.cpu = 9'900}, {.cpu = 9'800}}, .cpus = "allowed=2"}) == Cause::SlowDecoding);
  CHECK(cause({.workers = {{.cpu = 9'900}, {.cpu = 9'800}}, .cpus = "allowed=64\nquota=2.000"}) == Cause::SlowDecoding);
  // The processors are there, but others use them.
  CHECK(cause({.workers = {{.cpu = 5'000, .queued = 4'900}}}) == Cause::SlowDecoding);
  CHECK(cause({.workers = {{.cpu = 9'900}}, .cpus = ""}) == Cause::TooFewWorkers);
  // Half of the time files, the other half computing: at work all the time while processors are free.
  CHECK(cause({.workers = {{.cpu = 5'200, .file = 4'800}}}) == Cause::TooFewWorkers);
  CHECK(cause({.workers = {{.cpu = 1'000, .idle = 8'900}}}) == Cause::Unclear);
  CHECK(cause({.workers = {{.cpu = 1'000, .sending = 8'900}}}) == Cause::Pickling);
  CHECK(cause({.workers = {{.cpu = 1'000}}}) == Cause::Unclear);  // most of it is not accounted for
}

TEST_CASE("data loading: how many workers would keep up", "[fold]") {
  const auto needed = [](const Plan& plan) { return fold::workers_needed(LoadingRun(plan).loader()); };
  CHECK(needed({.computing = 5'000, .waiting = 4'970, .workers = {{.cpu = 9'900}}}) == 2);
  CHECK(needed({.computing = 2'000, .waiting = 7'970, .workers = {{.cpu = 9'900}, {.cpu = 9'900}}}) == 10);
  CHECK(needed({.computing = 2'000, .waiting = 7'970}) == 4);
  Loader none;
  CHECK_FALSE(fold::workers_needed(none));
  none.loop_ns = none.wait.cpu_ns = 5;
  CHECK_FALSE(fold::workers_needed(none));
}

TEST_CASE("data loading: one table and what to try", "[show]") {
  const LoadingRun run({.workers = {{.cpu = 1'000, .file = 8'500, .idle = 300}, {.cpu = 900, .file = 9'000}}});
  const auto sheets = test::sheets_of("loading", run.subject(), {});
  REQUIRE(sheets.size() == 1);
  const show::Sheet& sheet = sheets.front();
  CHECK(sheet.title == "Data loading: DataLoader of pid 100");
  REQUIRE(sheet.rows.size() == 5);  // the loop, its waiting, two workers and their sum
  CHECK(cell(sheet, 1, "wall_ns") == show::Cell(8'000 * kMs));
  CHECK(std::get<double>(cell(sheet, 2, "file_share")) == Approx(0.85));
  CHECK(std::get<double>(cell(sheet, 2, "idle_share")) == Approx(0.03));
  REQUIRE_FALSE(sheet.notes.empty());
  CHECK(sheet.notes[0].find("Verdict: slow disk: the loop waited 8.00 s (79.8 %) for its data; its 2 workers") == 0);
  for (const show::Row& row : sheet.rows) CHECK(row.cells.size() == sheet.columns.size());
  CHECK_FALSE(show::table(sheet, show::Terminal{}).empty());

  const auto all = test::sheets_of("loading", run.subject(), {.everything = true});
  REQUIRE(all.front().rows.size() == 4);
  CHECK(cell(all.front(), 2, "who") == show::Cell(std::string("worker")));
  CHECK(cell(all.front(), 2, "idle_ns") == show::Cell(300 * kMs));
  CHECK(formats::csv(all.front()).find("slow disk") != std::string::npos);
}

TEST_CASE("data loading: each cause has its words", "[show]") {
  const auto words = [](const Plan& plan) { return show::loading_verdict(LoadingRun(plan).loader()); };
  CHECK(words({.computing = 9'800, .waiting = 200}).find("fast enough: the loop waited 200 ms (2.0 %)") == 0);
  CHECK(words({.workers = {}}).find("num_workers=0") != std::string::npos);
  // Catches advice that takes the loop's own processors, or hands over what is loaded in less time.
  const auto by_itself = [](double used, std::int64_t steps) {
    Loader loader = LoadingRun({.computing = 5'000, .waiting = 4'970, .workers = {}}).loader();
    loader.cpus = 2;
    loader.cpus_used = used;
    loader.steps = steps;
    loader.cause = fold::cause_of(loader);
    return show::loading_verdict(loader);
  };
  CHECK(by_itself(0.9, 100).find("Try num_workers=1") != std::string::npos);
  CHECK(by_itself(1.9, 100).find("slow decoding") == 0);
  CHECK(by_itself(1.9, 100).find("with 1.9 of 2 processors busy in the steps. More workers would not help") !=
        std::string::npos);
  CHECK(by_itself(0.9, 100'000).find("A batch takes 49.7 us to load, less than handing it over") != std::string::npos);
  const std::string few = words({.computing = 5'000, .waiting = 4'970, .workers = {{.cpu = 9'900}}});
  CHECK(few.find("too few workers") == 0);
  CHECK(few.find("of 4 processors busy. Try num_workers=2:") != std::string::npos);
  const std::string slow = words({.workers = {{.cpu = 9'900}, {.cpu = 9'800}}, .cpus = "allowed=2"});
  CHECK(slow.find("slow decoding") == 0);
  CHECK(slow.find("of 2 processors busy. More workers would not help") != std::string::npos);
  CHECK(words({.workers = {{.cpu = 1'000, .idle = 8'900}}}).find("unclear: ") == 0);
  CHECK(words({.workers = {{.cpu = 1'000, .sending = 8'900}}}).find("spent 8.90 s on sending") != std::string::npos);
}

TEST_CASE("data loading in the summary", "[show]") {
  const LoadingRun run({.workers = {{.cpu = 1'000, .file = 8'500}}});
  CHECK(show::loading_sentences(run.subject()) ==
        std::vector<std::string>{"slow disk: train (train.py:1) waited 8.00 s (79.8 %) for its data; --view loading."});
  CHECK(show::summary(run.subject(), {}, show::Terminal{.width = 1000}).find("slow disk: train") != std::string::npos);
}

// Catches waiting for a processor, while the loop loads by itself, that is taken for nobody's time.
TEST_CASE("data loading: a loop that has to wait for a processor", "[fold]") {
  const LoadingRun run({.computing = 3'000, .waiting = 1'010, .waiting_cpu = 1'000, .queued = 4'000});
  const Loader loader = run.loader();
  // Four seconds over five of CPU time, of which the loader had one.
  CHECK(loader.wait.ready_ns == 800 * kMs);
  CHECK(loader.wait.ns() == 1'810 * kMs);
  CHECK(loader.loop_ns == (3'000 + 2'400 + 30 + 1'810) * kMs);
}

TEST_CASE("data loading in JSON", "[formats]") {
  const LoadingRun run({.workers = {{.cpu = 1'000, .file = 8'500, .idle = 300}, {.cpu = 900, .file = 9'000}}});
  const auto json = formats::Json::parse(formats::json(run.subject(), {})).at("data_loading");
  REQUIRE(json.size() == 1);
  CHECK(json[0].at("kind") == "torch");
  CHECK(json[0].at("verdict") == "slow disk");
  CHECK(json[0].at("loop").at("name") == "train");
  CHECK(json[0].at("wait_s").get<double>() == Approx(8));
  CHECK(json[0].at("workers").size() == 2);
  CHECK(json[0].at("workers")[0].at("pid") == 101);
  CHECK(json[0].at("workers")[0].at("waits_s").at("file").get<double>() == Approx(8.5));
  CHECK(json[0].at("pin_memory").is_null());
}

namespace {

// A parent that reads what its child sends by a pipe, and orders it by another one. Times in ms of 10,000.
model::Run piped_run(bool main_reads, log::Origin child_origin) {
  model::Run run;
  run.processes.resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    model::Process& process = run.processes[i];
    process.pid = static_cast<std::uint32_t>(200 + i);
    process.start_monotonic_ns = kSecond;
    process.end_monotonic_ns = 11 * kSecond;
    process.waits_recorded = true;
    process.cpus = 4;
    process.argv = {i == 0 ? "./loader" : "./child"};
    process.names = {{log::NameKind::File, "pipe:[1]", "pipe"}, {log::NameKind::File, "pipe:[2]", "pipe"}};
    process.tree.frames.resize(2);
    for (std::uint32_t name = 0; name < 2; ++name) {
      process.tree.frames[name].kind = model::Frame::Kind::Named;
      process.tree.frames[name].name = name;
    }
    process.threads.resize(2);
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
      process.threads[slot].slot = slot;
      process.threads[slot].main = slot == 0;
      process.threads[slot].start_monotonic_ns = process.start_monotonic_ns;
      process.threads[slot].end_monotonic_ns = process.end_monotonic_ns;
    }
  }
  run.processes[1].parent = 0;
  run.processes[1].origin = child_origin;
  run.processes[1].cpu_ns = 9'000 * static_cast<std::uint64_t>(kMs);
  model::FileMetric read, ordered, sent, orders;
  read.reads = 10;
  read.read_bytes = 1 << 20;
  read.read_ns = 1'000 * kMs;
  read.poll_ns = 5'000 * kMs;
  ordered.writes = 10;
  ordered.write_bytes = 100;
  sent.writes = 10;
  sent.write_bytes = 1 << 20;
  sent.write_ns = 20 * kMs;
  orders.reads = 10;
  orders.read_ns = 500 * kMs;
  run.processes[0].tree.files = {{0, main_reads ? 0U : 1U, read}, {1, 0, ordered}};
  run.processes[1].tree.files = {{0, 0, sent}, {1, 0, orders}};
  // The child's time: 9 s of CPU, half a second in reads of its orders.
  model::Process& child = run.processes[1];
  child.names.push_back({log::NameKind::Wait, "read", "pipe"});
  child.tree.frames.push_back(child.tree.frames[0]);
  child.tree.frames.back().name = 2;
  child.tree.nodes = {{}, {0, 2}};
  child.tree.cpu = {{1, 0, {900, 9'000 * kMs}}};
  child.tree.waits = {{1, 0, {log::kCountUnit, 500 * kMs, 0, 1}}};
  return run;
}

}  // namespace

TEST_CASE("loaders by pipes: a parent that reads what its children send", "[fold]") {
  model::Run run = piped_run(true, log::Origin::Forked);
  const symbols::Symbols symbols = symbols::symbolize(run);
  const auto all = fold::loaders(run, symbols, {});
  REQUIRE(all.size() == 1);
  const Loader& loader = all.front();
  CHECK(loader.kind == Loader::Kind::Pipes);
  CHECK(loader.process == 0);
  CHECK(loader.wait.ns() == 6'000 * kMs);
  CHECK(loader.loop_ns == 10 * kSecond);
  REQUIRE(loader.workers.size() == 1);
  CHECK(loader.workers[0].time.idle_ns == 500 * kMs);
  CHECK(loader.workers[0].time.work.blocked_ns() == 0);
  CHECK(loader.workers[0].time.work.cpu_ns == 9'000 * kMs);
  CHECK(loader.workers[0].time.sending_ns == 20 * kMs);
  CHECK(loader.cause == Cause::TooFewWorkers);
  const fold::Selection selection;
  const auto sheets = test::sheets_of("loading", show::Subject{run, symbols, selection}, {});
  CHECK(sheets.front().title == "Data loading: processes that send to pid 200");

  // What a thread does that only reads says nothing of the program's waiting.
  run = piped_run(false, log::Origin::Forked);
  const auto aside = fold::loaders(run, symbols, {});
  REQUIRE(aside.size() == 1);
  CHECK(aside.front().cause == Cause::Unclear);

  // Who sends work and waits for the answer is no loop that wants for data.
  const auto speaks_of_data = [&symbols](const model::Run& of) {
    const findings::Outcome outcome = findings::look_for_all(findings::Evidence(of, symbols, {}));
    return std::any_of(outcome.findings.begin(), outcome.findings.end(),
                       [](const findings::Finding& found) { return found.rule == "waiting-for-data"; });
  };
  CHECK(speaks_of_data(piped_run(true, log::Origin::Forked)));
  model::Run answers = piped_run(true, log::Origin::Forked);
  answers.processes[1].tree.cpu[0].metric.ns = 300 * kMs;  // hardly at work: why it is waited for is unclear
  REQUIRE(fold::loaders(answers, symbols, {}).front().cause == Cause::Unclear);
  CHECK_FALSE(speaks_of_data(answers));

  // Another program's output is no data of a loader; neither is what has another name, or is next to nothing.
  run = piped_run(true, log::Origin::Started);
  CHECK(fold::loaders(run, symbols, {}).empty());
  run = piped_run(true, log::Origin::Forked);
  run.processes[1].names[0].name = "pipe:[3]";
  CHECK(fold::loaders(run, symbols, {}).empty());
  run = piped_run(true, log::Origin::Forked);
  run.processes[1].tree.files[0].metric.write_bytes = 1000;
  CHECK(fold::loaders(run, symbols, {}).empty());
}
