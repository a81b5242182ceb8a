#include "report/symbols/data_symbols.hpp"

#include <filesystem>

#include "report/symbols/symbols.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;

extern "C" const char __executable_start;

namespace prof::test {
std::uint64_t known_lock[6] = {1};  // as large as a mutex
}

namespace {

std::uint64_t in_file(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(&__executable_start);
}

}  // namespace

TEST_CASE("data symbols: what a lock is called", "[symbols]") {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string file = std::filesystem::path(self).filename().string();
  const std::uint64_t lock = in_file(&test::known_lock);
  const std::string build = symbols::ElfFile::open(self)->build_id();
  const auto names = symbols::resolve_data(self, build, std::vector<std::uint64_t>{lock, lock + 16, 1}, {});
  REQUIRE(names.size() == 3);
  CHECK(names[0] == "prof::test::known_lock in " + file);
  CHECK(names[1] == "prof::test::known_lock+0x10 in " + file);
  CHECK(names[2] == file + "+0x1");
  CHECK(symbols::resolve_data(self, "1234", std::vector<std::uint64_t>{lock}, {}).front().starts_with(file + "+0x"));
  CHECK(symbols::resolve_data("/nowhere/lib.so", "", std::vector<std::uint64_t>{0x4060}, {}).front() ==
        "lib.so+0x4060");
}

TEST_CASE("locks have names, and are no functions", "[symbols]") {
  test::LogBuilder log;
  const auto module = log.module("/nowhere/libwork.so");
  const auto locks = log.node(0, log.special(log::SpecialFrame::Locks));
  const auto data = log.native(module, 0x4060);
  const auto heap = log.frame(log::frame_word(log::FrameKind::Anonymous, 0x7f0000001000));
  for (const auto frame : {data, heap}) {
    log.record(log::RecordClass::Lock, log.node(locks, frame), log::LockWords{1, 3, 9, 5, 0, 0, 0, 0, 0, 0});
  }
  log.cpu(log.node(0, log.native(module, 0x100)), 1, 5);
  char pattern[] = "/tmp/prof-unit-XXXXXX";
  const std::filesystem::path directory = mkdtemp(pattern);
  log.write(directory / "100.1.proflog");
  const model::Run run = model::load(directory);
  std::filesystem::remove_all(directory);
  const symbols::Symbols symbols = symbols::symbolize(run);
  const auto& rows = run.processes[0].tree.locks;
  REQUIRE(rows.size() == 2);
  CHECK(symbols.data_name(0, rows[0].frame) == "libwork.so+0x4060");
  CHECK(symbols.data_name(0, rows[1].frame) == "0x7f0000001000 (heap)");
  CHECK(symbols.locations(0, rows[0].frame).empty());
  for (std::uint32_t i = 0; i < symbols.function_count(); ++i) {
    CHECK(symbols.function(i).name != "libwork.so+0x4060");
  }
  REQUIRE(symbols.modules().size() == 1);
  CHECK(symbols.modules()[0].addresses == 1);
}
