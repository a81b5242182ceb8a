// The rules about functions of interpreters, of libraries and of C, on libraries that the test compiles for itself.
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::lines_of;

namespace {

constexpr const char* kSource = R"(
#define FUNCTION(name) extern "C" int name(int x) { return x + __LINE__; }
FUNCTION(list_contains)
FUNCTION(list_insert)
FUNCTION(deque_item)
FUNCTION(bytes_subscript)
FUNCTION(unicode_concatenate)
FUNCTION(__memmove_avx)
FUNCTION(PyNumber_Add)
FUNCTION(dgemm_)
FUNCTION(sgemm_)
FUNCTION(__strlen_avx2)
FUNCTION(__memset_avx)
FUNCTION(__rawmemchr_avx2)
FUNCTION(set_lookkey)
FUNCTION(tzset_internal)
FUNCTION(__tzfile_read)
namespace __gnu_cxx { int stdio_sync_filebuf(int x) { return x + 2; } }
struct Job { int id; };
namespace std {
template <class T> int find(int x) { return x + sizeof(T); }
int find_jobs() { return find<Job*>(1); }
int find_chars() { return find<char*>(1); }
struct vector {
  int erase(int x) { return x + 4; }
  int reserve(int x) { return x + 5; }
};
struct _Hashtable { int clear(int x) { return x + 9; } };
int use() { return vector().erase(1) + vector().reserve(1) + _Hashtable().clear(1); }
struct random_device { int _M_init(int x) { return x + 6; } };
struct mersenne_twister_engine {
  int seed(int x) { return x + 7; }
  int _M_gen_rand(int x) { return x + 8; }
};
int draw() { return random_device()._M_init(1) + mersenne_twister_engine().seed(2) + mersenne_twister_engine()._M_gen_rand(1); }
struct text {};
text operator+(text a, int) { return a; }
text sum() { return text() + 1; }
namespace __cxx11 { struct basic_string { int append(int x) { return x + 12; } }; }
int grow() { return __cxx11::basic_string().append(1); }
}
FUNCTION(_Unwind_RaiseException)
FUNCTION(loop)
namespace torch { namespace utils { int tensor_ctor(int x) { return x + 1; } } }
FUNCTION(PySequence_Fast)
)";

struct Case {
  const char *rule, *file;
  std::vector<std::string> below;  // functions below the line, outermost first
};

// 800 ms of two seconds below line 30, and as much in another line.
FindingsRun& fill(FindingsRun& run, const test::NativeLibrary& library, const std::vector<std::string>& below,
                  std::uint64_t ms) {
  const std::uint32_t module = run.log.module(library.path());
  std::uint32_t at = run.train(30);
  for (const std::string& function : below) at = run.log.node(at, run.log.native(module, library.in(function)));
  run.log.cpu(at, ms / 10, ms * kMs);
  run.log.cpu(run.train(31), (1'600 - ms) / 10, (1'600 - ms) * kMs);
  return run;
}

}  // namespace

