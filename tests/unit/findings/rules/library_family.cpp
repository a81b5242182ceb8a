// The rules about functions of libraries for which there is a faster way.
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::add_children;
using test::below;
using test::FindingsRun;
using test::kMs;
using test::lines_of;

namespace {

// 600 ms of 2 s below a function that line 40 calls, which allocated so much and held so much of it at once.
FindingsRun& library_call(FindingsRun& run, const char* function, const char* file, std::uint64_t allocated,
                          std::uint64_t peak) {
  const auto at =
      below(run, below(run, run.train(40), function, file), "inner", "/v/site-packages/numpy/core/numeric.py");
  run.log.cpu(at, 60, 600 * kMs);
  run.log.cpu(run.train(41), 60, 600 * kMs);
  run.log.memory(log::RecordClass::Heap, at,
                 test::memory_words(50 * log::kCountUnit, allocated, 50 * log::kCountUnit, allocated, peak, 1, 50));
  return run;
}

}  // namespace

TEST_CASE("findings: functions of libraries that are known to be slow", "[findings]") {
  const auto [rule, function, file] = GENERATE(table<const char*, const char*, const char*>({
      {"row-by-row", "DataFrame.iterrows", "/v/site-packages/pandas/core/frame.py"},
      {"growing-by-copies", "concat", "/v/site-packages/pandas/core/reshape/concat.py"},
      {"checkpoints", "save", "/v/site-packages/torch/serialization.py"},
      {"dates-one-by-one", "to_datetime", "/v/site-packages/pandas/core/tools/datetimes.py"},
      {"rows-one-by-one", "_LazyLoader._load_for_state", "/v/site-packages/sqlalchemy/orm/strategies.py"},
      {"date-parsing", "_strptime", "/usr/lib/python3.11/_strptime.py"},
      {"tracebacks", "format_exc", "/usr/lib/python3.11/traceback.py"},
      {"tracebacks", "stack", "/usr/lib/python3.11/inspect.py"},
      {"signatures", "signature", "/usr/lib/python3.11/inspect.py"},
      {"signatures", "get_type_hints", "/usr/lib/python3.11/typing.py"},
      {"protocol-checks", "_ProtocolMeta.__instancecheck__", "/usr/lib/python3.11/typing.py"},
      {"protocol-checks", "_ProtocolMeta.__subclasscheck__", "/v/site-packages/typing_extensions.py"},
      {"yaml", "scan_plain", "/usr/lib/python3/dist-packages/yaml/scanner.py"},
      {"manager-proxies", "_callmethod", "/usr/lib/python3.11/multiprocessing/managers.py"},
      {"pending-waits", "_wait", "/usr/lib/python3.11/asyncio/tasks.py"},
      {"text-arrays", "genfromtxt", "/v/site-packages/numpy/lib/npyio.py"},
      {"vectorize", "vectorize._vectorize_call", "/v/site-packages/numpy/lib/function_base.py"},
      {"exact-numbers", "_sum", "/usr/lib/python3.11/statistics.py"},
      {"tls-contexts", "create_default_context", "/usr/lib/python3.11/ssl.py"},
      {"record-copies", "asdict", "/usr/lib/python3.11/dataclasses.py"},
      {"sparse-slices", "csr_matrix._get_sliceXint", "/usr/lib/python3/dist-packages/scipy/sparse/_csr.py"},
      {"sparse-slices", "_csc_base._get_intXslice", "/v/site-packages/scipy/sparse/_csc.py"},
  }));
  INFO(rule);
  FindingsRun run;
  library_call(run, function, file, 400 << 20, 10 << 20);
  const auto found = run.look(rule);
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.3));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{40});
}

