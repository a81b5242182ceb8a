// The rule about waiting for data, on loops that wait and on loops that do not.
#include <fstream>
#include <string>

#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char* kLoader = "/usr/lib/python3/dist-packages/torch/utils/data/dataloader.py";

// A loop at train.py:7 that loads by itself, at data.py:12, for `loading_ms` of its second.
void load(FindingsRun& run, std::uint64_t loading_ms, std::uint64_t computing_ms) {
  const auto next = run.line(run.train(7), run.code("_BaseDataLoaderIter.__next__", kLoader), 60);
  const auto getitem = run.line(next, run.code("Pictures.__getitem__", "/app/data.py"), 12);
  run.log.cpu(getitem, 10, loading_ms * kMs);
  run.log.cpu(run.train(9), 10, computing_ms * kMs);
}

}  // namespace

TEST_CASE("findings: a training loop that waits for its data", "[findings]") {
  FindingsRun run;
  run.steps(10, 100, log::StepPart::Data, 40);
  load(run, 400, 600);
  const auto found = run.look("waiting-for-data");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4));
  CHECK(found.front().saves_ns == 400 * static_cast<std::int64_t>(kMs));
  CHECK(has(found.front().seen, "40.0 % of the step, 40.0 ms of 100 ms on average"));
  CHECK(has(found.front().seen, "too few workers; it loaded by itself (num_workers=0)"));
  CHECK(has(found.front().advice, "num_workers"));
  REQUIRE(found.front().places.size() == 2);
  CHECK(found.front().places[0] == findings::Place{"/app/train.py", 7, "train"});
  CHECK(found.front().places[1] == findings::Place{"/app/data.py", 12, "Pictures.__getitem__"});
}

// More workers would only do in turns what need not be done: rows of tensors become samples, which become tensors
// again.
TEST_CASE("findings: a training loop that takes samples of tensors", "[findings]") {
  FindingsRun run;
  const std::string file = run.directory() / "fit.py";
  std::ofstream(file)
      << "import torch\n\n\ndef loader(table):\n    if table:\n        return DataLoader(table, 400)  # rows\n"
         "\n\ndef fit():\n    for x, y in loader(table):\n        pass\n";
  run.steps(10, 100, log::StepPart::Data, 40);
  const auto loop = run.line(0, run.code("fit", file), 10);
  const auto next = run.line(loop, run.code("_SingleProcessDataLoaderIter.__next__", kLoader), 60);
  const char* dataset = "/usr/lib/python3/dist-packages/torch/utils/data/dataset.py";
  run.log.cpu(run.line(next, run.code("TensorDataset.__getitem__", dataset), 190), 40, 400 * kMs);
  run.log.cpu(run.line(loop, run.code("fit", file), 11), 60, 600 * kMs);
  const auto found = run.look("waiting-for-data");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().advice, "take whole batches"));
  REQUIRE(found.front().places.size() == 2);
  CHECK(found.front().places[0] == findings::Place{file, 10, "fit"});
  CHECK(found.front().places[1] == findings::Place{file, 6, "loader"});
}

// Catches workers advised where samples should be something else; labels of a batch are numbers, too.
TEST_CASE("findings: a training loop whose samples are lists of numbers", "[findings]") {
  for (const std::uint64_t ms : {300, 40}) {
    FindingsRun run;
    run.steps(10, 100, log::StepPart::Data, 40);
    const auto next = run.line(run.train(10), run.code("_SingleProcessDataLoaderIter.__next__", kLoader), 60);
    const char* collate = "/usr/lib/python3/dist-packages/torch/utils/data/_utils/collate.py";
    const auto all = run.line(next, run.code("collate", collate), 88);
    run.log.cpu(run.line(all, run.code("collate_int_fn", collate), 180), ms / 10, ms * kMs);
    run.log.cpu(all, (400 - ms) / 10, (400 - ms) * kMs);
    run.log.cpu(run.train(11), 60, 600 * kMs);
    const auto found = run.look("waiting-for-data");
    REQUIRE(found.size() == 1);
    CHECK(has(found.front().seen, "lists of numbers") == (ms == 300));
    CHECK(has(found.front().advice, "collate_fn") == (ms == 300));
  }
}

