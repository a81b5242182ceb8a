#include "report/fold/waiting/files.hpp"

#include <algorithm>
#include <string>

#include "report/formats/csv.hpp"
#include "report/formats/json.hpp"
#include "report/formats/json_value.hpp"
#include "report/show/table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/loaded_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using fold::FileKind;
using test::cell;
using test::LogBuilder;
using test::says;
using test::text;

namespace {

constexpr std::uint64_t kMs = 1'000'000, kMi = 1 << 20;

// Two processes and three threads that use a few names.
class FileRun : public test::LoadedRun {
 public:
  FileRun() {
    write_parent();
    write_child();
    load();
  }

  const fold::FileRow& row(const std::string& name) {
    rows_ = fold::files(run, selection);
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const auto& one) { return one.name == name; });
    REQUIRE(found != rows_.end());
    return *found;
  }

 private:
  static void add(LogBuilder& log, const char* name, const char* group, const log::FileWords& words,
                  std::uint32_t slot = 0) {
    const auto files = log.node(0, log.special(log::SpecialFrame::Files));
    log.record(log::RecordClass::File, log.node(files, log.named(log::NameKind::File, name, group)), words, slot);
  }
  static log::FileWords reads(std::uint64_t count, std::uint64_t bytes, std::uint64_t ns, std::uint64_t sequential) {
    log::FileWords words{};
    words.reads = count;
    words.read_bytes = bytes;
    words.read_ns = ns;
    words.read_max_ns = ns / 2;
    words.sequential_reads = sequential;
    return words;
  }

  void write_parent() {
    LogBuilder log;
    log.header.pid = 100;
    log.header.log_id = 1;
    log.info(log::InfoKey::Options, "PROF_WAIT=on");
    log.info(log::InfoKey::Argv, std::string("python3\0train.py", 16));
    log.info(log::InfoKey::Mounts,
             "/ overlay overlay\n/data ext4 /dev/sdb1\n/data/my\\040set nfs4 server:/export\n/data ext4 /dev/sda1");
    log.thread(0).flags = log::kThreadMain;
    log.thread(1);
    log::FileWords whole = reads(10, 10 * kMi, 100 * kMs, 10);
    whole.opens = 1;
    whole.open_ns = kMs;
    whole.slow_reads = 8;
    whole.slow_read_ns = 80 * kMs;
    add(log, "/data/images.bin", "file", whole);
    add(log, "/data/images.bin", "file", reads(10, 10 * kMi, 100 * kMs, 4), 1);
    add(log, "/data/my set/index", "file", reads(4, 400, kMs, 0));
    log::FileWords written{};
    written.writes = 2;
    written.write_bytes = 2 * kMi;
    written.write_ns = 10 * kMs;
    written.sequential_writes = 2;
    written.syncs = 1;
    written.sync_ns = 5 * kMs;
    written.seeks = 3;
    written.failed = 1;
    add(log, "/databases/log", "file", written);
    log::FileWords waits = reads(5, 5000, 2 * kMs, 0);
    waits.polls = 5;
    waits.poll_ns = 500 * kMs;
    add(log, "pipe:[77]", "pipe", waits);
    log::ThreadUseRecord use{};
    use.known = log::kKnowsFaults | log::kKnowsStorage;
    use.noted_ns = 5;
    use.major_faults = 12;
    use.storage_read_bytes = 5 * kMi;
    test::ByteVector content;
    test::append(content, use);
    log.chunk(log::ChunkType::ThreadUse, content);
    log.write(directory() / "100.1.proflog");
  }

  void write_child() {
    LogBuilder log;
    log.header.pid = 101;
    log.header.ppid = 100;
    log.header.log_id = 2;
    log.header.parent_log_id = 1;
    log.header.origin = log::Origin::Forked;
    log.info(log::InfoKey::Options, "PROF_WAIT=on");
    log.info(log::InfoKey::Mounts, "/ overlay overlay\n/data ext4 /dev/sda1");
    log.thread(0).flags = log::kThreadMain;
    add(log, "/data/images.bin", "file", reads(10, 20 * kMi, 200 * kMs, 10));
    add(log, "/data/many", "files", reads(100, kMi, 20 * kMs, 50));
    log.write(directory() / "101.1.proflog");
  }

  std::vector<fold::FileRow> rows_;
};

}  // namespace

TEST_CASE("files: one row a name, over threads and processes", "[fold]") {
  FileRun files;
  const fold::FileRow& images = files.row("/data/images.bin");
  CHECK(images.kind == FileKind::File);
  CHECK(images.processes == 2);
  CHECK(images.use.reads == 30);
  CHECK(images.use.read_bytes == 40 * static_cast<std::int64_t>(kMi));
  CHECK(images.use.read_ns == 400 * static_cast<std::int64_t>(kMs));
  CHECK(images.use.read_max_ns == 100 * static_cast<std::int64_t>(kMs));
  CHECK(*fold::sequential_share(images.use) == Approx(0.8));
  CHECK(*fold::slow_read_share(images.use) == Approx(0.2));
  CHECK(files.row("pipe:[77]").kind == FileKind::Pipe);
  CHECK(files.row("/data/many").kind == FileKind::Directory);

  // By time.
  const auto rows = fold::files(files.run, files.selection);
  CHECK(rows.front().name == "pipe:[77]");
  CHECK(std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.use.ns() > b.use.ns(); }));

  files.selection.threads = {"1001"};
  CHECK(files.row("/data/images.bin").use.reads == 10);
  files.selection.threads.clear();
  files.selection.pids = {101};
  CHECK(files.row("/data/images.bin").use.reads == 10);
  CHECK(fold::files(files.run, files.selection).size() == 2);
}