TEST_CASE("findings: functions of an interpreter and of libraries that take much of the time", "[findings]") {
  const auto [rule, file, below] = GENERATE(values<Case>({
      {"list-searches", "libpython3.so", {"list_contains", "loop"}},
      {"list-shifts", "libpython3.so", {"list_insert"}},
      {"deque-positions", "libpython3.so", {"loop", "deque_item"}},
      {"slice-copies", "libpython3.so", {"bytes_subscript", "__memmove_avx"}},
      {"concatenations", "libpython3.so", {"unicode_concatenate", "__memmove_avx"}},
      {"object-arrays", "numpy/core/_multiarray_umath.so", {"loop", "PyNumber_Add"}},
      {"object-arrays", "numpy/_core/_multiarray_umath.so", {"loop", "PyNumber_Add"}},
      {"tensors-from-lists", "libtorch_python.so", {"tensor_ctor", "PySequence_Fast"}},
      {"double-precision", "libtorch_cpu.so", {"loop", "dgemm_"}},
      {"string-lengths", "libtext.so", {"__strlen_avx2"}},
      {"string-lengths", "libtext.so", {"__rawmemchr_avx2"}},
      {"time-zones", "libtime.so", {"tzset_internal", "__tzfile_read"}},
      {"synchronised-streams", "libstdc++.so", {"stdio_sync_filebuf", "loop"}},
      {"exceptions", "libgcc_s.so", {"_Unwind_RaiseException", "loop"}},
      {"container-searches", "libapp.so", {"findIP3Job", "loop"}},
      {"container-shifts", "libapp.so", {"6vector5erase", "__memmove_avx"}},
      {"string-sums", "libapp.so", {"Stpl", "__memmove_avx"}},
      {"container-reserves", "libapp.so", {"6vector7reserve", "__memmove_avx"}},
      {"container-clears", "libapp.so", {"10_Hashtable5clear", "__memset_avx"}},
      {"random-generators", "libapp.so", {"13random_device"}},
      {"random-generators", "libapp.so", {"23mersenne_twister_engine4seed"}},
  }));
  INFO(rule);
  const test::NativeLibrary library(kSource, file, "-O0");  // without lines: none of the user's own
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    const auto found = fill(run, library, below, 800 / half).look(rule);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(
        has(found.front().seen, half == 1 ? "800 ms of CPU time, 50.0 % of all" : "400 ms of CPU time, 25.0 % of all"));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{30});
  }
  FindingsRun little;
  CHECK(fill(little, library, below, 100).look(rule).empty());
}

// Catches names that say what they do only in their place.
TEST_CASE("findings: the same functions where they are what they should be", "[findings]") {
  const auto [rule, file, below] = GENERATE(values<Case>({
      {"slice-copies", "libpython3.so", {"bytes_subscript"}},
      {"object-arrays", "libpython3.so", {"loop", "PyNumber_Add"}},
      {"double-precision", "libopenblas.so", {"dgemm_"}},
      {"double-precision", "libtorch_cpu.so", {"loop", "sgemm_"}},
      {"tensors-from-lists", "libtorch_python.so", {"tensor_ctor", "__memmove_avx"}},
      {"container-searches", "libapp.so", {"findIPc", "loop"}},  // in text
      {"container-shifts", "libapp.so", {"6vector5erase", "loop"}},
      {"string-sums", "libapp.so", {"Stpl", "loop"}},
      {"container-reserves", "libapp.so", {"6vector7reserve", "loop"}},
      {"container-clears", "libapp.so", {"10_Hashtable5clear", "loop"}},
      {"random-generators", "libapp.so", {"_M_gen_rand"}},  // many numbers of one generator
      {"string-lengths", "libtext.so", {"12basic_string6append", "__strlen_avx2"}},
  }));
  INFO(rule);
  const test::NativeLibrary library(kSource, file, "-O0");  // without lines: none of the user's own
  FindingsRun run;
  CHECK(fill(run, library, below, 800).look(rule).empty());
}

TEST_CASE("findings: code that was compiled without optimisation", "[findings]") {
  const auto [options, is] = GENERATE(table<const char*, bool>({
      {"-g", true},
      {"-g -O0", true},
      {"-g -O2 -O0", true},
      {"-g -O2", false},
      {"-g -O0 -O1", false},
      {"-g -Og", false},
      {"-g -gno-record-gcc-switches", false},  // nobody knows
  }));
  INFO(options);
  const test::NativeLibrary library("int twice(int x) { return 2 * x; }", "libtwice.so", options);
  FindingsRun run;
  run.log.cpu(run.log.node(0, run.log.native(run.log.module(library.path()), library.in("twice"))), 90, 900 * kMs);
  run.log.cpu(run.train(31), 30, 300 * kMs);
  const auto found = run.look("unoptimised");
  REQUIRE(found.size() == (is ? 1U : 0U));
  if (is) {
    FindingsRun half;
    half.log.cpu(half.log.node(0, half.log.native(half.log.module(library.path()), library.in("twice"))), 50,
                 500 * kMs);
    half.log.cpu(half.train(31), 30, 300 * kMs);
    REQUIRE(half.look("unoptimised").size() == 1);
    CHECK(half.look("unoptimised").front().saves == Approx(0.3375 * 5 / 9));
    CHECK(found.front().saves == Approx(0.3375));
    CHECK(has(found.front().seen, "900 ms of CPU time, 75.0 % of all"));
  }
}