// Catches calls for many values at once, which numpy computes.
TEST_CASE("findings: distributions of scipy that are asked for a few numbers", "[findings]") {
  for (const std::uint64_t in_numpy : {100, 500}) {
    FindingsRun run;
    const auto call =
        below(run, run.train(40), "rv_continuous.logpdf", "/v/site-packages/scipy/stats/_distn_infrastructure.py");
    run.log.cpu(run.interpreter(call), (600 - in_numpy) / 10, (600 - in_numpy) * kMs);
    const std::uint32_t module = run.log.module("/v/site-packages/numpy/core/_multiarray_umath.so");
    run.log.cpu(run.log.node(call, run.log.native(module, 0x100)), in_numpy / 10, in_numpy * kMs);
    run.log.cpu(run.train(41), 60, 600 * kMs);
    const auto found = run.look("distribution-calls");
    REQUIRE(found.size() == (in_numpy == 100 ? 1 : 0));
    if (!found.empty()) CHECK(found.front().saves == Approx(0.3));
  }
}

// Catches calls for many rows, whose time is that of the model, and what is fitted.
TEST_CASE("findings: a fitted model that is asked for one row at a time", "[findings]") {
  for (const std::uint64_t in_model : {100, 500}) {
    FindingsRun run;
    const auto call = below(run, run.train(40), "RandomForestClassifier.predict_proba",
                            "/usr/lib/python3/dist-packages/sklearn/ensemble/_forest.py");
    run.log.cpu(run.interpreter(call), (600 - in_model) / 10, (600 - in_model) * kMs);
    const std::uint32_t module = run.log.module("/usr/lib/python3/dist-packages/sklearn/tree/_tree.so");
    run.log.cpu(run.log.node(call, run.log.native(module, 0x100)), in_model / 10, in_model * kMs);
    run.log.cpu(run.train(41), 60, 600 * kMs);
    const auto found = run.look("single-predictions");
    REQUIRE(found.size() == (in_model == 100 ? 1 : 0));
    if (!found.empty()) CHECK(found.front().saves == Approx(0.3));
  }
}

// Catches functions that have much to do themselves, and lines that do other things.
TEST_CASE("findings: functions of C that ctypes calls for each element", "[findings]") {
  const auto found = [](std::uint64_t calls_ms, std::uint64_t called_ms, std::uint64_t own_ms) {
    FindingsRun run;
    const std::uint32_t ctypes =
                            run.log.module("/usr/lib/python3.11/lib-dynload/_ctypes.cpython-311-x86_64-linux-gnu.so"),
                        ffi = run.log.module("/usr/lib/x86_64-linux-gnu/libffi.so.8"),
                        called = run.log.module("/usr/lib/x86_64-linux-gnu/libm.so.6");
    const auto call = run.log.node(run.train(40), run.log.native(ctypes, 0x100));
    const auto jump = run.log.node(call, run.log.native(ffi, 0x200));
    run.log.cpu(call, calls_ms / 20, calls_ms / 2 * kMs);
    run.log.cpu(jump, calls_ms / 20, calls_ms / 2 * kMs);
    if (called_ms > 0) run.log.cpu(run.log.node(jump, run.log.native(called, 0x300)), called_ms / 10, called_ms * kMs);
    run.log.cpu(run.interpreter(run.train(40)), own_ms / 10, own_ms * kMs);
    run.log.cpu(run.train(41), 60, 600 * kMs);
    return run.look("ctypes-calls");
  };
  for (const std::uint64_t half : {1, 2}) {
    const auto small = found(800 / half, 100 / half, 200 / half);
    REQUIRE(small.size() == 1);
    CHECK(small.front().saves == Approx(0.5 / static_cast<double>(half)));
    CHECK(lines_of(small.front()) == std::vector<std::int64_t>{40});
  }
  CHECK(found(100, 1'000, 20).empty());  // a function of its own
  CHECK(found(100, 20, 1'000).empty());  // a line with other work
}

// Catches arrays given to the function (raw=True), which make no Series.
TEST_CASE("findings: a function of Python that pandas calls for each window", "[findings]") {
  const auto called = [](const char* inside, const char* file) {
    FindingsRun run;
    const auto apply =
        below(run, run.train(40), "RollingAndExpandingMixin.apply", "/v/site-packages/pandas/core/window/rolling.py");
    const auto own = run.line(apply, run.code("crest", "/app/train.py"), 44);
    run.log.cpu(own, 20, 200 * kMs);
    run.log.cpu(below(run, own, inside, file), 40, 400 * kMs);
    run.log.cpu(run.train(41), 60, 600 * kMs);
    return run.look("window-functions");
  };
  const auto found = called("Series.mean", "/v/site-packages/pandas/core/series.py");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.3));
  CHECK(found.front().places.front().line == 40);
  CHECK(called("_mean", "/v/site-packages/numpy/core/_methods.py").empty());
}

TEST_CASE("findings: a groupby that makes rows of combinations without data", "[findings]") {
  for (const std::uint64_t ms : {800, 400, 80}) {
    FindingsRun run;
    const auto sum = below(run, run.train(40), "GroupBy.sum", "/v/site-packages/pandas/core/groupby/groupby.py");
    run.log.cpu(below(run, sum, "GroupBy._reindex_output", "/v/site-packages/pandas/core/groupby/groupby.py"), ms / 10,
                ms * kMs);
    run.log.cpu(sum, 10, 100 * kMs);  // which stays
    const auto found = run.look("unobserved-groups");
    REQUIRE(found.size() == (ms > 100 ? 1 : 0));
    if (found.empty()) continue;
    CHECK(found.front().saves == Approx(static_cast<double>(ms) / 2000));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{40});
  }
}

TEST_CASE("findings: files that are renamed after a checkpoint are a part of it", "[findings]") {
  FindingsRun run;
  run.log.cpu(below(run, run.train(40), "save", "/v/site-packages/torch/serialization.py"), 30, 300 * kMs);
  run.wait(run.train(41), "rename", "file", 30, 400 * kMs);
  run.wait(run.line(0, run.code("other", "/app/other.py"), 9), "rename", "file", 30, 200 * kMs);
  run.log.cpu(run.train(42), 60, 600 * kMs);
  const auto found = run.look("checkpoints");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.35));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{41, 40});
}

