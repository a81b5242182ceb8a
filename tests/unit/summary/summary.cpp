#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "report/show/captions.hpp"
#include "report/show/own/own_text.hpp"
#include "report/show/table.hpp"
#include "report/show/training/loading_text.hpp"
#include "report/show/trees.hpp"
#include "report/summary/summary.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/loading_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/show_run.hpp"
#include "tests/unit/support/wait_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::GpuRun;
using test::has;
using test::kMs;
using test::LoadingRun;
using test::says;
using test::text;
using test::WaitRun;

TEST_CASE("the summary says what GPUs did", "[show]") {
  GpuRun gpu;
  const std::string summary = show::summary(gpu.subject(), {}, show::Terminal{.width = 1000});
  CHECK(summary.find(
            "GPU 0 (Test GPU): busy 4.90 ms, 2 processes added up, in 20.0 ms between its first and last work; "
            "7 kernels of 3.21 ms; 5 copies and sets of 80.0 us; memory peak 3.00 MiB; peak of tensors 1.50 MiB.") !=
        std::string::npos);
  CHECK(summary.find("GPU 1 (Test GPU): 1 kernel of 50.0 us.") != std::string::npos);
  CHECK(summary.find("GPUs idled 500 us, 60.0 % of it while the host was waiting for data or another thread; most for "
                     "train (train.py:10) (500 us)") != std::string::npos);
  CHECK(summary.find("torch.profiler was active") != std::string::npos);
  CHECK(summary.find("Kernels by time on GPUs") != std::string::npos);
  CHECK(summary.find("--view kernels") != std::string::npos);
  CHECK(summary.find("2, 2 threads") != std::string::npos);  // the profiler's own is none of the program's
  gpu.selection.pids = {400};
  CHECK(show::summary(gpu.subject(), {}, show::Terminal{.width = 1000}).find("busy 40.0 % of 10.0 ms") !=
        std::string::npos);
  const test::SmallRun none;
  CHECK(show::summary(none.subject(), {}, show::Terminal{.width = 1000}).find("GPU") == std::string::npos);
}

TEST_CASE("summary: where wall time went, and where to look when it was waiting", "[show]") {
  WaitRun wait;
  const std::string text = show::summary(wait.subject(), {}, show::Terminal{.width = 1000});
  CHECK(text.find(
            "Main thread of pid 500: wall 2.00 s = CPU 30.0 % + sleep 35.0 % + file 20.0 % + unaccounted 11.0 % + GPU "
            "2.5 % + waiting for CPU 1.5 %.") != std::string::npos);
  CHECK(text.find("Next") < text.find("--view blocking"));
  wait.selection.pids = {501};
  CHECK(show::summary(wait.subject(), {}, show::Terminal{.width = 1000}).find("(blocking calls were not recorded)") !=
        std::string::npos);
}

