#include "tests/fuzz/seeds.hpp"

#include <cstring>

namespace prof::fuzz {
namespace {

test::LogBuilder python_log() {
  test::LogBuilder log;
  const auto interpreter = log.module("m");
  const auto f = log.code("f", "C.f", "a.py", 10, std::string("\xd9\x01\x02\xd9\x01\x02", 6));
  const auto g =
      log.code("g", "", "<frozen importlib._bootstrap>", 1, std::string("\x06\x01\x04\xfe", 4), log::CodeKind::Code, 8);
  const auto h = log.code("h", "", "a.py", 5, std::string("\x04\x01\x00\x05\x02\x80", 6), log::CodeKind::Code, 10);
  const auto len = log.code("<built-in method builtins.len>", "", "", 0, "", log::CodeKind::Builtin);
  std::uint32_t node = 0;
  for (std::uint32_t i = 0; i < 12; ++i) {
    node = log.node(i % 6 == 0 ? 0 : node, log.native(interpreter, 0x1000 + i));
    node = log.node(node, log.python(i % 3 == 0 ? f : i % 3 == 1 ? g : h, i == 5 ? log::kNotStarted : i * 2));
    log.cpu(node, 1, 1'000'000, i % 2);
  }
  const auto root = log.node(0, log.special(log::SpecialFrame::ExactCalls));
  const auto caller = log.node(root, log.python(f, log::kWholeCode));
  log.calls(log.node(caller, log.python(len, log::kWholeCode)), {3, 3, 30, 30, 3, 30, 0});
  const auto nobody = log.node(root, log.special(log::SpecialFrame::NoCaller));
  log.calls(log.node(nobody, log.python(f, log::kWholeCode)), {1, 1, 70, 100, 1, 100, 1}, 1);
  const auto lines = log.node(0, log.special(log::SpecialFrame::ExactLines));
  log.lines(log.node(lines, log.python_line(f, 11)), {5, 50});
  log::ImportRecord import{};
  import.total_ns = 100;
  log.import(import, "json");
  for (std::uint32_t slot = 0; slot < 2; ++slot) std::strcpy(log.thread(slot).python_name, "worker");
  log.info(log::InfoKey::Python, "version=3.11.2\npath=m\nframes=on\nmode=calls");
  return log;
}

test::LogBuilder memory_log() {
  test::LogBuilder log;
  log.header.heap_mode = log::HeapMode::Exact;
  for (log::PeakClock* clock : {&log.header.heap, &log.header.maps, &log.header.python}) {
    clock->epoch = 3;
    clock->checkpoint = std::uint64_t{1} << 32 | 24;
  }
  const auto module = log.module("m");
  using enum log::RecordClass;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const auto node = log.node(i % 3, log.native(module, 0x1000 + i * 16));
    log::HeapWords words{};
    words.count = 9 * log::kCountUnit;
    words.bytes = 9000 * (i + 1);
    words.temporary = words.short_lived = i;
    words.largest = 2000;
    words.epoch = i % 4;
    std::vector<std::int64_t> levels;
    for (std::int64_t moment = 0; moment < 12; ++moment) levels.push_back(moment * 4096 * (i % 2 == 0 ? 1 : -1));
    for (const auto& [memory, growth] : {std::pair(Heap, HeapGrowth), {Map, MapGrowth}, {Python, PythonGrowth}}) {
      log.memory(memory, node, words, i % 2);
      log.growth(node, levels, i % 3, growth, i % 2);
    }
    log.once(node, 100 + i, 1 + i % 3, i % 2 == 0 ? 0 : 3, i);
    log.once(node, 100, 1, 0, 0, PythonOnce);
    log.record(HeapSizes, node, log::HeapSizesWords{{1, 2, 3}});
    log.record(PythonSizes, node, log::HeapSizesWords{{4}});
    log.record(Copy, node, log::CopyWords{log::kCountUnit, 1000, 1});
  }
  const std::uint32_t frames[] = {log.native(module, 0x2000), log.native(module, 0x2100)};
  auto strand = log.strand(0, {frames[0]}, 24, 1, log::kBlockMalloc | log::kBlockFreed * 2);
  strand = log.strand(strand, {frames[1], frames[0], frames[1]}, 4000, 2, log::kBlockMalloc, 1);
  const auto below = log.node(strand, frames[0]);
  strand = log.strand(below, {frames[0], frames[1]}, 8, 1, log::kBlockPython | log::kBlockShortLived, 1);
  log.strand(strand - 1, {frames[1]});
  for (const auto node : {strand, below}) {
    log.block(node, 100, 2, log::kBlockMalloc | log::kBlockTemporary | log::kBlockFreed);
    log.block(node, 30, 1, log::kBlockPython, PythonBlock);
  }
  log.thread(0).copies = 6;
  log.thread(1).python_allocations = 5;
  log.series({{0, 10, 5, 1, 1, 100, 200, 7, 50}, {4, 20, 15, 1, 1, 100, 200, 9, 0}}, 1, 1);
  log::MemoryRecord resident{};
  resident.sequence = 2;
  resident.rss = 1000;
  for (auto& part : resident.parts) part = {300, 100, 50, 10};
  log.resident(resident, resident);
  return log;
}

test::LogBuilder gpu_log() {
  test::LogBuilder log;
  using R = log::RecordClass;
  using N = log::NameKind;
  log.header.segments.epoch = log.header.tensors.epoch = 2;
  log.header.segments.checkpoint = std::uint64_t{1} << 32 | 24;
  const auto step = log.named(N::Range, "step", "loop");
  const auto call = log.named(N::Api, "cublasSgemm_v2", "cuBLAS");
  const auto kernel = log.named(N::Kernel, "_Z3addfPf", "", 1), copy = log.named(N::Copy, "HtoD", "pinned");
  const auto special = [&](log::SpecialFrame what) { return log.node(0, log.special(what)); };
  const auto in_step = log.node(0, step), launch = log.node(in_step, call);
  log.record(R::Range, in_step, log::RangeWords{2, 30, 10, 20});
  log.record(R::Api, launch, log::ApiWords{4, 1, 40, 5, 20, 100, 1000, 700});
  log.record(R::Idle, launch, log::IdleWords{2, 50, 40, 10, 10, 10, 10, 10});
  for (const auto frame : {kernel, copy}) {
    log.record(R::Device, log.node(launch, frame), log::DeviceWords{3, 30, 9, 11, 7, 1});
    log.record(R::Device, log.node(special(log::SpecialFrame::UnseenLaunch), frame),
               log::DeviceWords{1, 7, 7, 7, 0, 0});
    log::SpreadWords spread{};
    spread.count[40] = 3;
    log.record(R::Spread, log.node(special(log::SpecialFrame::Spreads), frame), spread);
    const auto stream = log.node(special(log::SpecialFrame::Streams), log.named(N::Stream, "7", "context 1", 1));
    log.record(R::Device, log.node(stream, frame), log::DeviceWords{3, 30, 9, 11, 7, 1});
  }
  log.record(R::Range, log.node(special(log::SpecialFrame::OpenRanges), step), log::RangeWords{1, 9, 9, 9});
  for (const auto& [memory, growth] : {std::pair(R::Segment, R::SegmentGrowth), {R::Tensor, R::TensorGrowth}}) {
    log.memory(memory, launch, test::memory_words(log::kCountUnit, 9000, 0, 0, 9000, 2, 1));
    log.growth(launch, {1000, 5000, 9000, 13000, 20000}, 0, growth);
  }
  log::DeviceRecord device{};
  device.state = 1;
  device.compute_major = 9;
  device.multiprocessors = 132;
  device.clock_khz = 1'980'000;
  device.first_ns = 1'100'000'000;
  device.last_ns = 1'200'000'000;
  device.busy_ns = 50'000'000;
  log.devices({device, device});
  log.device_series(
      1, {{0, 100, 50, 20, 10, 5, 50, 40, 100, 60, 1000, 900}, {3, 100, 0, 20, 10, 9, 50, 40, 100, 60, 1000, 900}});
  log::TraceEvent event{};
  event.kind = static_cast<std::uint32_t>(log::TraceKind::Device);
  event.frame = log::named_frame(3, 1);
  event.node = launch;
  event.end_ns = 10;
  event.correlation = 5;
  log.trace({event, event}, 2, 3);
  log.info(log::InfoKey::Cuda, "state=active\ncupti=130001\nnote=x");
  log.info(log::InfoKey::Window, "open=5\nclose=9");
  log.thread(0);
  return log;
}

test::LogBuilder calls_log() {
  test::LogBuilder log;
  using R = log::RecordClass;
  using N = log::NameKind;
  const auto module = log.module("m");
  const auto special = [&](log::SpecialFrame what) { return log.node(0, log.special(what)); };
  const auto read = log.named(N::Wait, "read", "file"), lock = log.named(N::Wait, "pthread_mutex_lock", "lock");
  const auto sync = log.named(N::Api, "cudaStreamSynchronize", "CUDA runtime");
  const auto main = log.node(0, log.native(module, 0x1000));
  std::uint32_t slot = 0;
  for (const auto frame : {read, lock, sync}) {
    const auto node = log.node(main, frame);
    log.record(R::Wait, node, log::WaitWords{3 * log::kCountUnit, 900'000'000, 2}, slot);
    log.record(R::Hold, node, log::HoldWords{2 * log::kCountUnit, 150'000'000, 90'000'000, 5, 120'000'000}, slot);
    log.cpu(node, 2, 20'000'000, slot++);
  }
  const auto totals = special(log::SpecialFrame::Waits), spreads = special(log::SpecialFrame::Spreads);
  for (const auto frame : {read, lock}) {
    log.record(R::WaitTotal, log.node(totals, frame), log::WaitTotalWords{9, 1, 950'000'000, 7, 5, 8, 4096, 11, 3});
    log::SpreadWords spread{};
    spread.count[60] = 9;
    log.record(R::Spread, log.node(spreads, frame), spread);
  }
  log::FileWords file{};
  file.reads = 4;
  file.read_bytes = 4096;
  file.read_ns = file.slow_read_ns = 900'000;
  const auto files = special(log::SpecialFrame::Files);
  log.record(R::File, log.node(files, log.named(N::File, "/data/a", "file")), file);
  log.record(R::File, log.node(files, log.named(N::File, "pipe:[7]", "pipe")), file, 1);
  const auto locks = special(log::SpecialFrame::Locks);
  const log::LockWords words{1, 3, 900'000, 500'000, 1001, main, main, 0, main, 1001};
  log.record(R::Lock, log.node(locks, log.native(module, 0x5000)), words);
  log.record(R::Lock, log.node(locks, log.frame(log::frame_word(log::FrameKind::Anonymous, 0x7f0000001000))), words, 1);
  log::ThreadUseRecord use{};
  use.known = log::kKnowsRunQueue | log::kKnowsFaults | log::kKnowsStorage | log::kKnowsDelay;
  use.noted_ns = log.header.last_monotonic_ns;
  use.run_queue_ns = 5'000'000;
  log::ThreadUseRecord waiting = use;
  waiting.open_frame = log::named_frame(2, 0);
  waiting.open_since = log.header.start_monotonic_ns;
  log.thread_uses({use, waiting});
  for (slot = 0; slot < 3; ++slot) log.thread(slot).cpu_ns = 30'000'000;
  log.info(log::InfoKey::Options, "PROF_WAIT=on");
  log.info(log::InfoKey::Mounts, "/ ext4 /dev/vda1\n/data\\040set nfs4 host:/x\n");
  return log;
}

test::LogBuilder ticks_log() {
  test::LogBuilder full;
  const auto module = full.module("/bin/program", {1, 2, 3, 4});
  std::uint32_t node = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    node = full.node(i % 5 == 0 ? 0 : node, full.native(module, 0x1000 + i * 16));
    full.cpu(node, 1, 1'000'000, static_cast<std::uint32_t>(i % 3));
    const log::HeapWords words = test::memory_words(log::kCountUnit, 100 * i, 0, 50 * i, 70 * i, i % 3, 1);
    full.memory(log::RecordClass::Heap, node, words);
    full.memory(log::RecordClass::Map, node, words);
  }
  for (std::uint32_t slot = 0; slot < 3; ++slot) full.thread(slot).start_routine = log::native_frame(module, 0x1000);
  full.info(log::InfoKey::Argv, std::string("program\0-x", 10));
  full.child(101, 9, 5'000'000'000);
  full.hole(2);
  full.header.end = log::End::Running;
  return full;
}

// Of an agent that had other fields.
test::LogBuilder other_log() {
  test::LogBuilder log = ticks_log();
  test::ByteVector schema;
  test::append_text(
      schema,
      "class 1 cpu: ns nanoseconds sum; new count sum; samples count sum\n"
      "class 2 heap: freed_bytes bytes sum; bytes bytes sum; 3 count sum; epoch epoch; count 1/65536 sum\n"
      "class 3 map: as class 2\n");
  log.chunk(log::ChunkType::Schema, schema);
  return log;
}

}  // namespace

std::vector<test::LogBuilder> seed_logs() {
  return {test::LogBuilder(), ticks_log(), other_log(), python_log(),
          memory_log(),       gpu_log(),   calls_log(), training_log()};
}

}  // namespace prof::fuzz
