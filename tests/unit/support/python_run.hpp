// A run of a Python program with known figures, for tests of what is shown and exported of Python.
//
//   process 200 "python3 train.py" in a folder that has train.py (kSource). Native functions are in a library that does
//   not exist: "libwork.so+0x100" and so on. CPU, outermost frame first:
//     <module>:11 > Trainer.fit:5                                     20 ms
//     <module>:11 > Trainer.fit:5 > 0x100                             30 ms, in thread 1 (named "helper" by Python)
//     <module>:11 > Trainer.fit:6 > dispatcher > 0x200                10 ms
//     <module>:11 > Trainer.fit:6 > Trainer.fit:5                     10 ms
//     0x300                                                            5 ms
//   and 4 KiB were allocated below <module>:11 > Trainer.fit:6 > 0x100.
//   Exact calls, lines and imports: see the tables in the constructor.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/support/loaded_run.hpp"

namespace prof::test {

inline constexpr char kSource[] =
    "import json\n"                 // 1
    "\n"                            // 2
    "class Trainer:\n"              // 3
    "    def fit(self):\n"          // 4
    "        a = work()\n"          // 5
    "        return self.fit(a)\n"  // 6
    "\n"                            // 7
    "    def other(self):\n"        // 8
    "\t\treturn '\x1b[31m'\n"       // 9
    "\n"                            // 10
    "Trainer().fit()\n";            // 11

class PythonRun : public LoadedRun {
 public:
  explicit PythonRun(const std::string& mode = "calls") {
    write_source(kSource);
    write_log(mode);
    load(directory() / "run");
  }
  std::filesystem::path source() const { return directory() / "train.py"; }
  void write_source(const std::string& text) const { std::ofstream(source(), std::ios::binary) << text; }

 private:
  static constexpr std::uint64_t kMs = 1'000'000;

  // The table of Python 3.10: how many bytes of code, how many lines further.
  static std::string table(std::initializer_list<int> pairs) {
    std::string out;
    for (const int value : pairs) out += static_cast<char>(value);
    return out;
  }

  void write_log(const std::string& mode) {
    LogBuilder log;
    log.header.pid = 200;
    log.header.log_id = 1;
    log.header.cpu_ns = 75 * kMs;
    log.header.exit_code = 0;
    log.header.heap_mode = log::HeapMode::Sampled;
    log.header.heap_interval = 512 << 10;
    log.header.start_realtime_ns = 4'000'000'000'000'000'000;  // later than the source file
    log.info(log::InfoKey::Argv, std::string("python3\0train.py", 16));
    log.info(log::InfoKey::Cwd, directory().string());
    log.info(log::InfoKey::Python, "version=3.10.13\nframes=on\nmode=" + mode);
    const std::uint32_t library = log.module("/nowhere/libwork.so");
    const std::uint32_t module = log.code("<module>", "", "train.py", 1, table({2, 10}), log::CodeKind::Code, 10);
    const std::uint32_t fit =
        log.code("fit", "Trainer.fit", "train.py", 4, table({2, 1, 2, 1}), log::CodeKind::Code, 10);
    const std::uint32_t dispatcher =
        log.code("dot", "", "<__array_function__ internals>", 177, table({2, 3}), log::CodeKind::Code, 10);
    const std::uint32_t length = log.code("<built-in method builtins.len>", "", "", 0, "", log::CodeKind::Builtin, 10);

    const std::uint32_t top = log.node(0, log.python(module, 0));
    const std::uint32_t line5 = log.python(fit, 0), line6 = log.python(fit, 2);
    const std::uint32_t native1 = log.native(library, 0x100);
    const std::uint32_t at5 = log.node(top, line5), at6 = log.node(top, line6);
    log.thread(0).flags = log::kThreadMain;
    log.thread(0).cpu_ns = 45 * kMs;
    log.thread(0).cpu_samples = 5;
    std::strcpy(log.thread(1).name, "python3");
    std::strcpy(log.thread(1).python_name, "helper");
    log.thread(1).cpu_ns = 30 * kMs;
    log.thread(1).cpu_samples = 3;
    log.cpu(at5, 2, 20 * kMs);
    log.cpu(log.node(at5, native1), 3, 30 * kMs, 1);
    log.cpu(log.node(log.node(at6, log.python(dispatcher, 0)), log.native(library, 0x200)), 1, 10 * kMs);
    log.cpu(log.node(at6, line5), 1, 10 * kMs);
    log.cpu(log.node(0, log.native(library, 0x300)), 1, 5 * kMs);
    log::HeapWords block{};
    block.count = log::kCountUnit;
    block.bytes = 4096;
    block.samples = 1;
    log.memory(log::RecordClass::Heap, log.node(at6, native1), block);

    const std::uint32_t root = log.node(0, log.special(log::SpecialFrame::ExactCalls));
    const std::uint32_t whole_module = log.python(module, log::kWholeCode),
                        whole_fit = log.python(fit, log::kWholeCode);
    const std::uint32_t whole_length = log.python(length, log::kWholeCode);
    const std::uint32_t nobody = log.node(root, log.special(log::SpecialFrame::NoCaller));
    const std::uint32_t by_module = log.node(root, whole_module), by_fit = log.node(root, whole_fit);
    // calls, primitive, self, outer, edge calls, edge outer, raised
    log.calls(log.node(nobody, whole_module), {1, 1, 1 * kMs, 100 * kMs, 1, 100 * kMs, 0});
    log.calls(log.node(by_module, whole_fit), {2, 2, 10 * kMs, 90 * kMs, 2, 90 * kMs, 0});
    log.calls(log.node(by_fit, whole_fit), {6, 0, 30 * kMs, 0, 2, 60 * kMs, 1});
    const std::uint32_t fit_length = log.node(by_fit, whole_length);
    log.calls(fit_length, {5, 5, 4 * kMs, 4 * kMs, 5, 4 * kMs, 0});
    log.calls(fit_length, {7, 7, 6 * kMs, 6 * kMs, 7, 6 * kMs, 0}, 1);

    const std::uint32_t lines = log.node(0, log.special(log::SpecialFrame::ExactLines));
    log.lines(log.node(lines, log.python_line(fit, 5)), {8, 6 * kMs});
    log.lines(log.node(lines, log.python_line(fit, 6)), {4, 18 * kMs});

    // In the order of their ends; slot 0.
    const std::uint64_t start = log.header.start_monotonic_ns;
    const auto import = [&](const char* name, std::uint32_t depth, std::uint64_t from, std::uint64_t total,
                            std::uint64_t nested, bool failed = false) {
      log::ImportRecord record{};
      record.depth = depth;
      record.start_ns = start + from * kMs;
      record.total_ns = total * kMs;
      record.nested_ns = nested * kMs;
      record.flags = failed ? log::kImportFailed : 0;
      log.import(record, name);
    };
    import("json.scanner", 2, 12, 1, 0);
    import("json.decoder", 1, 11, 5, 1);
    import("json.encoder", 1, 17, 3, 0, true);
    import("json", 0, 10, 20, 8);
    import("enum", 0, 40, 10, 0);
    std::filesystem::create_directory(directory() / "run");
    log.write(directory() / "run" / "200.1.proflog");
  }
};

}  // namespace prof::test
