// A run in exact mode with known figures of memory, for tests of what is shown and exported of it.
//
//   process 300 "python3 leak.py", 1.6 s, 16 moments of 100 ms. Python code main() in /app/leak.py, library functions
//   in /usr/lib/python3/dist-packages/lib.py, native ones in a library that does not exist ("libwork.so+0x100"):
//     main:10 > helper:3 > 0x100    grows by 100,000 bytes a moment; two thirds of what line 10 holds
//     main:10 > 0x200               grows by 50,000 bytes a moment
//     main:20 > 0x100               fills up to 10,000,000 bytes and stops at moment 8
//     main:30 > 0x100               5,000,000 bytes at once, kept
//     main:40 > 0x300               70 allocations, 60 of them temporary; 4 KiB of Python objects; 2,000 bytes copied
#pragma once

#include <string>

#include "tests/unit/support/loaded_run.hpp"

namespace prof::test {

class MemoryRun : public LoadedRun {
 public:
  explicit MemoryRun(log::HeapMode mode = log::HeapMode::Exact, const std::string& file = "/app/leak.py") {
    write_log(mode, file);
    load();
  }

 private:
  static constexpr std::uint64_t kMi = 1 << 20;

  // Bytes that stay, of as many blocks as there are moments.
  static log::HeapWords kept(std::int64_t bytes) {
    log::HeapWords words{};
    words.count = 16 * log::kCountUnit;
    words.bytes = static_cast<std::uint64_t>(bytes);
    words.largest = words.bytes / 16;
    return words;
  }

  void write_log(log::HeapMode mode, const std::string& file) {
    LogBuilder log;
    log.header.pid = 300;
    log.header.heap_mode = mode;
    log.header.heap_interval = 512 << 10;
    log.header.start_monotonic_ns = 1'000'000'000;
    log.header.end_monotonic_ns = 2'600'000'000;
    log.header.heap.peak_ns = 2'500'000'000;
    log.header.heap.checkpoint = 16;
    log.info(log::InfoKey::Argv, std::string("python3\0leak.py", 15));
    log.info(log::InfoKey::Options, "PROF_HEAP=exact\nPROF_COPIES=on\nPROF_PYTHON_ALLOC=on");
    log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames");
    const auto work = log.module("/nowhere/libwork.so");
    // One line for each two bytes of code: place 2n is line n + 1 (3.10's table).
    const auto main = log.code("main", "main", file, 0, table(), log::CodeKind::Code, 10);
    const auto helper =
        log.code("helper", "helper", "/usr/lib/python3/dist-packages/lib.py", 0, table(), log::CodeKind::Code, 10);
    const auto line = [&](std::uint32_t number) { return log.node(0, log.python(main, 2 * (number - 1))); };
    const auto ten = line(10), twenty = line(20), thirty = line(30), forty = line(40);
    const auto below = log.node(log.node(ten, log.python(helper, 2 * 2)), log.native(work, 0x100));
    const auto direct = log.node(ten, log.native(work, 0x200));
    const auto cache = log.node(twenty, log.native(work, 0x100)), once = log.node(thirty, log.native(work, 0x100));
    const auto busy = log.node(forty, log.native(work, 0x300));

    std::vector<std::int64_t> a, b, c, d;
    for (std::int64_t i = 1; i <= 16; ++i) {
      a.push_back(i * 100'000);
      b.push_back(i * 50'000);
      c.push_back(std::min<std::int64_t>(i, 8) * 1'250'000);
      d.push_back(5'000'000);
    }
    for (const auto& [node, values] :
         {std::pair(below, a), std::pair(direct, b), std::pair(cache, c), std::pair(once, d)}) {
      log.memory(log::RecordClass::Heap, node, kept(values.back()));
      log.growth(node, values);
    }
    log::HeapWords temporaries{};
    temporaries.count = 70 * log::kCountUnit;
    temporaries.freed_count = 70 * log::kCountUnit;
    temporaries.bytes = temporaries.freed_bytes = 7000;
    temporaries.temporary = 60;
    temporaries.short_lived = 65;
    temporaries.largest = 100;
    log.memory(log::RecordClass::Heap, busy, temporaries);
    log::HeapWords objects{};
    objects.count = 2 * log::kCountUnit;
    objects.bytes = 4096;
    objects.largest = 4000;
    log.memory(log::RecordClass::Python, busy, objects);
    log.record(log::RecordClass::Copy, busy, log::CopyWords{2 * log::kCountUnit, 2000, 1});

    log::ThreadRecord& thread = log.thread(0);
    thread.flags = log::kThreadMain;
    thread.allocations = 134;
    thread.frees = 70;
    thread.allocated_bytes = 17'407'000;
    thread.foreign_frees = 3;
    thread.copies = 20;
    thread.copied_bytes = 2500;
    thread.python_allocations = 2;
    log.series({{0, 1 << 20, 1 << 20, 1 << 19, 0, 3 << 20, 3 << 20, 5, 1 << 20},
                {9, 17 << 20, 16 << 20, 1 << 19, 9, 20 << 20, 21 << 20, 50, 2 << 20}});
    write_resident(log);
    log.write(directory() / "300.1.proflog");
  }

  static void write_resident(LogBuilder& log) {
    const auto part = [](log::MemoryRecord& to, log::MemoryPart which, std::uint64_t rss) {
      to.parts[static_cast<std::size_t>(which)] = {2 * rss, rss, rss / 2, rss / 4};
    };
    log::MemoryRecord high{};
    high.sequence = 2;
    high.monotonic_ns = 2'000'000'000;
    high.rss = 21 * kMi;
    high.pss = 15 * kMi;
    high.uss = 10 * kMi;
    high.heap_live = 12 * kMi;
    high.mappings = 40;
    part(high, log::MemoryPart::Heap, 4 * kMi);
    part(high, log::MemoryPart::Arenas, 10 * kMi);
    part(high, log::MemoryPart::Mapped, 1 * kMi);
    part(high, log::MemoryPart::Code, 3 * kMi);
    part(high, log::MemoryPart::FileData, 2 * kMi);
    log::MemoryRecord last = high;
    last.monotonic_ns = 2'500'000'000;
    last.rss = 20 * kMi;
    last.heap_live = 16 * kMi;
    log.resident(last, high);
  }
};

}  // namespace prof::test