// Catches workers advised where own code makes tensors of lists.
TEST_CASE("findings: a training loop whose collate function makes tensors of lists", "[findings]") {
  static const test::NativeLibrary library(
      "namespace torch { namespace utils { int tensor_ctor(int x) { return x; } } }\n"
      "extern \"C\" int PySequence_GetItem(int x) { return x + 1; }\n",
      "torch_cpu", "-O0");
  const bool of_lists = GENERATE(true, false);  // or of one array
  for (const std::uint64_t ms : {300, 40}) {
    FindingsRun run;
    run.steps(10, 100, log::StepPart::Data, 40);
    const auto next = run.line(run.train(10), run.code("_SingleProcessDataLoaderIter.__next__", kLoader), 60);
    const auto own = run.line(next, run.code("collate", "/app/train.py"), 42);
    const std::uint32_t module = run.log.module(library.path());
    const auto made = run.log.node(own, run.log.native(module, library.in("tensor_ctor")));
    const std::uint64_t asking_ms = of_lists ? 20 : 0;
    if (of_lists)
      run.log.cpu(run.log.node(made, run.log.native(module, library.in("PySequence_GetItem"))), 2, asking_ms * kMs);
    run.log.cpu(made, ms / 10, (ms - asking_ms) * kMs);
    run.log.cpu(own, (400 - ms) / 10, (400 - ms) * kMs);
    run.log.cpu(run.train(11), 60, 600 * kMs);
    const auto found = run.look("waiting-for-data");
    REQUIRE(found.size() == 1);
    CHECK(has(found.front().seen, "tensors of lists") == (of_lists && ms == 300));
    CHECK(has(found.front().advice, "torch.from_numpy") == (of_lists && ms == 300));
  }
}

// Catches what each small model that is trained from a TensorDataset waits, and the loader's own loop taken for one of
// the program's.
TEST_CASE("findings: a sound loop that takes samples of tensors", "[findings]") {
  FindingsRun run;
  run.steps(10, 100, log::StepPart::Data, 16);
  run.count_operator("aten::select", "forward", 100'000, 100 * kMs);
  const auto next = run.line(run.train(10), run.code("_SingleProcessDataLoaderIter.__next__", kLoader), 60);
  const char* dataset = "/usr/lib/python3/dist-packages/torch/utils/data/dataset.py";
  const auto select = run.log.named(log::NameKind::Operator, "aten::select", "forward");
  run.log.cpu(run.log.node(run.line(next, run.code("TensorDataset.__getitem__", dataset), 190), select), 16, 160 * kMs);
  run.log.cpu(run.train(11), 84, 840 * kMs);
  CHECK(run.look("waiting-for-data").empty());
  CHECK(run.look("tensor-loop").empty());
}

TEST_CASE("findings: a loop that hardly waits for its data", "[findings]") {
  FindingsRun run;
  run.steps(10, 100, log::StepPart::Data, 4);
  load(run, 40, 960);
  CHECK(run.look("waiting-for-data").empty());
}

TEST_CASE("findings: a loop without steps that waits for its data", "[findings]") {
  FindingsRun run;  // two seconds of wall time
  load(run, 500, 500);
  const auto found = run.look("waiting-for-data");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.25));
  CHECK(has(found.front().seen, "The loop waited 500 ms of its 1.00 s (50.0 %)"));
}

// Steps whose data comes from something that is no DataLoader have no cause, but they wait all the same.
TEST_CASE("findings: steps that wait for data of unknown make", "[findings]") {
  FindingsRun run;
  run.steps(10, 100, log::StepPart::Data, 30);
  const auto found = run.look("waiting-for-data");
  REQUIRE(found.size() == 1);
  CHECK(found.front().places.empty());
  CHECK(found.front().saves == Approx(0.3));
  CHECK_FALSE(has(found.front().seen, "Why"));
}

TEST_CASE("findings: no loader was seen", "[findings]") {
  FindingsRun run;
  run.steps(10, 100);
  const auto why = FindingsRun::why_not(run.look(), "waiting-for-data");
  REQUIRE(why);
  CHECK(has(*why, "no loop was seen that takes its data from a DataLoader"));
}