TEST_CASE("findings: a function of a library that takes little of the time", "[findings]") {
  FindingsRun run;
  run.log.cpu(below(run, run.train(40), "save", "/v/site-packages/torch/serialization.py"), 18, 180 * kMs);
  run.log.cpu(run.train(41), 60, 600 * kMs);
  CHECK(run.look("checkpoints").empty());
}

// Catches what a signature asks of functions told as stacks that are formatted: both stand in the same file.
TEST_CASE("findings: signatures and stacks are two things", "[findings]") {
  FindingsRun run;
  const auto [function, told, not_told] = GENERATE(table<const char*, const char*, const char*>({
      {"signature", "signatures", "tracebacks"},
      {"stack", "tracebacks", "signatures"},
  }));
  INFO(function);
  library_call(run, function, "/usr/lib/python3.11/inspect.py", 0, 0);
  CHECK(run.look(told).size() == 1);
  CHECK(run.look(not_told).empty());
}

// Catches each use of typing told as a check: what a Protocol's class does when it is made is done once.
TEST_CASE("findings: functions of typing that check nothing", "[findings]") {
  FindingsRun run;
  library_call(run, "_ProtocolMeta.__new__", "/usr/lib/python3.11/typing.py", 0, 0);
  CHECK(run.look("protocol-checks").empty());
  CHECK(run.look("signatures").empty());
}

// Catches the time that a parent spends in vfork(), which no call is seen in.
TEST_CASE("findings: processes that are started again and again, with what nobody saw meanwhile", "[findings]") {
  for (const std::uint64_t profiling_ms : {0, 20}) {
    FindingsRun run;
    library_call(run, "Popen.__init__", "/usr/lib/python3.11/subprocess.py", 0, 0);
    run.wait(run.train(42), "read", "pipe", 1, 400 * kMs);
    run.queue(100);
    add_children(run, 12, profiling_ms);
    const auto found = run.look("process-starts");
    REQUIRE(found.size() == 1);
    // Of two seconds it computed for 1.2, half of it in Popen, read for 0.4, and was ready for 0.1: the rest was
    // unseen.
    const double started = 0.6 * (1 + 0.1 / 1.2) + 0.3;
    const double unseen_ms = profiling_ms > 0 ? 1.3 : 0;  // the most there is
    CHECK(found.front().saves == Approx((started - 0.012 * (static_cast<double>(profiling_ms) + unseen_ms)) / 2));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{40});
  }
}