// Catches what any set of objects of one's own costs, and comparing that no table asks for.
TEST_CASE("findings: keys of a set that have the same hash", "[findings]") {
  const test::NativeLibrary library(kSource, "libpython3.so", "-O0");
  const auto equal = [&](std::uint64_t comparing_ms, std::uint64_t hashing_ms, std::uint64_t table_ms) {
    FindingsRun run;
    run.log.info(log::InfoKey::Python, "path=" + library.path());
    const std::uint32_t module = run.log.module(library.path());
    const auto look_up = run.log.node(run.train(30), run.log.native(module, library.in("set_lookkey")));
    run.log.cpu(look_up, table_ms / 10, table_ms * kMs);
    const auto method = [&](const char* name, std::uint32_t line, std::uint64_t ms) {
      run.log.cpu(run.line(look_up, run.code(name, "/app/train.py"), line), ms / 10, ms * kMs);
    };
    method("Cell.__eq__", 40, comparing_ms);
    method("Cell.__hash__", 42, hashing_ms);
    run.log.cpu(run.train(31), 40, 400 * kMs);
    return run.look("equal-hashes");
  };
  for (const std::uint64_t half : {1, 2}) {
    const auto found = equal(400 / half, 40, 400 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(found.front().places.front().function == "Cell.__hash__");
    CHECK(found.front().places.front().line == 42);
    REQUIRE(found.front().places.size() > 1);
    CHECK(found.front().places[1].line == 40);
  }
  CHECK(equal(100, 400, 300).empty());  // hashing is what takes the time
  CHECK(equal(400, 40, 20).empty());    // sorting or searching compares
  CHECK(equal(40, 10, 40).empty());
}

namespace {

// A program of two threads, two seconds long, of which some waits end by their time.
struct TimedOut : test::LoadedRun {
  TimedOut() {
    log.header.end_monotonic_ns = log.header.start_monotonic_ns + 2'000 * kMs;
    log.info(log::InfoKey::Options, "PROF_WAIT=on");
    log.thread(0).flags = log::kThreadMain;
    log.thread(1);
  }
  // So many waits of that name in a thread, below that node, for so long.
  void wait(std::uint32_t at, const char* call, std::uint64_t calls, std::uint64_t failed, std::uint64_t ms,
            std::uint32_t slot) {
    const std::uint32_t frame = log.named(log::NameKind::Wait, call, "lock");
    log.record(log::RecordClass::Wait, log.node(at, frame), log::WaitWords{calls * log::kCountUnit, ms * kMs, calls},
               slot);
    log::WaitTotalWords total{};
    total.calls = calls;
    total.failed = failed;
    total.total_ns = ms * kMs;
    log.record(log::RecordClass::WaitTotal, log.node(log.node(0, log.special(log::SpecialFrame::Waits)), frame), total,
               slot);
  }
  std::vector<findings::Finding> look() {
    findings::Outcome all = findings::look_for_all(findings::Evidence(run, symbols, selection));
    std::erase_if(all.findings, [](const findings::Finding& finding) { return finding.rule != "timed-out-waits"; });
    return all.findings;
  }
  test::LogBuilder log;
};

// A program of two threads without Python, two seconds long; its main thread waits, so often for so long.
struct TimedWaits : TimedOut {
  TimedWaits(std::uint64_t calls, std::uint64_t failed, std::uint64_t ms, std::uint64_t others_ms, bool python = false)
      : library(kSource, "program", "-O0 -g") {
    log.header.cpu_ns = (300 + others_ms) * kMs;
    if (python) log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames");
    const std::uint32_t line = log.node(0, log.native(log.module(library.path()), library.in("loop")));
    wait(line, "pthread_cond_clockwait", calls, failed, ms, 0);
    log.cpu(line, 30, 300 * kMs);
    if (others_ms > 0) log.cpu(line, others_ms / 10, others_ms * kMs, 1);
    log.write(directory() / "7.1.proflog");
    load();
  }
  test::NativeLibrary library;
};

}  // namespace

TEST_CASE("findings: waits that end by their time-out", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = TimedWaits(50, 45, 1'600 / half, 400 / half).look();
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.6 / static_cast<double>(half)));
    CHECK(has(found.front().seen, "45 of 50 waits ended so"));
  }
  CHECK(TimedWaits(50, 5, 1'600, 400).look().empty());         // it is woken
  CHECK(TimedWaits(50, 50, 1'600, 0).look().empty());          // there is nobody to wake it
  CHECK(TimedWaits(50, 50, 1'600, 1'580).look().empty());      // others are at work meanwhile
  CHECK(TimedWaits(50, 50, 1'600, 400, true).look().empty());  // the interpreter's own threads do so for its lock
}

// Catches the work of others while the thread makes what it hands on to them, taken off what it waits.
TEST_CASE("findings: waits for room that end by their time-out", "[findings]") {
  struct HandsOn : TimedOut {
    HandsOn(const std::string& condition, const char* cpus)
        : library("volatile int held;\nvoid push() {\n  while (" + condition + ") {\n    held = held;\n  }\n}\n",
                  "program", "-O0 -g") {
      log.header.cpu_ns = 700 * kMs;
      log.info(log::InfoKey::Cpus, cpus);
      const std::uint32_t push = log.node(0, log.native(log.module(library.path()), library.in("4pushv")));
      wait(push, "pthread_cond_clockwait", 50, 50, 1'600, 0);
      log.cpu(push, 30, 300 * kMs);
      log.cpu(push, 40, 400 * kMs, 1);
      log.write(directory() / "7.1.proflog");
      load();
    }
    test::NativeLibrary library;
  };
  const auto [condition, cpus, saves] = GENERATE(table<std::string, const char*, double>(
      {{"held >= 16", "allowed=2", 0.75}, {"held >= 16", "allowed=1", 0.6}, {"!held", "allowed=2", 0.6}}));
  const auto found = HandsOn(condition, cpus).look();
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(saves));
}

// Catches the work of threads at the same time counted as if they took turns, and the workers judged alone.
TEST_CASE("findings: waits that end by their time-out, for threads that share the work", "[findings]") {
  const auto [second_ms, time_out, saves] = GENERATE(table<std::uint64_t, std::uint64_t, double>(
      {{700, 40, 1'800 - 710}, {300, 40, 1'800 - 1'010}, {700, 3, 1'800 - 1'410}}));
  struct Shared : TimedOut {
    Shared(std::uint64_t second_ms, std::uint64_t time_out) : library(kSource, "program", "-O0 -g") {
      log.thread(2);
      log.header.cpu_ns = (710 + second_ms) * kMs;
      const std::uint32_t line = log.node(0, log.native(log.module(library.path()), library.in("loop")));
      wait(line, "pthread_cond_clockwait", 100, 100, 1'800, 0);
      for (const std::uint32_t slot : {1, 2}) wait(line, "pthread_cond_clockwait", 50, time_out, 200, slot);
      log.cpu(line, 71, 710 * kMs, 1);
      log.cpu(line, second_ms / 10, second_ms * kMs, 2);
      log.write(directory() / "7.1.proflog");
      load();
    }
    test::NativeLibrary library;
  };
  const auto found = Shared(second_ms, time_out).look();
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(saves / 2'000));
}

namespace {

// A program of two threads, two seconds long: the main one waits for so long for the other one, whose waits end by
// their time so often, at a line below that condition.
struct KeptByOther : TimedOut {
  KeptByOther(const std::string& condition, std::uint64_t failed, std::uint64_t ms, const char* waits_in = "Queue4take")
      : library(
            "volatile int held;\nstruct Queue {\n  void push();\n  void take();\n};\nstruct Other { void take(); };\n"
            "void Queue::push() {\n  while (" +
                condition +
                ") {\n    held = held;\n  }\n}\nvoid Queue::take() { held = 1; }\nvoid Other::take() { held = 2; }\n",
            "program", "-O0 -g") {
    log.header.cpu_ns = 400 * kMs;
    const std::uint32_t module = log.module(library.path());
    const std::uint32_t push = log.node(0, log.native(module, library.in("4pushEv"))),
                        take = log.node(0, log.native(module, library.in(waits_in)));
    wait(take, "pthread_cond_wait", 50, 0, ms, 0);
    wait(push, "pthread_cond_clockwait", 60, failed, 1'500, 1);
    log.cpu(take, 30, 300 * kMs);
    log.cpu(push, 10, 100 * kMs, 1);
    log.write(directory() / "7.1.proflog");
    load();
  }
  test::NativeLibrary library;
};

}  // namespace

// Catches threads that are kept by another one's time-outs, and those that wake up by the clock.
TEST_CASE("findings: a thread that waits for one whose waits end by their time-out", "[findings]") {
  const auto found = KeptByOther("held >= 16", 60, 1'200).look();
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.55));  // of 1.2 s the other one worked for 100 ms
  CHECK(has(found.front().seen, "60 of 60 waits ended so; 1.50 s in all, and for 1.10 s of them"));
  CHECK(KeptByOther("!held", 60, 1'200).look().empty());                     // nothing says what it waits for
  CHECK(KeptByOther("held >= 16", 6, 1'200).look().empty());                 // it is woken
  CHECK(KeptByOther("held >= 16", 60, 200).look().empty());                  // nobody waits for it
  CHECK(KeptByOther("held >= 16", 60, 1'200, "Other4take").look().empty());  // it waits for something else
}

// On real names: what std::async makes of a function.
TEST_CASE("findings: futures that are thrown away", "[findings]") {
  const test::NativeLibrary library(R"(#include <future>
int work() { return 1; }
void start() { static_cast<void>(std::async(std::launch::async, work)); }
)",
                                    "program", "-O0 -g -pthread");
  const auto look = [&](const std::string& inside, std::uint64_t calls, std::uint64_t ms) {
    FindingsRun run;
    const std::uint32_t module = run.log.module(library.path());
    const auto start = run.log.node(0, run.log.native(module, library.in("5startv")));
    run.wait(run.log.node(start, run.log.native(module, library.in(inside))), "pthread_join", "lock", calls, ms * kMs);
    run.log.cpu(start, 30, 300 * kMs);
    return run.look("thrown-away-futures");
  };
  for (const std::uint64_t half : {1, 2}) {
    const auto found = look("_Async_state_implINSt6thread8_InvokerISt5tupleIJPFivEEEEEiED", 20, 1'200 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.6 / static_cast<double>(half)));
    CHECK(has(found.front().places.front().function, "start"));
  }
  CHECK(look("_Async_state_implINSt6thread8_InvokerISt5tupleIJPFivEEEEEiED", 2, 1'200).empty());
  CHECK(look("_M_complete_async", 20, 1'200).empty());  // get() waits
}

// Catches what a method of numpy does in Python, with the array as a whole.
TEST_CASE("findings: numbers of Python between numpy's own functions", "[findings]") {
  const test::NativeLibrary numpy(kSource, "numpy/core/_multiarray_umath.so", "-O0"),
      interpreter(kSource, "libpython3.so", "-O0");
  const bool in_python = GENERATE(true, false);
  FindingsRun run;
  const auto native = [&](std::uint32_t above, const test::NativeLibrary& library, const std::string& function) {
    return run.log.node(above, run.log.native(run.log.module(library.path()), library.in(function)));
  };
  std::uint32_t at = native(run.train(30), numpy, "loop");
  if (in_python) at = test::below(run, at, "_var", "/v/site-packages/numpy/core/_methods.py");
  run.log.cpu(native(native(at, interpreter, "PyNumber_Add"), numpy, "loop"), 80, 800 * kMs);
  run.log.cpu(run.train(31), 80, 800 * kMs);
  CHECK(run.look("object-arrays").empty() == in_python);
}