namespace {

// A worker that computes, and is idle, as its parent's loop waits. Its stacks begin with those of the loop, whose
// process it is a copy of.
void write_worker(const std::filesystem::path& path, std::uint64_t computes_ms = 1'000, std::uint64_t idle_ms = 900) {
  FindingsRun worker;
  worker.log.header.pid = 501;
  worker.log.header.ppid = 500;
  worker.log.header.log_id = 501;
  worker.log.header.parent_log_id = 500;
  worker.log.header.origin = log::Origin::Forked;
  worker.log.header.start_realtime_ns += kMs;
  const auto made = worker.line(worker.train(6), worker.code("DataLoader.__iter__", kLoader), 40);
  const auto loop = worker.line(
      made, worker.code("_worker_loop", "/usr/lib/python3/dist-packages/torch/utils/data/_utils/worker.py"), 30);
  worker.log.cpu(worker.line(loop, worker.code("Pictures.__getitem__", "/app/data.py"), 15), computes_ms / 10,
                 computes_ms * kMs);
  const auto get = worker.line(loop, worker.code("Queue.get", "/usr/lib/python3.11/multiprocessing/queues.py"), 50);
  const auto poll = worker.log.node(get, worker.log.named(log::NameKind::Wait, "poll", "poll"));
  worker.log.record(log::RecordClass::Wait, poll, log::WaitWords{log::kCountUnit, idle_ms * kMs, 1});
  worker.log.write(path);
}

}  // namespace

// Catches the line that made the workers taken for one that loads.
TEST_CASE("findings: the lines of workers that load", "[findings]") {
  FindingsRun run;
  run.steps(10, 100, log::StepPart::Data, 50);
  const auto next = run.line(run.train(7), run.code("_MultiProcessingDataLoaderIter.__next__", kLoader), 60);
  const auto poll = run.log.node(next, run.log.named(log::NameKind::Wait, "poll", "poll"));
  run.log.record(log::RecordClass::Wait, poll, log::WaitWords{log::kCountUnit, 500 * kMs, 1});
  run.log.cpu(run.train(9), 10, 500 * kMs);
  write_worker(run.directory() / "501.1.proflog");
  const auto found = run.look("waiting-for-data");
  REQUIRE(found.size() == 1);
  REQUIRE(found.front().places.size() == 2);
  CHECK(found.front().places[0] == findings::Place{"/app/train.py", 7, "train"});
  CHECK(found.front().places[1] == findings::Place{"/app/data.py", 15, "Pictures.__getitem__"});
}

// Nothing that could be mended: the workers have time.
TEST_CASE("findings: a loop that waits for workers with nothing to do", "[findings]") {
  const auto [data_ms, found] = GENERATE(table<std::uint64_t, std::size_t>({{15, 0}, {25, 1}}));
  FindingsRun run;
  run.steps(10, 100, log::StepPart::Data, data_ms);
  const auto next = run.line(run.train(7), run.code("_MultiProcessingDataLoaderIter.__next__", kLoader), 60);
  const auto poll = run.log.node(next, run.log.named(log::NameKind::Wait, "poll", "poll"));
  run.log.record(log::RecordClass::Wait, poll, log::WaitWords{log::kCountUnit, 10 * data_ms * kMs, 1});
  run.log.cpu(run.train(9), 10, 500 * kMs);
  write_worker(run.directory() / "501.1.proflog", 100, 1'800);
  const auto all = run.look("waiting-for-data");
  REQUIRE(all.size() == found);
  if (found == 1) CHECK(has(all.front().seen, "Why: unclear"));
}

// Catches the cost of unpacking what workers send taken for too few workers.
TEST_CASE("findings: workers that send what has to be unpacked", "[findings]") {
  FindingsRun run;
  run.steps(10, 100, log::StepPart::Data, 50);
  const auto next = run.line(run.train(7), run.code("_MultiProcessingDataLoaderIter.__next__", kLoader), 60);
  run.log.cpu(run.line(next, run.code("Queue.get", "/usr/lib/python3.11/multiprocessing/queues.py"), 50), 45,
              450 * kMs);
  run.log.cpu(run.train(9), 10, 500 * kMs);
  write_worker(run.directory() / "501.1.proflog");
  const auto found = run.look("waiting-for-data");
  REQUIRE(found.size() == 1);
  CHECK(has(found.front().seen, "Why: pickling"));
  CHECK(has(found.front().advice, "shared memory"));
}