namespace {

// The first screen with one blank for each gap, so that it does not matter where lines end.
std::string first_screen(const show::Subject& subject) {
  std::string out;
  for (const char c : show::summary(subject, {}, {})) {
    const char one = c == '\n' ? ' ' : c;
    if (one != ' ' || out.empty() || out.back() != ' ') out += one;
  }
  return out;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

void holds(FindingsRun& run, std::uint32_t line, std::uint64_t bytes, std::uint64_t freed) {
  run.log.header.heap_mode = log::HeapMode::Sampled;
  run.log.header.heap_interval = 512 << 10;
  run.log.memory(log::RecordClass::Heap, run.train(line),
                 test::memory_words(4 * log::kCountUnit, bytes, 0, freed, bytes, 1, 4));
}

// A shell and that many commands, without lines.
class CommandsRun : public test::LoadedRun {
 public:
  // `copies`: each command was a copy of make before, as a fork leaves it.
  explicit CommandsRun(std::uint32_t commands, bool copies = false) {
    for (std::uint32_t i = 0; i <= commands; ++i) {
      if (copies && i > 0) add_copy(i);
      test::LogBuilder log;
      log.header.start_ticks = log.header.log_id = log.header.pid = 500 + i;
      if (copies && i > 0) ++log.header.start_monotonic_ns;
      log.header.ppid = i == 0 ? 1 : 500;
      log.header.cpu_ns = (i == 0 ? 10 : 100) * kMs;
      log.header.start_realtime_ns += i;
      log.thread(0).flags = log::kThreadMain;
      log.info(log::InfoKey::Argv, i == 0 ? std::string("make\0all", 8) : std::string("/usr/bin/cc\0-c", 14));
      log.write(directory() / (std::to_string(500 + i) + ".1.proflog"));
    }
    load();
  }

 private:
  void add_copy(std::uint32_t i) {
    test::LogBuilder log;
    log.header.start_ticks = log.header.pid = 500 + i;
    log.header.log_id = 600 + i;
    log.header.ppid = 500;
    log.header.start_realtime_ns += i - 1;
    log.header.origin = log::Origin::Forked;
    log.header.end = log::End::Execed;
    log.thread(0).flags = log::kThreadMain;
    log.info(log::InfoKey::Argv, std::string("make\0all", 8));
    log.write(directory() / (std::to_string(500 + i) + ".0.proflog"));
  }
};

// A run of two seconds whose process was killed; from that moment on each thread was in such a call: the main one
// first.
std::string killed_in(const std::vector<std::pair<const char*, const char*>>& calls, std::uint64_t since_ms,
                      bool stacks_known = false) {
  FindingsRun run;
  run.log.cpu(run.train(50), 45, 450 * kMs);
  run.log.header.end = log::End::Running;
  run.log.header.waited_ns = run.log.header.start_monotonic_ns + 2'000 * kMs;
  run.log.header.wait_status = 9;
  std::vector<log::ThreadUseRecord> uses;
  for (const auto& [function, what] : calls) {
    run.log.thread(static_cast<std::uint32_t>(uses.size()));
    log::ThreadUseRecord use{};
    const std::uint32_t name = run.log.name(log::NameKind::Wait, function, what);
    use.open_frame = log::named_frame(name, 0);
    use.open_since = run.log.header.start_monotonic_ns + since_ms * kMs;
    if (stacks_known) {
      use.open_node = run.log.node(run.train(70), run.log.named(name));
      use.open_node_since = use.open_since;
    }
    uses.push_back(use);
  }
  run.use(uses);
  return first_screen(run.subject());
}

}  // namespace

TEST_CASE("summary: what took most where nothing is wrong", "[show]") {
  FindingsRun run;
  run.log.cpu(run.train(50), 45, 450 * kMs);
  run.wait(run.train(51), "recv", "network", 1, 90 * kMs);
  holds(run, 52, 20 << 20, 4 << 20);
  const std::string text = first_screen(run.subject());
  const auto none = run.look();
  REQUIRE(none.findings.empty());
  // What takes the time comes first: that no fault is known of it is no all-clear.
  CHECK(
      has(text, "Findings One line has most of the CPU time: train.py:50, 450 ms (100.0 % of CPU time). None of the " +
                    std::to_string(none.clear.size()) +
                    " faults that this run can show was found, but no source was found of code that took much of the "
                    "time, so that some cannot be seen."));
  CHECK(has(text, "Longest waiting: train.py:51, 90.0 ms in all."));
  CHECK(has(text,
            "Most memory: train.py:52, 20.0 MiB at the peak, 16.0 MiB of it not freed at the end. See --view heap "
            "--sort live."));
  CHECK(has(text, "Memory by the innermost line of your own code"));
}

// Catches locks of threads, and locks below which nothing is awaited.
TEST_CASE("summary: a lock that is held while a task awaits", "[show]") {
  const auto text = [](const std::string& block, const char* what = "poll") {
    FindingsRun run;
    const std::string file = (run.directory() / "gate.py").string();
    std::ofstream(file) << "async def get(self, key):\n    if key:\n" << block << "    return key\n";
    run.log.cpu(run.line(0, run.code("get", file, 1), 2), 2, 20 * kMs);
    run.wait(run.train(51), "epoll_wait", what, 1, 90 * kMs);
    return first_screen(run.subject());
  };
  const std::string held = "        async with self.lock:\n            value = await fetch(key)\n";
  CHECK(has(text(held), "train.py:51, 90.0 ms in all. gate.py:3 holds a lock while it awaits"));
  CHECK_FALSE(has(text(held, "network"), "holds a lock"));
  CHECK_FALSE(has(text("        with self.lock:\n            value = fetch(key)\n"), "holds a lock"));
  CHECK_FALSE(
      has(text("        async with self.lock:\n            n += 1\n        await fetch(key)\n"), "holds a lock"));
  CHECK_FALSE(has(text("        async with session.get(key) as r:\n            await r.text()\n"), "holds a lock"));
}

// Nearly every program holds what it imported, to its end.
TEST_CASE("summary: most memory is no import's", "[show]") {
  const auto text = [](std::uint64_t others) {
    FindingsRun run;
    run.log.cpu(run.train(50), 45, 450 * kMs);
    holds(run, 52, others, 0);
    const auto import = run.line(run.train(3), run.code("_find_and_load", "<frozen importlib._bootstrap>"), 9);
    run.log.memory(log::RecordClass::Heap, import,
                   test::memory_words(4 * log::kCountUnit, 90 << 20, 0, 0, 90 << 20, 1, 4));
    return first_screen(run.subject());
  };
  CHECK(has(text(20 << 20), "Most memory: train.py:52, 20.0 MiB"));
  CHECK_FALSE(has(text(1 << 20), "Most memory"));
}

// Catches the waiting of a line told as a part of its CPU time.
TEST_CASE("summary: what the line computed that has most of the CPU time", "[show]") {
  FindingsRun run;
  const auto json = run.line(run.train(50), run.code("JSONEncoder.encode", "/usr/lib/python3.11/json/encoder.py"), 9);
  run.log.cpu(json, 20, 200 * kMs);
  run.log.cpu(run.train(50), 20, 200 * kMs);
  run.wait(run.train(50), "read", "file", 1, 150 * kMs);
  const std::string text = first_screen(run.subject());
  CHECK(has(text, "train.py:50, 400 ms (100.0 % of CPU time), in: JSON 50.0 %, own code 50.0 %."));
  CHECK(has(text, "waiting: file 27.3 %"));
}

// Catches a leak of Python told as memory that was given back: the interpreter frees all objects when it ends.
TEST_CASE("summary: what Python freed at its end is no sign that it was not kept", "[show]") {
  FindingsRun run;
  run.log.cpu(run.train(50), 45, 450 * kMs);
  holds(run, 52, 20 << 20, 20 << 20);
  CHECK(has(first_screen(run.subject()),
            "Most memory: train.py:52, 20.0 MiB at the peak; it was freed by the end, which Python does anyway. See "
            "--view own --sort peak."));
}

TEST_CASE("summary: blocks that nobody writes to are more than what is resident", "[show]") {
  for (const std::uint64_t resident : {30, 10}) {
    FindingsRun run;
    holds(run, 52, 20 << 20, 4 << 20);
    run.log.header.peak_rss_bytes = resident << 20;
    CHECK(has(first_screen(run.subject()), "not all of it used") == (resident < 20));
  }
}

TEST_CASE("summary: many lines that share the CPU time, and little else", "[show]") {
  FindingsRun run;
  for (const std::uint32_t line : {50, 51, 52}) run.log.cpu(run.train(line), 10, (100 + line) * kMs);
  run.wait(run.train(53), "recv", "network", 1, 10 * kMs);
  holds(run, 54, 4 << 20, 0);
  const std::string text = first_screen(run.subject());
  CHECK(has(text, "Most CPU time: train.py:52, 152 ms (33."));
  CHECK_FALSE(has(text, "One line has"));
  CHECK_FALSE(has(text, "Longest wait"));
  CHECK_FALSE(has(text, "Most memory"));
}

// Catches a helper's line named without the call that asks for it again and again.
TEST_CASE("summary: the line with most CPU time is told with the call that leads to it", "[show]") {
  FindingsRun run;
  const auto scale = run.code("scale", "/home/user/train.py");
  const std::uint32_t loop = run.line(0, run.code("main", "/home/user/train.py"), 80);
  const std::uint32_t render = run.line(loop, run.code("render", "/home/user/train.py"), 70);
  run.log.cpu(run.line(render, scale, 30), 30, 300 * kMs);
  run.log.cpu(run.line(run.line(render, scale, 40), run.code("add", "/home/user/train.py"), 5), 20, 200 * kMs);
  SECTION("with what else that call takes") {
    run.log.cpu(run.line(loop, run.code("load", "/home/user/train.py"), 10), 20, 200 * kMs);
    CHECK(has(first_screen(run.subject()),
              "Most CPU time: train.py:30, 300 ms (42.9 % of CPU time). It is called from train.py:70, which takes 500 "
              "ms with all that it calls."));
  }
  SECTION("but not with a call that everything is below") {
    CHECK_FALSE(has(first_screen(run.subject()), "It is called from"));
  }
  SECTION("nor with one of many") {
    for (std::uint32_t line = 71; line < 74; ++line)
      run.log.cpu(run.line(run.line(loop, run.code("other", "/home/user/train.py"), line), scale, 30), 15, 150 * kMs);
    CHECK_FALSE(has(first_screen(run.subject()), "It is called from"));
  }
}

// Catches a cache that never hits, and what has none.
TEST_CASE("summary: what a function takes that keeps its results", "[show]") {
  const auto text = [](const char* decorator, std::uint64_t others) {
    FindingsRun run;
    const std::string file = run.directory() / "app.py";
    std::ofstream(file) << "import functools\n\n" << decorator << "\ndef route(key):\n    return search(key)\n";
    run.log.cpu(run.line(0, run.code("route", file, 3), 5), 40, 400 * kMs);
    for (std::uint32_t line = 20; line < 20 + others; ++line) run.log.cpu(run.train(line), 30, 300 * kMs);
    return first_screen(run.subject());
  };
  CHECK(has(text("@functools.lru_cache(maxsize=None)", 1), "route keeps its results, and 400 ms is what it took"));
  CHECK(has(text("@cache", 1), "route keeps its results"));
  CHECK_FALSE(has(text("@cache", 4), "route keeps its results"));
  CHECK_FALSE(has(text("@retry", 1), "route keeps its results"));
  CHECK_FALSE(has(text("", 1), "route keeps its results"));
}

// Catches "none was found" said of an interpreter that hides what it does.
TEST_CASE("summary: nothing found in an interpreter without names", "[show]") {
  FindingsRun run;
  run.log.cpu(run.interpreter(run.train(50)), 45, 450 * kMs);
  CHECK(has(first_screen(run.subject()), " was found, but this Python is stripped and no source was found of code"));
}

// Catches what is imported once as the top of a training, where its steps are what takes long.
TEST_CASE("summary: of a program with steps, what it imports comes last", "[show]") {
  const bool steps = GENERATE(false, true);
  FindingsRun run;
  if (steps) run.steps(10, 50);
  const auto import = run.line(run.train(2), run.code("_find_and_load", "<frozen importlib._bootstrap>"), 1027);
  run.log.cpu(run.line(import, run.code("<module>", "/usr/lib/python3/dist-packages/torch/__init__.py"), 1), 130,
              1'300 * kMs);
  run.log.cpu(run.train(20), 60, 600 * kMs);
  const std::string text = first_screen(run.subject());
  const std::size_t table = text.find("Your lines: ");
  REQUIRE(table != std::string::npos);
  CHECK((text.find("train.py:20", table) < text.find("train.py:2 ", table)) == steps);
}

// Catches the longest line of a run left out of its table, without a word.
TEST_CASE("summary: of a program with steps, what it imports is told where the table has no room for it", "[show]") {
  FindingsRun run;
  run.steps(10, 50);
  const auto import = run.line(run.train(2), run.code("_find_and_load", "<frozen importlib._bootstrap>"), 1027);
  run.log.cpu(run.line(import, run.code("<module>", "/usr/lib/python3/dist-packages/torch/__init__.py"), 1), 100,
              1'000 * kMs);
  const bool full = GENERATE(false, true);
  for (std::uint32_t line = 20; line < (full ? 26U : 22U); ++line) run.log.cpu(run.train(line), 10, 100 * kMs);
  const std::string text = first_screen(run.subject());
  CHECK(has(text, full ? "Not in the table: 1.00 s (62.5 %) of imports, at train.py:2." : " 1.000 83.3 "));
  CHECK(has(text, "Not in the table") == full);
  CHECK(has(text, "Most CPU time but for imports: train.py:20, 100 ms"));
}

// Catches a screen with room for one row that has no line of the user's, as workers of OpenMP have none.
TEST_CASE("summary: a line of the user's own is in a table of one row", "[show]") {
  FindingsRun run;
  run.log.cpu(run.log.node(0, run.log.native(run.log.module("/usr/lib/libgomp.so.1"), 16)), 90, 900 * kMs);
  run.log.cpu(run.train(20), 60, 600 * kMs);
  const show::Subject& subject = run.subject();
  const fold::OwnLines lines = fold::own_lines(show::mixed_line_tree(subject));
  const auto first = [&](std::size_t most) {
    const show::Sheet sheet = show::own_table(subject, {}, lines, show::OwnOrder::Time, most);
    CHECK(has(sheet.title, " (1 of 2)") == (most == 1));
    REQUIRE(sheet.rows.size() == most);
    return std::get<std::int64_t>(sheet.rows.front().cells.front());
  };
  CHECK(first(1) == 600 * kMs);
  CHECK(first(2) == 900 * kMs);
}

// Catches a report about two seconds of a run that says nothing of its other twenty.
TEST_CASE("summary: what passed outside of the steps", "[show]") {
  const std::uint64_t before_ms = GENERATE(0U, 8'000U);
  FindingsRun run;
  const std::uint64_t began = run.log.header.start_monotonic_ns += 20'000 * kMs;
  run.steps(10, 50);
  run.log.header.start_monotonic_ns -= before_ms * kMs;
  run.log.header.end_monotonic_ns = began + 1'400 * kMs;
  log::ImportRecord import{};
  import.total_ns = 6'000 * kMs;
  import.start_ns = began - 7'000 * kMs;
  run.log.import(import, "torch");
  import.depth = 1;  // in that one
  run.log.import(import, "numpy");
  import.depth = 0;  // in the steps
  import.start_ns = began + 200 * kMs;
  run.log.import(import, "late");
  run.log.cpu(run.train(20), 60, 600 * kMs);
  const std::string text = first_screen(run.subject());
  CHECK(has(text, "8.10 s passed before the first step (6.00 s in imports), 800 ms after the last.") ==
        (before_ms > 0));
  CHECK(has(text, "before the first step") == (before_ms > 0));
}

TEST_CASE("summary: commands, where many processes have no code of the user's", "[show]") {
  const CommandsRun many(7);
  const std::string text = first_screen(many.subject());
  CHECK(has(text, "Commands by CPU time"));
  CHECK(has(text, "0.700 98.6 14.000 7 cc 0.010 1.4 2.000 1 make "));
  CHECK_FALSE(has(text, "Functions by CPU time"));
  const CommandsRun few(6);
  CHECK_FALSE(has(first_screen(few.subject()), "Commands by CPU time"));
}

// Catches a copy of the parent, before it became another command, counted as a run of the parent's.
TEST_CASE("summary: runs of a command, and copies of it that become others", "[show]") {
  const CommandsRun run(8, true);
  const std::string text = first_screen(run.subject());
  CHECK(has(text, " 8 cc "));
  CHECK(has(text, " 1 make "));
  CHECK(has(text, "9 (8 of them with a record from before an exec, too), "));
}

TEST_CASE("summary: what is said below a table is as wide as the rest", "[show]") {
  FindingsRun run;
  run.log.cpu(run.log.node(0, run.log.native(run.log.module("/usr/lib/libdivide.so"), 1)), 10, 100 * kMs);
  run.log.cpu(run.log.node(0, run.log.native(run.log.module("/usr/lib/libconquer.so"), 1)), 10, 100 * kMs);
  const std::string text = show::summary(run.subject(), {}, show::Terminal{.width = 40});
  const std::size_t at = text.find("  No code of your own was seen.");
  REQUIRE(at != std::string::npos);
  CHECK(text.find('\n', at) - at <= 40);
  CHECK(text.compare(text.find('\n', at) + 1, 2, "  ") == 0);
}

TEST_CASE("summary: views of one subject are told together", "[show]") {
  FindingsRun run;
  run.log.cpu(run.train(50), 45, 450 * kMs);
  run.wait(run.train(51), "recv", "network", 1, 90 * kMs);
  holds(run, 52, 20 << 20, 4 << 20);
  const std::string text = show::summary(run.subject(), {}, {});
  const std::string next = text.substr(text.rfind("\nNext "));
  CHECK(has(next, " --view own   # by memory: --sort peak\n"));
  CHECK(has(next, "   # or: "));
  CHECK(has(next, "prof report --list-views\n"));
  CHECK(count_of(next, "   # or: ") == count_of(next, " --view ") - 1);  // all but that of own lines
}

// Catches the hang of a killed program hidden among the waits of no line.
TEST_CASE("summary: calls that had not returned when the program was killed", "[show]") {
  CHECK(has(killed_in({{"recv", "network"}}, 500),
            "Not returned when the process was killed: the main thread in recv (network) for 1.50 s. The line of some "
            "calls is known once they have returned."));
  CHECK(has(
      killed_in({{"pthread_join", "lock"}, {"pthread_mutex_lock", "lock"}, {"pthread_mutex_lock", "lock"}}, 700),
      "the main thread in pthread_join (lock) for 1.30 s; 2 other threads in pthread_mutex_lock (lock) for 1.30 s."));
  CHECK(has(killed_in({{"recv", "network"}}, 500, true),
            "the main thread in recv (network) for 1.50 s, in train (train.py:70)."));
  CHECK_FALSE(has(killed_in({{"recv", "network"}}, 1'500), "Not returned"));                   // not long
  CHECK_FALSE(has(killed_in({{"epoll_wait", "poll"}}, 500), "Not returned"));                  // a server
  CHECK_FALSE(has(killed_in({{"pause", "sleep"}}, 500), "Not returned"));                      // a daemon
  CHECK_FALSE(has(killed_in({{"wait4", "child"}}, 500), "Not returned"));                      // a shell
  CHECK_FALSE(has(killed_in({{"poll", "poll"}, {"sem_wait", "lock"}}, 500), "Not returned"));  // a worker
}

// Catches a lock that is taken twice by one thread told as one that somebody else holds.
TEST_CASE("summary: the only thread waits for a lock", "[show]") {
  const char* itself = "no other thread could release the lock, so it holds it itself";
  CHECK(has(killed_in({{"pthread_mutex_lock", "lock"}}, 500, true), itself));
  CHECK_FALSE(has(killed_in({{"pthread_mutex_lock", "lock"}, {"pthread_mutex_lock", "lock"}}, 500, true), itself));
  CHECK_FALSE(has(killed_in({{"recv", "network"}}, 500, true), itself));
}

// Catches a screen about the processes that are left, with not a word of those that are not.
TEST_CASE("summary: that the ticks have another signal is told by the views alone", "[show]") {
  FindingsRun run;
  run.log.header.conditions = log::kSignalMoved | log::kDiskFull;
  const std::string text = show::summary(run.subject(), {}, show::Terminal{.width = 100});
  CHECK(has(text, "the disk was full"));
  CHECK_FALSE(has(text, "signal"));
  CHECK(show::losses(run.subject().run).conditions.size() == 2);
}

TEST_CASE("summary: logs that cannot be used are missed on the screen", "[show]") {
  FindingsRun run;
  run.log.cpu(run.train(50), 45, 450 * kMs);
  std::ofstream(run.directory() / "b.proflog") << "no log at all";
  CHECK(has(first_screen(run.subject()), "Lost what 1 process did: its log cannot be used."));
}

TEST_CASE("data loading in the summary", "[show]") {
  const LoadingRun run({.workers = {{.cpu = 1'000, .file = 8'500}}});
  CHECK(show::loading_sentences(run.subject()) ==
        std::vector<std::string>{
            "slow disk: train (train.py:1) waited 8.00 s (79.8 % of its time) for its data; --view loading."});
  CHECK(show::summary(run.subject(), {}, show::Terminal{.width = 1000}).find("slow disk: train") != std::string::npos);
}

// Catches a library's waiting for work told of as the program's, and small shares told of at all.
TEST_CASE("summary: OpenMP's busy waiting and the reference BLAS are told with what helps", "[show]") {
  const auto screen = [](const char* library, std::uint64_t ms) {
    FindingsRun run;
    const auto adds = [&](const char* of, std::uint64_t took) {
      run.log.cpu(run.log.node(0, run.log.native(run.log.module(of), 0x10)), 30, took * kMs);
    };
    adds("/usr/lib/libm.so.6", 700);
    adds(library, ms);
    return first_screen(run.subject());
  };
  for (const char* library : {"/usr/lib/libgomp.so.1", "/v/torch/lib/libgomp-24e2ab19.so.1.0.0", "/opt/libiomp5.so"}) {
    CHECK(has(screen(library, 300), "Threads of OpenMP wait for work in a loop for 300 ms of CPU time"));
    CHECK_FALSE(has(screen(library, 200), "Threads of OpenMP"));
  }
  CHECK_FALSE(has(screen("/usr/lib/libgcc_s.so.1", 300), "Threads of OpenMP"));
}

// Catches findings that there is no room for dropped without a word of what and where they are.
TEST_CASE("summary: findings that do not fit are told in short", "[show][findings]") {
  FindingsRun run;
  const std::pair<const char*, const char*> slow[] = {{"_strptime", "/usr/lib/python3.11/_strptime.py"},
                                                      {"format_exc", "/usr/lib/python3.11/traceback.py"},
                                                      {"signature", "/usr/lib/python3.11/inspect.py"},
                                                      {"scan_plain", "/usr/lib/python3/dist-packages/yaml/scanner.py"},
                                                      {"create_default_context", "/usr/lib/python3.11/ssl.py"}};
  std::uint32_t line = 40;
  for (const auto& [function, file] : slow)
    run.log.cpu(test::below(run, run.train(line++), function, file), 30, 300 * kMs);
  const std::string summary = show::summary(run.subject(), {}, {});
  CHECK(std::count(summary.begin(), summary.end(), '\n') <= 40);
  for (const char* title : {"\n1. ", "\n2. ", "\n3. ", "\n4. "}) CHECK(has(summary, title));
  const std::size_t last = summary.find("\n4. "), more = summary.find("1 more: prof report");
  CHECK(summary.find("where", last) < more);
  CHECK(summary.find("   try ", last) == std::string::npos);
  CHECK(has(summary, "--view findings"));
}
