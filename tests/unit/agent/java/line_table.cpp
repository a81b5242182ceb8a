// Which line of a Java method a place in its bytecode belongs to.
#include "agent/java/line_table.hpp"

#include <array>
#include <cstddef>

#include "tests/support/catch.hpp"

using namespace prof::java;

namespace {

// As javac writes a loop whose condition stands behind its body: the entries do not ascend.
abi::LineNumber g_lines[] = {{0, 10}, {12, 13}, {4, 11}, {9, 12}};
int g_given_back = 0;

abi::Error give_lines(abi::Tools*, abi::Method method, std::int32_t* count, abi::LineNumber** lines) {
  if (method == nullptr) return 101;  // JVMTI_ERROR_ABSENT_INFORMATION
  *count = 4;
  *lines = g_lines;
  return abi::kNone;
}

abi::Error take_back(abi::Tools*, void* memory) {
  g_given_back += memory == g_lines ? 1 : 100;
  return abi::kNone;
}

struct FakeTools {
  FakeTools() {
    functions[abi::kGetLineNumberTable] = reinterpret_cast<void*>(give_lines);
    functions[abi::kDeallocate] = reinterpret_cast<void*>(take_back);
    tools.functions = functions.data();
  }
  std::array<void*, 160> functions{};
  abi::Tools tools{};
};

}  // namespace

// Catches the last entry in the table taken for the last one before the place.
TEST_CASE("java: a place in a method belongs to the line that begins last before it") {
  FakeTools fake;
  g_given_back = 0;
  {
    const LineTable table(&fake.tools, &fake);
    CHECK(table.at(0) == 10);
    CHECK(table.at(3) == 10);
    CHECK(table.at(4) == 11);
    CHECK(table.at(11) == 12);
    CHECK(table.at(1000) == 13);
    CHECK(table.at(-1) == 0);  // of what is no bytecode
    CHECK(table.first() == 10);
  }
  CHECK(g_given_back == 1);
}

TEST_CASE("java: a method without a table has no lines") {
  FakeTools fake;
  g_given_back = 0;
  {
    const LineTable table(&fake.tools, nullptr);
    CHECK(table.at(0) == 0);
    CHECK(table.first() == 0);
  }
  CHECK(g_given_back == 0);
}
