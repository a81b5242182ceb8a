// A run whose names are as bad as names of functions, files and threads can be: what stands in them must not get out of
// its place in any file.
//
//   process 600: <kHostile> (Python) > a function whose name has a mebibyte > <kHostile> in a module of that name: 10
//   ms of CPU time and a block of 4 KiB that lives
#pragma once

#include <string>

#include "tests/unit/support/loaded_run.hpp"

namespace prof::test {

inline const std::string kHostile =
    "a\"b'c;d\nfn=(1) e\r\n</script><!--\\\x1b[31m\x01\xff\xfe,=+1);DROP TABLE x;--\xe2\x80\xae(7)";

class HostileRun : public LoadedRun {
 public:
  HostileRun() {
    LogBuilder log;
    log.header.pid = 600;
    log.header.heap.live = log.header.heap.peak = 4096;
    log.header.heap_mode = log::HeapMode::Exact;
    log.info(log::InfoKey::Argv, kHostile);
    log.info(log::InfoKey::Exe, "/nowhere/" + kHostile);
    log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames");
    const auto bad = log.code(kHostile, kHostile, kHostile + ".py", 1, table(), log::CodeKind::Code, 10);
    const auto big = log.code(long_name(), long_name(), "big.py", 1, table(), log::CodeKind::Code, 10);
    const auto top = log.node(log.node(0, log.python(bad, 0)), log.python(big, 2));
    const auto leaf = log.node(top, log.native(log.module("/nowhere/" + kHostile), 0x100));
    log.thread(0).flags = log::kThreadMain;
    log.thread(0).cpu_ns = 10'000'000;
    log.thread(0).cpu_samples = 1;
    std::strncpy(log.thread(0).name, kHostile.c_str(), sizeof log.thread(0).name - 1);
    log.cpu(leaf, 1, 10'000'000);
    log.memory(log::RecordClass::Heap, leaf, memory_words(log::kCountUnit, 4096, 0, 0, 4096, 1, 1));
    log.series({{0, 4096, 4096, 0, 0, 2 << 20, 2 << 20, 0, 0}, {1, 4096, 4096, 0, 0, 4 << 20, 4 << 20, 0, 0}});
    load(log);
  }

  static std::string long_name() { return std::string(1 << 20, 'n'); }
};

}  // namespace prof::test
