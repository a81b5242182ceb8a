// The rule about queries of SQLite that read whole tables.
#include <fstream>
#include <string>
#include <vector>

#include "report/findings/source_words.hpp"
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

// A second of SQLite, or another time, below line 3 of a file, where so much was allocated.
std::vector<findings::Finding> query(const std::string& text, std::uint64_t bytes, bool recorded = true,
                                     std::uint64_t ms = 1'000) {
  FindingsRun run;
  run.log.header.heap_mode = recorded ? log::HeapMode::Sampled : log::HeapMode::Off;
  run.log.header.heap_interval = 512 << 10;
  const std::string file = (run.directory() / "base.py").string();
  std::ofstream(file) << "def find(key):\n    base = open()\n" << text;
  const auto sqlite = run.log.native(run.log.module("/nowhere/libsqlite3.so.0"), 0x100);
  const auto at = run.log.node(run.line(0, run.code("find", file, 1), 2), sqlite);
  run.log.cpu(at, ms / 10, ms * kMs);
  run.log.memory(log::RecordClass::Heap, at,
                 test::memory_words(50 * log::kCountUnit, bytes, 50 * log::kCountUnit, bytes, 0, 1, 50));
  run.log.cpu(run.train(5), 20, 200 * kMs);
  return run.look("table-scans");
}

constexpr const char* kByKey = "    return base.execute(\n        'select * from t where key = ?', (key,))\n";
constexpr const char* kByLower = "    return base.execute('SELECT * FROM t WHERE lower(key) = ?', (key,))\n";
constexpr const char* kByPage = "    return base.execute('SELECT * FROM t LIMIT ? OFFSET ?', key)\n";
constexpr const char* kAll = "    return base.execute('SELECT sum(x) FROM t WHERE y > 5')\n";
constexpr const char* kCount = "    return base.execute('SELECT count(*) FROM t WHERE key = ?', (key,))\n";
constexpr const char* kByDay = "    return base.execute('SELECT count(*) FROM t WHERE date(day) = ?', (key,))\n";
constexpr const char* kBesides =
    "    all = base.execute('SELECT x FROM t GROUP BY x')\n    one = base.execute('SELECT y FROM t WHERE id = ?')\n";
constexpr const char* kNamed = "    return base.execute(FIND, (key,))\n\n\n\n\n";
constexpr const char* kInserts = "    base.execute('INSERT INTO t VALUES (?)', (key,))\n";

}  // namespace

TEST_CASE("findings: queries of SQLite that read whole tables", "[findings]") {
  constexpr std::uint64_t kLittle = 500'000, kMuch = 50'000'000;
  const auto found = query(kByKey, kLittle);
  REQUIRE(found.size() == 1);
  CHECK(found.front().title == "SQLite searches a table row by row");
  CHECK(found.front().places.front().line == 3);
  CHECK(found.front().saves == Approx(0.5));
  CHECK(has(found.front().seen, "1.00 s of CPU time, 83.3 % of all"));
  const auto half = query(kByKey, kLittle, true, 500);
  REQUIRE(half.size() == 1);
  CHECK(half.front().saves == Approx(0.25));
  CHECK(query(kByKey, kMuch).empty());
  CHECK(query(kByLower, kMuch).empty());  // an index may be of that, and what it makes takes memory either way
  CHECK(query(kByLower, kLittle).size() == 1);
  CHECK(query(kCount, kLittle).empty());
  CHECK(query(kByDay, kLittle).size() == 1);
  CHECK(query(kByDay, kMuch).empty());
  constexpr std::uint64_t kSome = 5'000'000;  // what groups take that are added up
  CHECK(query(kByDay, kSome).size() == 1);
  CHECK(query(kByKey, kSome).empty());
  const auto where = [&](const std::string& condition) {
    return query("    return base.execute('SELECT count(*) FROM t WHERE " + condition + "', (key,))\n", kLittle);
  };
  CHECK(where("owner = ? AND coalesce(gone, 0) = 0").empty());  // an index of the owner serves it
  CHECK(where("owner = ? GROUP BY date(day)").empty());
  CHECK(where("day = date(?)").empty());
  CHECK(where("date(day) = ? AND lower(owner) = ?").size() == 1);
  CHECK(query(kByDay + std::string("    base.execute('CREATE INDEX days '\n      'ON t(date(day))')\n"), kLittle)
            .empty());
  CHECK(query(kBesides, kLittle).empty());
  CHECK(query(kBesides + std::string("        'WHERE x = ?', 5)\n"), kLittle).empty());
  REQUIRE(query(kByPage, kLittle).size() == 1);
  CHECK(has(query(kByPage, kLittle).front().advice, "WHERE id > ?"));
  CHECK(query(kAll, kLittle).empty());
  CHECK(query(kNamed + std::string("FIND = (\n    'SELECT y FROM t WHERE z IN (?, ?)')\n"), kLittle).size() == 1);
  CHECK(query(kNamed + std::string("FINDS = 'SELECT y FROM t WHERE z = ?'\n"), kLittle).empty());
  CHECK(query("    return rows.fetchall()\n" + std::string("\n\n\n\nFIND = 'SELECT y FROM t WHERE z = ?'\n"), kLittle)
            .empty());
  CHECK(query("    base.execute('DELETE FROM t WHERE key = ?', (key,))\n", kLittle).size() == 1);
  CHECK(query(kInserts, kLittle).empty());
  CHECK(query("", kLittle).empty());
  CHECK(query(kByKey, kLittle, false).empty());
}