// Catches commands that wait, told as if that were the price of starting them; and children in the background, whose
// sleep costs nobody anything, taken off that price.
TEST_CASE("findings: processes that are started again and again and sleep", "[findings]") {
  const auto saves = [](std::uint64_t sleeps_ms, std::uint64_t blocked_ms) {
    FindingsRun run;
    library_call(run, "Popen.__init__", "/usr/lib/python3.11/subprocess.py", 0, 0);
    const auto in_it = below(run, run.train(40), "run", "/usr/lib/python3.11/subprocess.py");
    if (blocked_ms > 0) run.wait(in_it, "read", "pipe", 12, blocked_ms * kMs);
    add_children(run, 12, 0, sleeps_ms);
    const auto found = run.look("process-starts");
    return found.empty() ? 0.0 : found.front().saves;
  };
  CHECK(saves(0, 400) > 0.2);
  CHECK(saves(0, 400) - saves(20, 400) == Approx(12 * 0.02 / 2));
  CHECK(saves(0, 400) - saves(100, 400) == Approx(0.4 / 2));
  CHECK(saves(100, 0) == saves(0, 0));
}

// Catches arrays that are joined for another reason than to grow: alike, or of any size.
TEST_CASE("findings: arrays that grow by being joined", "[findings]") {
  const auto saves = [](std::uint64_t mean_kib, std::uint64_t growing, std::uint64_t blocks, bool in_torch) {
    FindingsRun run;
    const std::uint32_t at =
        in_torch ? run.log.node(run.train(40), run.log.named(log::NameKind::Operator, "aten::cat", "forward"))
                 : below(run, run.train(40), "concatenate", "<__array_function__ internals>");
    run.log.cpu(at, 60, 600 * kMs);
    run.log.cpu(run.train(41), 60, 600 * kMs);
    const std::uint64_t bytes = blocks * mean_kib << 10, count = blocks * log::kCountUnit;
    log::HeapWords words = test::memory_words(count, bytes, count, bytes, 1 << 20, 1, blocks);
    words.largest = 1 << 20;
    words.growing = growing;
    run.log.memory(log::RecordClass::Heap, at, words);
    const auto found = run.look("growing-by-copies");
    return found.empty() ? 0.0 : found.front().saves;
  };
  const bool in_torch = GENERATE(false, true);
  CHECK(saves(512, 100, 100, in_torch) == Approx(0.3));
  CHECK(saves(512, 70, 100, in_torch) == 0);
  CHECK(saves(1024, 100, 100, in_torch) == 0);
  CHECK(saves(300, 100, 100, in_torch) == 0);
  CHECK(saves(512, 20, 20, in_torch) == 0);
}