TEST_CASE("files lie on the file system with the longest path above them", "[fold]") {
  FileRun files;
  const auto& images = files.row("/data/images.bin");
  REQUIRE(images.mount);
  CHECK(images.mount->path == "/data");
  CHECK(images.mount->source == "/dev/sda1");  // mounted later, over the other one
  CHECK(files.row("/data/my set/index").mount->type == "nfs4");
  CHECK(files.row("/databases/log").mount->path == "/");  // not on /data
  CHECK_FALSE(files.row("pipe:[77]").mount);

  const auto volumes = fold::volumes(fold::files(files.run, files.selection));
  REQUIRE(volumes.size() == 3);
  CHECK(volumes[0].mount->path == "/data");
  CHECK(volumes[0].files == 2);
  CHECK(volumes[0].use.reads == 130);

  for (model::Process& process : files.run.processes) process.mounts.clear();
  const auto directories = fold::volumes(fold::files(files.run, files.selection));
  REQUIRE(directories.size() == 4);
  CHECK(directories[0].directory == "/data");
  CHECK_FALSE(directories[0].mount);
  CHECK(directories[1].directory == "/data/many");
}

TEST_CASE("files: what is too little to tell is not told", "[fold]") {
  model::FileMetric use;
  CHECK_FALSE(fold::sequential_share(use));
  CHECK_FALSE(fold::slow_read_share(use));
  use.reads = 1;
  CHECK_FALSE(fold::sequential_share(use));
  use.reads = 2;
  use.sequential_reads = INT64_MAX;  // of a damaged log
  use.slow_read_ns = INT64_MAX;
  use.read_ns = 1;
  CHECK(*fold::sequential_share(use) == 1.0);
  CHECK(*fold::slow_read_share(use) == 1.0);
}

TEST_CASE("files view: files, file systems, and what is no file", "[show]") {
  FileRun files;
  const auto sheets = test::sheets_of("files", files.subject(), {});
  REQUIRE(sheets.size() == 3);
  CHECK(cell(sheets[0], "name", "/data/images.bin", "pattern") == text("mixed 80 % seq"));
  CHECK(cell(sheets[0], "name", "/data/images.bin", "source") == text("storage 20.0 % of time"));
  CHECK(cell(sheets[0], "name", "/data/my set/index", "pattern") == text("random"));
  CHECK(cell(sheets[0], "name", "/data/my set/index", "source") == text("cache"));
  CHECK(cell(sheets[0], "name", "/databases/log", "pattern") == text("sequential"));
  CHECK(cell(sheets[0], "name", "/databases/log", "source") == text(""));
  CHECK(cell(sheets[1], "name", "ext4 /dev/sda1 on /data", "names") == show::Cell(std::int64_t{2}));
  CHECK(cell(sheets[2], "name", "pipe:[77]", "wait_ns") == show::Cell(static_cast<std::int64_t>(500 * kMs)));
  CHECK(says(sheets[0], "pid 100 (python3 train.py): read 5.00 MiB and wrote 0 B; 12 page faults waited for it."));
  CHECK(says(sheets[0], "50.0 us and 1 ns a byte"));
  for (const show::Sheet& sheet : sheets) {
    for (const show::Row& row : sheet.rows) CHECK(row.cells.size() == sheet.columns.size());
    CHECK_FALSE(show::table(sheet, show::Terminal{}).empty());
  }

  const auto bytes = test::sheets_of("files", files.subject(), {.sort = show::SortKey::Bytes, .limit = 1});
  REQUIRE(bytes[0].rows.size() == 1);
  CHECK(bytes[0].rows[0].cells.back() == text("/data/images.bin"));

  const auto all = test::sheets_of("files", files.subject(), {.everything = true});
  REQUIRE(all.size() == 1);
  CHECK(all[0].rows.size() == 5);
  CHECK(cell(all[0], "name", "pipe:[77]", "kind") == text("pipe"));
  CHECK(cell(all[0], "name", "pipe:[77]", "sequential_share") == show::Cell());
  CHECK(formats::csv(all[0]).find("/dev/sda1 on /data") != std::string::npos);
}

TEST_CASE("files, locks and loading say why they are empty", "[show]") {
  test::SmallRun none;
  const auto check = [&](const std::string& words) {
    for (const auto& sheets :
         {test::sheets_of("files", none.subject(), {}), test::sheets_of("locks", none.subject(), {}),
          test::sheets_of("loading", none.subject(), {})}) {
      INFO(sheets.front().title);
      CHECK(sheets.front().rows.empty());
      CHECK(says(sheets.front(), words));
    }
  };
  check("No selected process made a blocking call");
  none.run.processes[0].options = "PROF_WAIT=off";
  check("PROF_WAIT=off was in force");
  const formats::Json json = formats::Json::parse(formats::json(none.subject(), {}));
  for (const char* section : {"files", "file_systems", "storage", "locks", "data_loading"}) {
    CHECK(json.at(section).is_null());
  }
}

TEST_CASE("files in JSON", "[formats]") {
  FileRun files;
  const formats::Json json = formats::Json::parse(formats::json(files.subject(), {}));
  const auto& rows = json.at("files");
  const auto images =
      std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row.at("name") == "/data/images.bin"; });
  REQUIRE(images != rows.end());
  CHECK(images->at("kind") == "file");
  CHECK(images->at("mount").at("type") == "ext4");
  CHECK(images->at("reads") == 30);
  CHECK(images->at("read_s").get<double>() == Approx(0.4));
  CHECK(images->at("read_bytes_per_s").get<double>() == Approx(100 * (1 << 20)));
  CHECK(images->at("max_write_s").is_null());
  CHECK(json.at("file_systems").size() == 3);
  CHECK(json.at("storage").at(0).at("major_faults") == 12);
  CHECK(json.at("storage").at(0).at("wait_s").is_null());
}
