#include "report/fold/waiting/locks.hpp"

#include <algorithm>
#include <string>

#include "report/fold/line_tree.hpp"
#include "report/formats/json.hpp"
#include "report/formats/json_value.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/loaded_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using test::cell;
using test::LogBuilder;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::uint64_t kHeap = 0x7fffee001230;

// Two processes: a lock that is a variable of a library in both, and one on the heap of each at the same address.
//
//   take() in libwork.so (0x100) waits for the variable, thread "keeper" holds it; worker() in /app/pool.py for the
//   lock on the heap, which make() made, like another one.
class LockRun : public test::LoadedRun {
 public:
  LockRun() {
    write(100, 10 * kMs);
    write(101, 40 * kMs);
    load();
  }

 private:
  void write(std::uint32_t pid, std::uint64_t longest) {
    using R = log::RecordClass;
    LogBuilder log;
    log.header.pid = pid;
    log.header.log_id = pid;
    log.header.start_realtime_ns += pid;
    log.info(log::InfoKey::Options, "PROF_WAIT=on");
    log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames");
    log.thread(0).flags = log::kThreadMain;
    std::strcpy(log.thread(1).name, "keeper");
    const auto library = log.module("/nowhere/libwork.so");
    const auto code = [&](const char* name, int line) {
      return log.code(name, name, "/app/pool.py", line, "", log::CodeKind::Code, 10);
    };
    const auto lock_call = log.named(log::NameKind::Wait, "pthread_mutex_lock", "lock");
    const auto take = log.node(log.node(0, log.native(library, 0x100)), lock_call);
    const auto worker = log.node(log.node(0, log.python(code("worker", 5), 0)), lock_call);
    const auto make = log.node(0, log.python(code("make", 2), 0));
    log.record(R::Wait, take, log::WaitWords{3 * log::kCountUnit, longest + 5 * kMs, 3});
    log.record(R::Wait, worker, log::WaitWords{2 * log::kCountUnit, 7 * kMs, 2});

    const auto locks = log.node(0, log.special(log::SpecialFrame::Locks));
    log::LockWords words{};
    words.kind = static_cast<std::uint64_t>(log::LockKind::Mutex);
    words.waits = 3;
    words.ns = longest + 5 * kMs;
    words.max_ns = longest;
    words.longest_holder = 1001;
    words.longest_waiter = take;
    log.record(R::Lock, log.node(locks, log.native(library, 0x4060)), words);
    const auto heap = log.node(locks, log.frame(log::frame_word(log::FrameKind::Anonymous, kHeap)));
    log::LockWords half{};
    half.kind = words.kind;
    half.waits = 1;
    half.ns = half.max_ns = 3 * kMs;
    half.longest_waiter = worker;
    half.longest_holder = 4711;
    half.created = make;
    log.record(R::Lock, heap, half, 0);
    half.ns = half.max_ns = 4 * kMs;
    half.longest_holder = 1001;
    half.failed = 1;
    log.record(R::Lock, heap, half, 1);
    // Another one of the same place.
    half.ns = half.max_ns = kMs;
    half.failed = 0;
    log.record(R::Lock, log.node(locks, log.frame(log::frame_word(log::FrameKind::Anonymous, kHeap + 64))), half, 0);

    const auto waits = log.node(0, log.special(log::SpecialFrame::Waits));
    log::WaitTotalWords total{};
    total.calls = 5;
    total.total_ns = longest + 12 * kMs;
    total.uncontended = 1'000;
    log.record(R::WaitTotal, log.node(waits, lock_call), total);
    log.write(directory() / (std::to_string(pid) + ".1.proflog"));
  }
};

std::string text(const show::Cell& cell) { return std::get<std::string>(cell); }

}  // namespace