TEST_CASE("findings: commands of Redis that are sent one at a time", "[findings]") {
  const auto saves = [](std::uint64_t waits, const char* function) {
    FindingsRun run;
    const auto call = below(run, run.train(40), function, "/v/site-packages/redis/client.py");
    run.log.cpu(call, 40, 400 * kMs);
    run.wait(call, "recv", "network", waits, 200 * kMs);
    run.log.cpu(run.train(41), 60, 600 * kMs);
    const auto found = run.look("commands-one-by-one");
    return found.empty() ? 0.0 : found.front().saves;
  };
  CHECK(saves(5'000, "Redis.execute_command") == Approx(0.3));
  CHECK(saves(100, "Redis.execute_command") == 0);
  CHECK(saves(5'000, "Pipeline.execute") == 0);
}

// Catches merges of a few large tables, each of which is needed, told as merges of single rows.
TEST_CASE("findings: data frames that are merged again and again", "[findings]") {
  constexpr const char* kMerge = "/v/site-packages/pandas/core/reshape/merge.py";
  for (const std::uint64_t cpu_ms : {600, 300}) {
    FindingsRun run;
    const auto at = below(run, run.train(40), "merge", kMerge);
    run.log.cpu(at, cpu_ms / 10, cpu_ms * kMs);
    run.log.cpu(run.train(41), 60, 600 * kMs);
    run.log.memory(
        log::RecordClass::Heap, at,
        test::memory_words(50 * log::kCountUnit, 1'200 << 20, 50 * log::kCountUnit, 1'200 << 20, 10 << 20, 1, 50));
    const auto found = run.look("merges-in-a-loop");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(static_cast<double>(cpu_ms) / 2000));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{40});
  }
  FindingsRun few;
  library_call(few, "merge", kMerge, 600 << 20, 10 << 20);
  CHECK(few.look("merges-in-a-loop").empty());
}

// Catches what is done once, and takes its time, told as done again and again.
TEST_CASE("findings: one large join and one child are no faults", "[findings]") {
  FindingsRun join;
  library_call(join, "concat", "/v/site-packages/pandas/core/reshape/concat.py", 400 << 20, 390 << 20);
  CHECK(join.look("growing-by-copies").empty());
  FindingsRun child;
  library_call(child, "Popen.__init__", "/usr/lib/python3.11/subprocess.py", 0, 0);
  add_children(child, 1);
  CHECK(child.look("process-starts").empty());
}

// Catches the loop over a frame told without what it asks of each row.
TEST_CASE("findings: what a loop asks of the rows of a data frame is part of going through them", "[findings]") {
  FindingsRun run;
  constexpr const char* kSeries = "/v/site-packages/pandas/core/series.py";
  run.log.cpu(below(run, run.train(40), "DataFrame.iterrows", "/v/site-packages/pandas/core/frame.py"), 40, 400 * kMs);
  run.log.cpu(below(run, run.train(41), "Series.__getitem__", kSeries), 40, 400 * kMs);
  run.log.cpu(below(run, run.line(0, run.code("other", "/app/other.py"), 9), "Series.__getitem__", kSeries), 40,
              400 * kMs);
  const auto found = run.look("row-by-row");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{40, 41});
}

// Catches what a worker loses counted for the program's main thread, which waits for it.
TEST_CASE("findings: a Manager's objects that workers use", "[findings]") {
  FindingsRun run;
  run.log.cpu(run.train(20), 150, 1'500 * kMs);
  FindingsRun worker;
  worker.becomes_child(501, 500, 0, 2'000);
  const auto proxy =
      below(worker, worker.train(60), "BaseProxy._callmethod", "/usr/lib/python3.11/multiprocessing/managers.py");
  worker.wait(below(worker, proxy, "Connection.recv", "/usr/lib/python3.11/multiprocessing/connection.py"), "read",
              "pipe", 10'000, 1'200 * kMs);
  worker.write_into(run);
  const auto found = run.look("manager-proxies");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.6));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{60});
}

TEST_CASE("findings: a Python function called for each group of a data frame", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    FindingsRun run;
    const auto call = run.train(30);
    const auto groups = below(run, call, "_transform_general", "/v/site-packages/pandas/core/groupby/generic.py");
    const auto function = run.line(groups, run.code("train.<locals>.<lambda>", "/app/train.py"), 31);
    run.log.cpu(function, 20, 200 * kMs / half);
    run.log.cpu(below(run, function, "mean", "/v/site-packages/pandas/core/generic.py"), 80, 800 * kMs / half);
    run.log.cpu(run.train(41), 40, 400 * kMs);
    const auto found = run.look("python-for-groups");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.5 / static_cast<double>(half)));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{30});
  }
  FindingsRun named;
  named.log.cpu(below(named, named.train(30), "transform", "/v/site-packages/pandas/core/groupby/generic.py"), 100,
                1'000 * kMs);
  CHECK(named.look("python-for-groups").empty());
}

