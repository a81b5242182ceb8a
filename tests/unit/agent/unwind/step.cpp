// Single steps of the walker, on stacks that are made up: frames as a Java VM has them.
#include "agent/unwind/step.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <memory>

#include "agent/unwind/lent_frames.hpp"
#include "agent/unwind/made_code.hpp"
#include "agent/unwind/objects.hpp"
#include "agent/unwind/walk.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

constexpr std::uint8_t kStackPointer = 7;

// Code with one row, which can be read, and stays.
std::uintptr_t code_with(const Row& row) {
  const auto start =
      reinterpret_cast<std::uintptr_t>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const RowAt rows[] = {{0, row}};
  REQUIRE(made_code::add(start, std::uint64_t{4096}, 7, rows, 1, start));
  return start;
}

Row interpreted() {
  Row row;
  row.kind = Row::Borrowing;
  return row;
}

Row regular() {
  Row row;
  row.kind = Row::CfaRegister;
  row.base = kStackPointer;
  row.offset = 32;
  row.bp = 2;
  row.guarded = Row::kKnownCaller;
  return row;
}

struct Made {
  std::uintptr_t words[64]{};
  StackBounds bounds{reinterpret_cast<std::uintptr_t>(words), reinterpret_cast<std::uintptr_t>(words + 64)};
  std::unique_ptr<RowCache::Few> few = std::make_unique<RowCache::Few>();
  std::unique_ptr<RowCache::Many> many = std::make_unique<RowCache::Many>();
  std::unique_ptr<ForeignWindow> foreign = std::make_unique<ForeignWindow>();
  RowCache rows;

  Made() {
    prepare_objects(false);
    rows.begin(*few, *many);
  }
  std::uintptr_t at(int i) const { return reinterpret_cast<std::uintptr_t>(words + i); }
  Step step_from(Frame& f, bool* fleeting = nullptr) {
    StackMemory memory(bounds, *foreign, f.sp, false);
    WalkTools tools{memory, rows, module_generation()};
    const Step result = step(f, tools);
    if (fleeting != nullptr) *fleeting = tools.trail.fleeting;
    return result;
  }
};

}  // namespace

// Catches a caller whose stack pointer is taken from where the return address stands: below what it lent.
TEST_CASE("agent: the caller of a frame that borrows from it has back what it lent") {
  Made stack;
  const std::uintptr_t code = code_with(interpreted()), caller = code_with(regular()) + 100;
  stack.words[19] = stack.at(30);  // the caller's stack pointer
  stack.words[20] = 0x1234;        // its rbp
  stack.words[21] = caller;
  Frame f{code + 10, stack.at(4), stack.at(20), true, true, nullptr};
  SECTION("as the interpreter leaves it") {
    bool fleeting = false;
    REQUIRE(stack.step_from(f, &fleeting) == Step::Caller);
    CHECK(f.pc == caller);
    CHECK(f.sp == stack.at(30));
    CHECK(f.bp == 0x1234);
    CHECK(fleeting);
    // From there on by the caller's own row.
    stack.words[32] = 0x5678;
    stack.words[33] = caller + 200;
    REQUIRE(stack.step_from(f, &fleeting) == Step::Caller);
    CHECK(f.sp == stack.at(34));
    CHECK(f.bp == 0x5678);
    CHECK(fleeting);
  }
  const auto is_unknown = [&] { return stack.step_from(f) == Step::Unknown && f.pc == code + 10; };
  SECTION("a stack pointer below the frame") {
    stack.words[19] = stack.at(10);
    CHECK(is_unknown());
  }
  SECTION("a stack pointer beyond the stack") {
    stack.words[19] = stack.at(65);
    CHECK(is_unknown());
  }
  SECTION("a stack pointer between two words") {
    stack.words[19] = stack.at(30) + 4;
    CHECK(is_unknown());
  }
  SECTION("a return address into nothing") {
    stack.words[21] = 0x7000;
    CHECK(is_unknown());
  }
  SECTION("no frame pointer yet") {
    f.bp = stack.at(2);
    CHECK(is_unknown());
  }
}

// Catches wrong callers where code has pushed more than its row says, and right ones that are lost there.
TEST_CASE("agent: a regular frame leads to known code or nowhere") {
  Made stack;
  const std::uintptr_t code = code_with(regular());
  Row last;
  last.kind = Row::Outermost;
  const std::uintptr_t outermost = code_with(last);
  Frame f{code + 10, stack.at(4), 0, true, true, nullptr};
  stack.words[6] = 0x1234;
  SECTION("behind a word that was pushed") {
    stack.words[7] = 0x5678;
    stack.words[8] = outermost + 50;
    REQUIRE(stack.step_from(f) == Step::Caller);
    CHECK(f.pc == outermost + 50);
    CHECK(f.sp == stack.at(9));
    CHECK(f.bp == 0x5678);
  }
  SECTION("behind a word, where nothing leads on from") {
    stack.words[7] = 0x5678;
    stack.words[8] = code + 50;
    CHECK(stack.step_from(f) == Step::Unknown);
  }
  SECTION("of a call, which has pushed nothing") {
    f.exact = false;
    stack.words[8] = outermost + 50;
    CHECK(stack.step_from(f) == Step::Unknown);
  }
  SECTION("known") {
    stack.words[7] = code + 50;
    REQUIRE(stack.step_from(f) == Step::Caller);
    CHECK(f.pc == code + 50);
    CHECK(f.sp == stack.at(8));
    CHECK(f.bp == 0x1234);
  }
  SECTION("a number") {
    stack.words[7] = 123456;
    CHECK(stack.step_from(f) == Step::Unknown);
    CHECK(f.pc == code + 10);
  }
}

// Catches the mark of a frame that was only looked at, to find out whether a caller is one, on the frame that is left.
TEST_CASE("agent: frames of an interpreter are marked, and no others") {
  Made stack;
  const std::uintptr_t compiled = code_with(regular()), interpreter = code_with(interpreted());
  Row last;
  last.kind = Row::Outermost;
  const std::uintptr_t outermost = code_with(last);
  stack.words[7] = stack.at(20);  // the interpreted caller's frame pointer, below a word that was pushed
  stack.words[8] = interpreter + 50;
  stack.words[19] = stack.at(30);
  stack.words[21] = outermost + 60;
  const bool marked = GENERATE(false, true);
  lent_frames::mark(marked ? interpreter : 0);
  std::uintptr_t frames[8], tops[8];
  const WalkResult result =
      walk({compiled + 10, stack.at(4), 0, true, nullptr}, stack.bounds, stack.rows, *stack.foreign, frames, tops, 8);
  lent_frames::mark(0);
  REQUIRE(result.depth == 3);
  CHECK_FALSE(result.broken);
  CHECK(frames[0] == compiled + 10);
  CHECK(frames[1] == (marked ? lent_frames::marked(stack.at(20)) : interpreter + 49));
  CHECK(frames[2] == outermost + 59);
  CHECK(tops[1] == stack.at(30));
}
