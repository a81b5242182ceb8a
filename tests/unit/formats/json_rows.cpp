#include "report/formats/json_rows.hpp"

#include "tests/support/catch.hpp"

using namespace prof;
using show::Cell;
using show::Kind;
using show::Where;

namespace {

struct Reading {
  std::string file;
  std::int64_t reads = 0, read_ns = 0;
  std::optional<std::int64_t> faults;
};

show::Figures<Reading> figures() {
  return {{{"reads", "reads", Kind::Count}, &Reading::reads},
          {{"avg_read_ns", "avg", Kind::EachTime},
           [](const Reading& row) {
             return show::known_if(row.reads > 0, static_cast<double>(row.read_ns) / static_cast<double>(row.reads));
           }},
          {{"share", "%", Kind::Share, "", Where::TableOnly}, [](const Reading&) { return 0.5; }},
          {{"faults", "faults", Kind::Count, "", Where::DataOnly},
           [](const Reading& row) { return show::maybe(row.faults); },
           "major_faults"},
          {{"busy", "busy", Kind::Flag, "", Where::DataOnly}, [](const Reading& row) { return row.reads > 1; }},
          {{"where", "where", Kind::Text}, [](const Reading& row) { return row.file + " (cut)"; }, show::kNotInJson},
          {{"file", "file", Kind::Text}, &Reading::file}};
}

const std::vector<Reading> kRows{{"a.bin", 2, 3, 7}, {"", 0, 0, std::nullopt}};

}  // namespace

TEST_CASE("figures make an object for each row: times in seconds, null for what is not known") {
  const formats::Json rows =
      formats::rows_json(kRows, figures(), "file stack avg_read_s",
                         [](formats::Json& out, const Reading& row) { out["stack"] = row.reads * 10; });
  CHECK(rows.dump() == R"([{"file":"a.bin","stack":20,"avg_read_s":1.5e-09,"reads":2,"major_faults":7,"busy":true},)"
                       R"({"file":null,"stack":0,"avg_read_s":null,"reads":0,"major_faults":null,"busy":false}])");
}

TEST_CASE("the same figures make columns and cells, in their own order and in whole nanoseconds") {
  show::Sheet sheet;
  show::fill(sheet, figures(), kRows, 1);
  REQUIRE(sheet.columns.size() == figures().size());
  CHECK(sheet.columns[1].key == "avg_read_ns");
  REQUIRE(sheet.rows.size() == 1);
  CHECK(sheet.rows[0].cells == std::vector<Cell>{std::int64_t{2}, std::int64_t{2}, 0.5, std::int64_t{7},
                                                 std::int64_t{1}, "a.bin (cut)", "a.bin"});
}

TEST_CASE("a list may have some of the figures alone, in another order") {
  const show::Figures<Reading> some = show::pick(figures(), {{"file"}, {"reads", false}});
  REQUIRE(some.size() == 2);
  CHECK(some[0].column.key == "file");
  CHECK(some[1].column.where == Where::DataOnly);
  CHECK(formats::rows_json(kRows, some, "").front().dump() == R"({"file":"a.bin","reads":2})");
}