// Catches the function of one's own that is called for each row left out of what the rows take.
TEST_CASE("findings: a Python function called for each row of a data frame", "[findings]") {
  constexpr const char* kApply = "/v/site-packages/pandas/core/apply.py";
  const auto applied = [](std::uint64_t interpreted_ms, std::uint64_t elsewhere_ms) {
    FindingsRun run;
    const auto rows = below(run, run.train(30), "FrameColumnApply.apply_series_generator", kApply);
    const auto function = run.line(rows, run.code("rate", "/app/train.py"), 31);
    run.log.cpu(function, 20, interpreted_ms * kMs);
    run.log.cpu(run.log.node(function, run.log.native(run.log.module("/nowhere/libmodel.so"), 0x100)), 20,
                elsewhere_ms * kMs);
    run.log.cpu(run.train(41), 40, 400 * kMs);
    return run.look("row-by-row");
  };
  const auto found = applied(600, 400);
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.5));
  CHECK(lines_of(found.front()) == std::vector<std::int64_t>{30});
  CHECK(applied(400, 600).empty());  // what is called does more than looking at a row
}

// Catches one query of very many rows taken for many queries.
TEST_CASE("findings: a relation of many rows", "[findings]") {
  FindingsRun run;
  const auto load =
      below(run, run.train(30), "_LazyLoader._load_for_state", "/v/site-packages/sqlalchemy/orm/strategies.py");
  run.log.cpu(load, 30, 300 * kMs);
  run.log.cpu(below(run, load, "_instance", "/v/site-packages/sqlalchemy/orm/loading.py"), 60, 600 * kMs);
  CHECK(run.look("rows-one-by-one").empty());
}

TEST_CASE("findings: weighted choices", "[findings]") {
  FindingsRun run;
  run.log.cpu(below(run, run.train(30), "Random.choices", "/usr/lib/python3.11/random.py"), 60, 600 * kMs);
  run.log.cpu(below(run, run.train(30), "Random.uniform", "/usr/lib/python3.11/random.py"), 40, 400 * kMs);
  const auto found = run.look("random-choices");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.3));
}

// Catches many choices at a time, or such without weights: there is no sum to go through again and again.
TEST_CASE("findings: choices without weights", "[findings]") {
  FindingsRun run;
  constexpr const char* kRandom = "/usr/lib/python3.11/random.py";
  const auto choices = below(run, run.train(30), "Random.choices", kRandom);
  run.log.cpu(choices, 20, 200 * kMs);
  run.log.cpu(below(run, choices, "Random.choices.<locals>.<listcomp>", kRandom), 60, 600 * kMs);
  CHECK(run.look("random-choices").empty());
}

// The list of weights that is made for each call goes with it.
TEST_CASE("findings: where a function of a library takes most of a line, all of the line is meant", "[findings]") {
  FindingsRun run;
  run.log.cpu(below(run, run.train(30), "Random.choices", "/usr/lib/python3.11/random.py"), 80, 800 * kMs);
  run.log.cpu(run.train(30), 20, 200 * kMs);
  run.log.cpu(run.train(31), 20, 200 * kMs);
  const auto found = run.look("random-choices");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.5));
}

// Catches files that are read once, whose parts are skipped by the same function.
TEST_CASE("findings: compressed files that are gone back in", "[findings]") {
  for (const std::uint64_t seeks : {40, 0}) {
    FindingsRun run;
    library_call(run, "DecompressReader.seek", "/usr/lib/python3.11/_compression.py", 0, 0);
    log::FileWords file{};
    file.opens = 1;
    file.reads = 400;
    file.read_bytes = 40 << 20;
    file.seeks = seeks;
    const auto files = run.log.node(0, run.log.special(log::SpecialFrame::Files));
    run.log.record(log::RecordClass::File,
                   run.log.node(files, run.log.named(log::NameKind::File, "/data/log.gz", "file")), file);
    CHECK(run.look("compressed-seeks").size() == (seeks > 0 ? 1U : 0U));
  }
}