// Catches an index that is there asked for, and a table whose rows go with those that are deleted left out.
TEST_CASE("findings: deleted rows of SQLite that others refer to without an index", "[findings]") {
  const auto advice = [](const std::string& table, const std::string& more = {},
                         const std::string& pragma = "PRAGMA foreign_keys = ON\n") {
    const auto found = query("    base.execute('DELETE FROM " + table +
                                 " WHERE id = ?', (key,))\n"
                                 "TABLES = '''\nCREATE TABLE tenant (id INTEGER PRIMARY KEY);\n"
                                 "CREATE TABLE IF NOT EXISTS ticket (\n  id INTEGER PRIMARY KEY,\n"
                                 "  tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE);\n"
                                 "CREATE TABLE message (body TEXT, ticket INTEGER,\n"
                                 "  FOREIGN KEY (ticket) REFERENCES ticket(id));\n" +
                                 more + "'''\n" + pragma,
                             500'000);
    return found.size() == 1 ? found.front().advice : std::string("none");
  };
  CHECK(has(advice("tenant"), "(ticket.tenant, message.ticket)"));
  CHECK(has(advice("tenant", "CREATE INDEX a ON ticket(tenant);\n"), "(message.ticket)"));
  CHECK(has(advice("ticket"), "(message.ticket)"));
  CHECK(has(advice("tenant", {}, ""), "on what WHERE compares"));  // nobody asked it to look
  CHECK(has(advice("tenant", {}, "# not PRAGMA foreign_keys = ON\n"), "on what WHERE compares"));
  CHECK(has(advice("tenant", "CREATE TABLE x (id INTEGER PRIMARY KEY, a INTEGER REFERENCES tenant(id), b TEXT);\n"),
            "(ticket.tenant, x.a, message.ticket)"));
  CHECK(has(advice("tenant", "UNIQUE (\"tenant\", x));\n"), "(message.ticket)"));
  CHECK(has(advice("tenant", "CREATE INDEX a\n  ON ticket(tenant);\n"), "(message.ticket)"));
  // Nothing refers to these without an index: what WHERE compares is searched for.
  CHECK(has(advice("message"), "on what WHERE compares"));
  CHECK(has(advice("ticket", "CREATE INDEX b ON message(ticket);\n"), "on what WHERE compares"));
}

// Catches time of threads that lived for a part of the run told as if they had computed all along.
TEST_CASE("findings: no more is saved than the lives of the threads that did it", "[findings]") {
  const std::uint64_t life_ms = GENERATE(600, 1'200);
  FindingsRun run;
  run.log.header.heap_mode = log::HeapMode::Sampled;
  run.log.header.heap_interval = 512 << 10;
  const std::string file = (run.directory() / "base.py").string();
  std::ofstream(file) << "def find(key):\n    base = open()\n" << kByKey;
  const auto sqlite = run.log.native(run.log.module("/nowhere/libsqlite3.so.0"), 0x100);
  const auto at = run.log.node(run.line(0, run.code("find", file, 1), 2), sqlite);
  run.log.memory(log::RecordClass::Heap, at,
                 test::memory_words(50 * log::kCountUnit, 500'000, 50 * log::kCountUnit, 500'000, 0, 1, 50));
  for (const std::uint32_t slot : {1U, 2U}) {
    log::ThreadRecord& thread = run.log.thread(slot);
    thread.start_ns = run.log.header.start_monotonic_ns + 100 * kMs;
    thread.end_ns = thread.start_ns + life_ms * kMs;
    run.log.cpu(at, 60, 590 * kMs, slot);
  }
  run.log.cpu(run.train(5), 10, 100 * kMs);
  const auto found = run.look("table-scans");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == (life_ms == 600 ? Approx(0.3) : Approx(0.59)));
}
