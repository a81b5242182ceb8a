#include "report/formats/perfetto/perfetto.hpp"

#include <algorithm>

#include "report/formats/proto.hpp"
#include "report/show/text.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/checked_file.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/heap_run.hpp"
#include "tests/unit/support/hostile_run.hpp"
#include "tests/unit/support/operator_trace_run.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/wait_run.hpp"

using namespace prof;

namespace {

std::vector<std::string> perfetto_lines(const show::Subject& subject, std::uint64_t most_samples = 1000) {
  std::string out;
  formats::perfetto_trace(subject, {.most_samples = most_samples}, [&out](std::string_view piece) { out += piece; });
  return test::checked("perfetto_check.py", out);
}

std::ptrdiff_t count_perfetto(const std::vector<std::string>& lines, const std::string& line) {
  return std::count(lines.begin(), lines.end(), line);
}

std::ptrdiff_t perfetto_count(const std::vector<std::string>& lines, const std::string& begin) {
  return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.rfind(begin, 0) == 0; });
}

bool any_perfetto(const std::vector<std::string>& lines, const std::string& begin, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.rfind(begin, 0) == 0 && line.find(part) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("perfetto: CPU time by thread, as weights and as samples, and the heap by stack") {
  const test::PythonRun python;
  const std::vector<std::string> lines = perfetto_lines(python.subject());
  CHECK(count_perfetto(lines, "stack 200 1001 30000000 <module> Trainer.fit libwork.so+0x100") == 1);
  CHECK(count_perfetto(lines, "sample 200 1001 <module> Trainer.fit libwork.so+0x100") == 3);
  CHECK(count_perfetto(lines, "stack 200 1000 10000000 <module> Trainer.fit Trainer.fit") == 1);
  CHECK(count_perfetto(lines, "track python3 train.py/1001 helper") == 1);
  CHECK(count_perfetto(lines, "heap 200 malloc 4096 0 1 0 <module> Trainer.fit libwork.so+0x100") == 1);
}

TEST_CASE("perfetto: what is live and what was at the peak are heaps, memory over time is a counter") {
  test::HeapRun run;
  const std::vector<std::string> lines = perfetto_lines(run.subject());
  CHECK(count_perfetto(lines, "heap 300 malloc 1000 400 10 4 work+0x100 work+0x200") == 1);
  CHECK(count_perfetto(lines, "heap 300 malloc 5003 5003 50 50 work+0x100 work+0x300") == 1);
  CHECK(count_perfetto(lines, "heap 300 malloc at the peak 400 0 0 0 work+0x100 work+0x500") == 1);
  CHECK(any_perfetto(lines, "counter work/RSS ", " 4194304"));
  CHECK(any_perfetto(lines, "counter work/Heap ", " 1250"));
  // Who freed what is not known by thread.
  run.selection.threads = {std::to_string(run.run.processes[0].threads[0].tid)};
  CHECK_FALSE(any_perfetto(perfetto_lines(run.subject()), "heap ", ""));
}

TEST_CASE("perfetto: of very many samples a part is written") {
  const test::PythonRun python;  // 8 samples
  CHECK(perfetto_count(perfetto_lines(python.subject()), "sample ") == 8);
  CHECK(perfetto_count(perfetto_lines(python.subject(), 4), "sample ") == 5);  // of 5 and 3 every second one
  class Damaged : public test::LoadedRun {
   public:
    Damaged() {
      test::LogBuilder log;
      const auto code = log.code("f", "f", "f.py", 1, table(), log::CodeKind::Code, 10);
      const auto node = log.node(0, log.python(code, 4));
      log.cpu(node, std::uint64_t{1} << 62, std::uint64_t{1} << 62);
      log.cpu(log.node(node, log.python(code, 6)), std::uint64_t{1} << 62, std::uint64_t{1} << 62);
      load(log);
    }
  };
  const Damaged damaged;
  CHECK(perfetto_count(perfetto_lines(damaged.subject(), 100), "sample ") <= 101);
}

TEST_CASE("perfetto: heap profiles of several processes stand in the order of their times") {
  class TwoHeaps : public test::LoadedRun {
   public:
    TwoHeaps() {
      for (const std::uint32_t pid : {100U, 101U}) {
        test::LogBuilder log;
        log.header.pid = pid;
        log.header.log_id = pid;
        log.header.heap_mode = log::HeapMode::Exact;
        // The one that begins first ends last.
        log.header.start_monotonic_ns += (pid - 100) * 100'000'000;
        log.header.start_realtime_ns += (pid - 100) * 100'000'000;
        log.header.end_monotonic_ns -= (pid - 100) * 1'000'000'000;
        const auto node = log.node(0, log.native(log.module("/nowhere/work"), 0x100));
        log.memory(log::RecordClass::Heap, node, test::memory_words(log::kCountUnit, pid, 0, 0, 0, 1, 1));
        log.thread(0).flags = log::kThreadMain;
        log.write(directory() / (std::to_string(pid) + ".1.proflog"));
      }
      load();
    }
  };
  const TwoHeaps run;
  std::vector<std::string> heaps = perfetto_lines(run.subject());  // checks their order and their numbers
  std::erase_if(heaps, [](const std::string& line) { return line.rfind("heap ", 0) != 0; });
  CHECK(heaps ==
        std::vector<std::string>{"heap 101 malloc 101 0 1 0 work+0x100", "heap 100 malloc 100 0 1 0 work+0x100"});
}

TEST_CASE("perfetto: calls, the work that they launched, and arrows between them") {
  const test::GpuRun gpu;
  const std::vector<std::string> lines = perfetto_lines(gpu.subject());
  CHECK(count_perfetto(lines, "flow|cudaLaunchKernel|add(float, float*)") == 1);
  CHECK(any_perfetto(lines, "slice python3 train.py/GPU 0/stream 7 add(float, float*) kernel 20000 50000",
                     "correlation=77"));
  CHECK(any_perfetto(lines, "slice python3 train.py/GPU 0/stream 7 Memcpy HtoD", "bytes=40000"));
  CHECK(any_perfetto(lines, "slice python3 train.py/1000", "cudaLaunchKernel cuda_runtime 10000 15000 correlation=77"));
  CHECK(any_perfetto(lines, "slice python3 train.py/1000", "caller=train (train.py:10)"));
  CHECK(any_perfetto(lines, "slice python3 train.py/1000", "step user_annotation 5000 105000"));
  CHECK(any_perfetto(lines, "counter python3 train.py/GPU 0 memory ", " 10485760"));
  const test::WaitRun wait(true);
  CHECK(any_perfetto(perfetto_lines(wait.subject()), "slice ", "read wait,file 10000000 210000000 bytes=4096"));
}

TEST_CASE("perfetto: steps lie around their operators, and backward functions have arrows") {
  const test::OperatorTraceRun traced;
  const std::vector<std::string> lines = perfetto_lines(traced.subject());
  CHECK(any_perfetto(lines, "slice ", " ProfilerStep#7 step 100000 205000"));
  CHECK(any_perfetto(lines, "slice ", " ProfilerStep#8 step 205000 300000"));
  CHECK(any_perfetto(lines, "flow|", ""));
}

TEST_CASE("perfetto: names are values") {
  const test::HostileRun run;
  CHECK(any_perfetto(perfetto_lines(run.subject()), "stack 600 ", show::printable(test::kHostile)));
}

TEST_CASE("perfetto: nothing is written of nothing") {
  test::HeapRun run;
  run.selection.pids = {1};
  std::string out;
  CHECK(formats::perfetto_trace(run.subject(), {}, [&out](std::string_view piece) { out += piece; }).packets == 0);
  CHECK(out.empty());
}

TEST_CASE("proto: what is 0 and there, and numbers of eight bytes") {
  using namespace std::string_literals;
  formats::ProtoMessage message;
  message.present(30, std::int64_t{0});
  message.fixed64(47, 0x0102030405060708);
  CHECK(message.bytes() == "\xf0\x01\x00\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01"s);
}