TEST_CASE("locks: variables over processes, others by process", "[fold]") {
  LockRun run;
  const auto rows = fold::locks(run.run, run.symbols, run.selection);
  REQUIRE(rows.size() == 3);
  const fold::LockRow& variable = rows[0];
  CHECK(variable.variable);
  CHECK(variable.name.find("libwork.so") != std::string::npos);
  CHECK(variable.processes == 2);
  CHECK(variable.use.waits == 6);
  CHECK(variable.use.ns == 60 * kMs);
  CHECK(variable.use.max_ns == 40 * kMs);
  CHECK(run.run.processes[variable.process].pid == 101);  // where the longest wait was
  CHECK(variable.use.longest_holder == 1001);
  REQUIRE(variable.waiter != fold::kNobody);
  CHECK(run.symbols.function(run.symbols.location(variable.waiter).function).name == "libwork.so+0x100");
  CHECK(variable.created == fold::kNobody);

  for (const std::size_t i : {1, 2}) {
    CHECK_FALSE(rows[i].variable);
    CHECK(rows[i].name.find("0x7fffee001230") != std::string::npos);
    CHECK(rows[i].locks == 2);      // that make() made
    CHECK(rows[i].use.waits == 3);  // of both threads
    CHECK(rows[i].use.failed == 1);
    CHECK(rows[i].use.longest_holder == 1001);  // of the longer wait
    CHECK(run.symbols.function(run.symbols.location(rows[i].created).function).name == "make");
    CHECK(run.symbols.function(run.symbols.location(rows[i].waiter).function).name == "worker");
  }
  CHECK(rows[1].process != rows[2].process);
  CHECK(fold::uncontended(run.run, run.selection) == 2'000);

  run.selection.threads = {"keeper"};
  const auto one = fold::locks(run.run, run.symbols, run.selection);
  REQUIRE(one.size() == 2);
  CHECK(one[0].use.waits == 1);
  CHECK(fold::uncontended(run.run, run.selection) == 0);
}

TEST_CASE("places that wait for locks", "[fold]") {
  LockRun run;
  const auto places = fold::lock_places(run.run, run.symbols, run.selection);
  REQUIRE(places.size() == 2);
  CHECK(run.symbols.function(run.symbols.location(places[0].location).function).name == "libwork.so+0x100");
  CHECK(places[0].waits.ns == 60 * kMs);
  CHECK(places[0].waits.calls() == 6);
  CHECK(places[1].waits.ns == 14 * kMs);
}

TEST_CASE("locks view: who waited, who held it, who made it", "[show]") {
  LockRun run;
  const auto sheets = test::sheets_of("locks", run.subject(), {});
  REQUIRE(sheets.size() == 2);
  CHECK(text(cell(sheets[0], 0, "longest_holder")) == "keeper (tid 1001)");
  CHECK(text(cell(sheets[0], 0, "longest_waiter")).find("libwork.so+0x100") == 0);
  CHECK(text(cell(sheets[0], 1, "name")).find("2 made by make (pool.py") == 0);
  CHECK(sheets[0].captions.front().find("2,000 acquisitions did not have to wait") != std::string::npos);
  for (const show::Sheet& sheet : sheets) {
    for (const show::Row& row : sheet.rows) CHECK(row.cells.size() == sheet.columns.size());
  }
  const auto by_wait = test::sheets_of("locks", run.subject(), {.sort = show::SortKey::Average, .limit = 1});
  CHECK(by_wait[0].rows.size() == 1);
  CHECK(cell(by_wait[0], 0, "avg_ns") == show::Cell(10 * kMs));

  const auto all = test::sheets_of("locks", run.subject(), {.everything = true});
  REQUIRE(all.size() == 1);
  CHECK(text(cell(all[0], 1, "created")).find("make") == 0);
  CHECK(cell(all[0], 0, "created") == show::Cell());
}

TEST_CASE("locks in JSON", "[formats]") {
  LockRun run;
  const auto json = formats::Json::parse(formats::json(run.subject(), {})).at("locks");
  CHECK(json.at("uncontended") == 2000);
  const auto& lock = json.at("locks").at(0);
  CHECK(lock.at("kind") == "mutex");
  CHECK(lock.at("waits") == 6);
  CHECK(lock.at("max_s").get<double>() == Approx(0.04));
  CHECK(lock.at("longest_holder") == "keeper (tid 1001)");
  CHECK(lock.at("longest_holder_tid") == 1001);
  CHECK(lock.at("created").is_null());
  CHECK(json.at("locks").at(1).at("created").at("name") == "make");
}
