// The rule about rows of SQLite that own code asks for one at a time.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char* kProgram =
    "def customer(db, key):\n"                                                              // 1
    "    return db.execute('SELECT name FROM customer WHERE id = ?', (key,)).fetchone()\n"  // 2
    "def orders(db):\n"                                                                     // 3
    "    return db.execute('SELECT * FROM orders')\n"                                       // 4
    "def export(db):\n"                                                                     // 5
    "    for order in orders(db):\n"                                                        // 6
    "        name = customer(db, order.customer)\n"                                         // 7
    "    first = customer(db, 1)\n"                                                         // 8
    "    names = [customer(db, key) for key in keys]\n";                                    // 9

// customer() is called at a line of export() and has so much time in SQLite, orders() has a little.
enum class Many { No, Executed, GoneThrough };
std::vector<findings::Finding> found(std::uint32_t called_at, std::uint64_t ms, const std::string& program = kProgram,
                                     Many many = Many::Executed) {
  FindingsRun run;
  const std::string file = (run.directory() / "shop.py").string();
  std::ofstream(file) << program;
  const auto sqlite = run.log.native(run.log.module("/nowhere/libsqlite3.so.0"), 0x100);
  const auto exports = run.code("export", file), customer = run.code("customer", file),
             orders = run.code("orders", file);
  const auto query = run.line(run.line(0, exports, called_at), customer, 2);
  run.log.cpu(run.log.node(query, sqlite), ms / 10, ms * kMs);
  const auto loop = run.line(0, exports, 6);
  if (many != Many::No)
    run.log.cpu(run.log.node(many == Many::Executed ? run.line(loop, orders, 4) : loop, sqlite), 1, 10 * kMs);
  run.log.cpu(run.train(5), 20, 200 * kMs);
  return run.look("rows-one-by-one");
}

std::string with(const std::string& part, const std::string& by) {
  std::string text = kProgram;
  return text.replace(text.find(part), part.size(), by);
}

}  // namespace

TEST_CASE("findings: rows of SQLite that are asked for one at a time", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto rows = found(7, 1'000 / half);
    REQUIRE(rows.size() == 1);
    CHECK(rows.front().saves == Approx(0.5 / static_cast<double>(half)));
    REQUIRE(rows.front().places.size() == 2);
    CHECK(rows.front().places[0].line == 2);
    CHECK(rows.front().places[1].line == 7);
    CHECK(has(rows.front().advice, "JOIN"));
  }
  CHECK(found(9, 1'000).size() == 1);  // each value of a comprehension is a query
  CHECK(found(7, 1'000, kProgram, Many::GoneThrough).size() == 1);
  CHECK(found(7, 100).empty());
}

// Catches one query, queries of many rows, and those of keys that come from elsewhere.
TEST_CASE("findings: queries that are not for one row of many", "[findings]") {
  CHECK(found(8, 1'000).empty());
  CHECK(found(7, 1'000, kProgram, Many::No).empty());
  CHECK(found(7, 1'000, with("fetchone", "fetchall")).empty());
  CHECK(found(7, 1'000, with("name FROM", "sum(price) FROM")).empty());
  CHECK(found(7, 1'000, with("WHERE id = ?", "WHERE price > 5")).empty());
  CHECK(found(7, 1'000, with("SELECT name", "UPDATE name")).empty());
}
