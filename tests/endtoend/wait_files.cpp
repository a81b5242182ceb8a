// What programs did to files, compared with their own ledgers.
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/log_tree.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/wait_log.hpp"

using namespace prof;
using namespace prof::test;

namespace {

using log::FileWords;

// Of a run, all processes together: figures by the name of the file, with its group.
std::map<std::string, FileWords> files_of(const std::filesystem::path& run) {
  std::map<std::string, FileWords> files;
  for (const auto& path : logs_in(run)) {
    const LogTree tree(path);
    for (const auto& row : tree.rows<FileWords>(log::RecordClass::File)) {
      REQUIRE(row.path.size() == 2);
      auto& sum = reinterpret_cast<std::uint64_t(&)[log::kFileWordCount]>(files[row.path[1]]);
      const auto& words = reinterpret_cast<const std::uint64_t(&)[log::kFileWordCount]>(row.words);
      for (std::size_t i = 0; i < log::kFileWordCount; ++i) sum[i] += words[i];
    }
  }
  return files;
}

std::uint64_t value_of(const FileWords& w, const std::string& what) {
  const std::map<std::string, std::uint64_t FileWords::*> members = {
      {"opens", &FileWords::opens},
      {"reads", &FileWords::reads},
      {"read_bytes", &FileWords::read_bytes},
      {"sequential_reads", &FileWords::sequential_reads},
      {"writes", &FileWords::writes},
      {"write_bytes", &FileWords::write_bytes},
      {"sequential_writes", &FileWords::sequential_writes},
      {"syncs", &FileWords::syncs},
      {"seeks", &FileWords::seeks}};
  return w.*members.at(what);
}

std::uint64_t losses(const std::filesystem::path& run, log::Loss loss) {
  std::uint64_t n = 0;
  for (const auto& path : logs_in(run)) n += LogTree(path).loss(loss);
  return n;
}

}  // namespace

// Catches names that stay behind when a descriptor's number is another file's, descriptors that are not followed
// through dup and chdir, bytes that stdio read ahead and nobody asked for, and children that begin without a table.
TEST_CASE("each file has the opens, calls and bytes that the program itself counted") {
  TempDir temp;
  std::filesystem::create_directory(temp / "work");
  const Outcome run =
      Command::victim("wait_files", {"all"}).profiled(temp / "run").set("PROF_SEED", "1").in(temp / "work").run();
  INFO(run);
  REQUIRE(run.ok());
  const auto files = files_of(temp / "run");
  const std::string work = std::filesystem::canonical(temp / "work").string();
  std::map<std::string, std::uint64_t> ledger;
  std::istringstream lines(run.out);
  std::string name;
  std::uint64_t n = 0;
  while (lines >> name >> n) ledger[name] += n;
  REQUIRE(ledger.size() > 40);
  for (const auto& [key, wanted] : ledger) {
    const std::size_t dot = key.rfind('.');
    const std::string path = "file/" + work + "/" + key.substr(0, dot);
    INFO(key);
    REQUIRE(files.count(path) == 1);
    CHECK(value_of(files.at(path), key.substr(dot + 1)) == wanted);
  }
  // Names that were only looked for are told by their directory.
  const auto sub = files.find("files/" + work + "/sub");
  REQUIRE(sub != files.end());
  CHECK(sub->second.failed >= 50);
  for (const auto& [path, words] : files) {
    INFO(path);
    CHECK(path.find("missing-") == std::string::npos);
    CHECK(words.slow_read_ns <= words.read_ns);
    CHECK(words.read_max_ns <= words.read_ns);
    CHECK(words.failed <=
          words.opens + words.reads + words.writes + words.syncs + words.seeks + words.polls + words.others);
  }
  CHECK(losses(temp / "run", log::Loss::FileTableFull) == 0);
}

