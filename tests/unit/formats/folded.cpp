#include "report/formats/folded.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;

namespace {

std::string stacks(const test::SmallRun& small, model::Measure measure) {
  std::string out;
  formats::folded(fold::build_call_tree(small.run, small.symbols), measure, false,
                  [&out](std::string_view piece) { out += piece; });
  return out;
}

bool has_line(const std::string& text, const std::string& line) {
  return ('\n' + text).find('\n' + line + '\n') != std::string::npos;
}

}  // namespace

TEST_CASE("folded stacks are outermost first with whole numbers") {
  const test::SmallRun small;
  const std::string text = stacks(small, model::Measure::CpuTime);
  CHECK(has_line(text, "work+0x100;work+0x200;work+0x300 30000000"));
  CHECK(has_line(text, "work+0x100;work+0x200 10000000"));
  CHECK(has_line(text, "work+0x100 20000000"));
  CHECK(has_line(stacks(small, model::Measure::CpuSamples), "work+0x100;work+0x200;work+0x300 3"));
  CHECK(stacks(small, model::Measure::Live) == "work+0x100;work+0x200 4096\n");
}

TEST_CASE("names cannot break a folded line") {
  const test::SmallRun small("/nowhere/a;b\nc\x1b");
  const std::string text = stacks(small, model::Measure::Live);
  CHECK(text == "a:b\\nc\\x1b+0x100;a:b\\nc\\x1b+0x200 4096\n");
}
