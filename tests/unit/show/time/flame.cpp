#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "report/fold/call_tree.hpp"
#include "report/show/text.hpp"
#include "report/show/time/icicle.hpp"
#include "report/summary/views.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/hostile_run.hpp"
#include "tests/unit/support/python_run.hpp"

using namespace prof;

namespace {

// The blocks of each level: "0+70 70+5" are 70 columns from column 0 on, and 5 behind them.
std::vector<std::string> places_of(const show::Icicle& icicle) {
  std::vector<std::string> out;
  for (const auto& level : icicle.levels) {
    std::string& places = out.emplace_back();
    for (const show::IcicleBlock& block : level) {
      places += fmt::format("{}{}+{}", places.empty() ? "" : " ", block.first, block.columns);
    }
  }
  return out;
}

fold::Outline outline_of(const test::LoadedRun& run, double min_fraction = 0) {
  fold::OutlineOptions options;
  options.min_fraction = min_fraction;
  return fold::outline(fold::build_call_tree(run.run, run.symbols, run.selection), options);
}

std::vector<std::string> flame_lines(const show::Subject& subject, const show::ViewOptions& options,
                                     const show::Terminal& terminal) {
  std::istringstream text(show::view_named("flame")->text(subject, options, terminal));
  std::vector<std::string> out;
  for (std::string line; std::getline(text, line);) out.push_back(line);
  return out;
}

bool has_flame_line(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

TEST_CASE("flame: blocks are as wide as their shares, below their callers", "[show]") {
  const test::PythonRun python;  // 75 ms
  CHECK(places_of(show::icicle(outline_of(python), 75, 0)) ==
        std::vector<std::string>{"0+70 70+5", "0+70", "0+30 30+10 40+10", "40+10"});
  const show::Icicle half = show::icicle(outline_of(python), 37, 2);
  CHECK(places_of(half) == std::vector<std::string>{"0+35 35+2", "0+35"});
  CHECK(half.deeper == 2);
  CHECK(half.narrow == 0);
}

TEST_CASE("flame: what is narrower than a column is added up once, whoever left it out", "[show]") {
  const test::PythonRun python;
  for (const double pruned : {0.0, 1.0 / 7}) {
    const show::Icicle icicle = show::icicle(outline_of(python, pruned), 7, 0);  // 10.7 ms are a column
    CHECK(places_of(icicle) == std::vector<std::string>{"0+7", "0+7", "0+3"});
    CHECK(icicle.narrow == 3);
    CHECK(icicle.narrow_total == 25'000'000);
  }
  CHECK(show::icicle({}, 80, 0).levels.empty());
}

TEST_CASE("flame: blocks stay below the one that they belong to, whatever they add up to", "[show]") {
  fold::Outline outline;
  outline.total = 15;
  const auto row = [&](std::uint32_t depth, std::int64_t total) {
    fold::OutlineRow& out = outline.rows.emplace_back();
    out.depth = depth;
    out.total = total;
  };
  row(0, 10), row(1, 8), row(1, 5), row(2, 5), row(1, 4), row(2, 4), row(0, 9), row(1, 6), row(0, -3);
  const show::Icicle icicle = show::icicle(outline, 15, 0);
  CHECK(places_of(icicle) == std::vector<std::string>{"0+10 10+5", "0+8 8+2 10+5", "8+2"});
  CHECK(icicle.narrow == 2);
}

TEST_CASE("flame: a picture for a terminal, in ASCII where it has nothing else", "[show]") {
  const test::PythonRun python;
  const std::vector<std::string> plain = flame_lines(python.subject(), {}, {.width = 75});
  CHECK(has_flame_line(plain, "|<module>" + std::string(61, '=') + "|libw"));
  CHECK(has_flame_line(plain, "|Trainer.fit" + std::string(58, '=')));
  CHECK(std::any_of(plain.begin(), plain.end(),
                    [](const std::string& line) { return line.rfind("|all: 75.0 ms, CPU time ", 0) == 0; }));
  for (const std::string& line : plain) {
    CHECK(line.size() <= 75);
    CHECK(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  }
  const std::vector<std::string> coloured =
      flame_lines(python.subject(), {}, {.tty = true, .colour = true, .width = 75, .unicode = true});
  CHECK(has_flame_line(coloured, "\x1b[38;5;16;48;5;221m<module>" + std::string(62, ' ') + "\x1b[0m" +
                                     "\x1b[38;5;16;48;5;111mlibw \x1b[0m"));
  const std::vector<std::string> blocks =
      flame_lines(python.subject(), {}, {.tty = true, .colour = false, .width = 75, .unicode = true});
  CHECK(std::any_of(blocks.begin(), blocks.end(), [](const std::string& line) {
    return line.rfind("\u258fTrainer.fit\u2592", 0) == 0 && show::display_width(line) == 70;
  }));
  // Where there is no terminal, or lines may be of any length.
  CHECK(has_flame_line(flame_lines(python.subject(), {}, {}), "|<module>" + std::string(84, '=') + "|libwor"));
  const std::vector<std::string> few = flame_lines(python.subject(), {.limit = 1}, {.width = 75});
  CHECK_FALSE(has_flame_line(few, "|Trainer.fit" + std::string(58, '=')));
  CHECK(has_flame_line(few, "3 levels more below; --limit 0 shows all."));
  CHECK(has_flame_line(flame_lines(python.subject(), {.measure = model::Measure::Blocked}, {.width = 200}),
                       "Blocking calls were not recorded: prof run --wait on records them."));
}

TEST_CASE("flame: rows for other programs have all blocks with their places", "[show]") {
  const test::PythonRun python;
  const show::Sheet sheet = test::sheet_of("flame", python.subject(), {.everything = true});
  REQUIRE(sheet.rows.size() == 7);
  CHECK(sheet.columns[1].key == "begin_ns");
  CHECK(sheet.columns[2].key == "cumtime_ns");
  const auto cell = [&](std::size_t row, std::size_t column) {
    return std::get<std::int64_t>(sheet.rows[row].cells[column]);
  };
  CHECK(cell(1, 0) == 1);
  CHECK(cell(1, 2) == 70'000'000);
  CHECK(cell(1, 3) == 20'000'000);
  CHECK(cell(6, 0) == 0);
  CHECK(cell(6, 1) == 70'000'000);
}

TEST_CASE("flame: no name reaches the terminal as it is", "[show]") {
  const test::HostileRun run;
  for (const std::string& line : flame_lines(run.subject(), {}, {.width = 200})) {
    CHECK(show::display_width(line) <= 200);
    CHECK(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  }
}