// Catches a table that believes what it was told once.
TEST_CASE("a descriptor that was closed and opened past libc is another file soon") {
  TempDir temp;
  std::filesystem::create_directory(temp / "work");
  const Outcome run = Command::victim("wait_files", {"stale"}).profiled(temp / "run").in(temp / "work").run();
  INFO(run);
  REQUIRE(run.ok());
  const auto files = files_of(temp / "run");
  const std::string work = std::filesystem::canonical(temp / "work").string();
  const FileWords before = files.at("file/" + work + "/before"), after = files.at("file/" + work + "/after");
  CHECK(before.read_bytes + after.read_bytes == 1'000'010);
  CHECK(after.read_bytes > 900'000);
}

// Catches a log that grows with the number of files.
TEST_CASE("ten thousand files are told within the bound, and none of their bytes is missing") {
  TempDir temp;
  std::filesystem::create_directory(temp / "work");
  const Outcome run = Command::victim("wait_files", {"many", "10000"}).profiled(temp / "run").in(temp / "work").run();
  INFO(run);
  REQUIRE(run.ok());
  const auto files = files_of(temp / "run");
  const std::string work = std::filesystem::canonical(temp / "work").string();
  CHECK(files.size() > 1900);
  CHECK(files.size() < 2100);
  std::uint64_t opens = 0, writes = 0, bytes = 0;
  for (const auto& [path, words] : files) {
    if (path.find(work + "/d") == std::string::npos) continue;
    opens += words.opens;
    writes += words.writes;
    bytes += words.write_bytes;
  }
  CHECK(opens == 10000);
  CHECK(writes == 10000);
  CHECK(bytes == 100000);
  CHECK(losses(temp / "run", log::Loss::FileTableFull) >= 8000);
}

// Catches a name that is checked, and kept though it was taken for a file's: a call that waits has its descriptor
// looked at, the open too.
TEST_CASE("a FIFO whose open waits is a pipe from its first read on") {
  TempDir temp;
  std::filesystem::create_directory(temp / "work");
  const Outcome run = Command::victim("wait_files", {"late-fifo"}).profiled(temp / "run").in(temp / "work").run();
  INFO(run);
  REQUIRE(run.ok());
  const auto files = files_of(temp / "run");
  const std::string name = std::filesystem::canonical(temp / "work").string() + "/fifo";
  CHECK(files.at("pipe/" + name).reads == 1);
  CHECK(files.at("pipe/" + name).read_bytes == 100);
  const auto as_file = files.find("file/" + name);
  if (as_file != files.end()) CHECK(as_file->second.reads == 0);
}

// Catches a class that is guessed from how a descriptor was made.
TEST_CASE("a wait for who writes into a FIFO is a pipe's, not a file's") {
  TempDir temp;
  std::filesystem::create_directory(temp / "work");
  const Outcome run = Command::victim("wait_files", {"fifo"}).profiled(temp / "run").in(temp / "work").run();
  INFO(run);
  REQUIRE(run.ok());
  const auto files = files_of(temp / "run");
  const FileWords fifo = files.at("pipe/" + std::filesystem::canonical(temp / "work").string() + "/fifo");
  CHECK(fifo.reads == 1);
  CHECK(fifo.read_bytes == 100);
  CHECK(fifo.read_ns > 30'000'000);
  CHECK(fifo.slow_reads == 0);
  std::uint64_t of_pipes = 0, of_files = 0;
  for (const auto& path : logs_in(temp / "run")) {
    const LogTree tree(path);
    of_pipes += tree.sum(log::RecordClass::WaitTotal, &log::WaitTotalWords::total_ns, "pipe/read");
    of_files += tree.sum(log::RecordClass::WaitTotal, &log::WaitTotalWords::total_ns, "file/read");
  }
  CHECK(of_pipes >= fifo.read_ns);
  CHECK(of_files == 0);
}

TEST_CASE("a listing counts the calls that ask the kernel, and not each entry") {
  TempDir temp;
  std::filesystem::create_directory(temp / "many");
  constexpr int kFiles = 3000;
  for (int i = 0; i < kFiles; ++i) std::ofstream(temp / "many" / ("file number " + std::to_string(i)));
  const Command command({"/bin/ls", "-f", (temp / "many").string()});
  const Outcome alone = command.run();
  Command with = command;
  const Outcome run = with.profiled(temp / "run").run();
  REQUIRE(run.ok());
  CHECK(run.out == alone.out);
  const log::WaitTotalWords words = total(LogTree(logs_in(temp / "run").front()), "file/readdir");
  CHECK(words.calls >= 3);  // libc reads 32 KiB at once, and learns of the end
  CHECK(words.calls <= kFiles / 100);
  CHECK(words.failed == 0);
}

TEST_CASE("PROF_WAIT=off leaves files alone") {
  TempDir temp;
  std::filesystem::create_directory(temp / "work");
  const Outcome run =
      Command::victim("wait_files", {"all"}).profiled(temp / "run").set("PROF_WAIT", "off").in(temp / "work").run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(files_of(temp / "run").empty());
}

TEST_CASE("the log says what files lie on") {
  TempDir temp;
  std::filesystem::create_directory(temp / "work");
  const Outcome run = Command::victim("wait_files", {"stale"}).profiled(temp / "run").in(temp / "work").run();
  REQUIRE(run.ok());
  const auto logs = logs_in(temp / "run");
  REQUIRE(logs.size() == 1);
  const auto mounts = LogTree(logs[0]).info(log::InfoKey::Mounts);
  REQUIRE(mounts.size() == 1);
  bool root = false;
  std::istringstream lines(mounts[0]);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string path, type, source, more;
    REQUIRE(words >> path >> type >> source);
    CHECK_FALSE(words >> more);
    CHECK(path.front() == '/');
    root |= path == "/";
  }
  std::ifstream all("/proc/self/mounts");  // a changed root is on none of its own
  bool expected = false;
  for (std::string line; std::getline(all, line);) expected |= line.find(" / ") != std::string::npos;
  CHECK(root == expected);
}

// Catches wrappers that touch what they are given, lose errno, or pass a mode that is none.
TEST_CASE("functions on files fail as they do alone") {
  TempDir temp;
  std::filesystem::create_directory(temp / "bare");
  std::filesystem::create_directory(temp / "profiled");
  const Outcome bare = Command::victim("wait_files_errors").in(temp / "bare").run();
  INFO(bare);
  REQUIRE(bare.ok());
  for (const char* wait : {"on", "off"}) {
    std::filesystem::remove_all(temp / "profiled");
    std::filesystem::create_directory(temp / "profiled");
    const Outcome run = Command::victim("wait_files_errors")
                            .profiled(temp / (std::string("run-") + wait))
                            .set("PROF_WAIT", wait)
                            .in(temp / "profiled")
                            .run();
    INFO(run);
    REQUIRE(run.ok());
    CHECK(run.out == bare.out);
  }
}
