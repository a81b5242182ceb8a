// How code without call frame information keeps its caller.
#include "agent/unwind/code_shape.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/catch.hpp"

using namespace prof;

namespace {

using Bytes = std::vector<unsigned char>;

Shape shape_of(const Bytes& bytes) { return prof::shape_of(bytes.data(), static_cast<std::uint32_t>(bytes.size())); }

struct Expected {
  std::uint32_t at;  // offset of an instruction
  int cfa;           // above rsp
  int bp;            // slots below the CFA; 0: rbp is the caller's still
};

void check_rows(const Bytes& bytes, const std::vector<Expected>& expected) {
  const Shape shape = shape_of(bytes);
  CHECK(shape.understood);
  for (const Expected& e : expected) {
    INFO("at " << e.at);
    const Row row = row_at(shape, e.at);
    CHECK(row.kind == Row::CfaRegister);
    CHECK(row.base == 7);
    CHECK(row.offset == e.cfa);
    CHECK(row.bp == e.bp);
    CHECK(row.guarded == Row::kGuarded);
  }
}

}  // namespace

TEST_CASE("agent: rows of code that pushes and pops are exact at each of its instructions") {
  check_rows({0x55,                                      //  0 push rbp
              0x53,                                      //  1 push rbx
              0x41, 0x54,                                //  2 push r12
              0x48, 0x81, 0xec, 0x60, 0x01, 0x00, 0x00,  //  4 sub rsp, 0x160
              0x48, 0xff, 0xcf,                          // 11 dec rdi
              0x75, 0xfb,                                // 14 jnz
              0x48, 0x81, 0xc4, 0x60, 0x01, 0x00, 0x00,  // 16 add rsp, 0x160
              0x41, 0x5c,                                // 23 pop r12
              0x5b,                                      // 25 pop rbx
              0x5d,                                      // 26 pop rbp
              0xc5, 0xf8, 0x77,                          // 27 vzeroupper
              0xc3},                                     // 30 ret
             {{0, 8, 0},
              {1, 16, 2},
              {2, 24, 2},
              {4, 32, 2},
              {11, 32 + 0x160, 2},
              {14, 32 + 0x160, 2},
              {16, 32 + 0x160, 2},
              {23, 32, 2},
              {25, 24, 2},
              {26, 16, 2},
              {27, 8, 0},
              {30, 8, 0}});
}

TEST_CASE("agent: rows of code that pushes rbp in second place, of a leaf, and of two ways back") {
  check_rows({0x53, 0x55, 0x90, 0x90, 0x5d, 0x5b, 0xc3}, {{0, 8, 0}, {1, 16, 0}, {2, 24, 3}, {3, 24, 3}, {5, 16, 0}});
  check_rows({0x0f, 0x18, 0x07, 0x90, 0xc3}, {{0, 8, 0}, {3, 8, 0}, {4, 8, 0}});
  check_rows({0x53, 0x90, 0x5b, 0xc3, 0x90, 0x5b, 0xc3}, {{1, 16, 0}, {2, 16, 0}, {3, 8, 0}, {4, 16, 0}, {6, 8, 0}});
}

// A call's return address less one lies in the call's own last bytes, which may look like a pop.
TEST_CASE("agent: rows of calls go by the body, whatever their bytes are") {
  const Bytes bytes = {0x53,              // 0 push rbx
                       0xff, 0x50, 0x5b,  // 1 call *0x5b(%rax)
                       0x5b, 0xc3};       // 4 pop rbx; ret
  CHECK(row_at(shape_of(bytes), 3).offset == 16);
  CHECK(row_at(shape_of(bytes), 5).offset == 8);
}

TEST_CASE("agent: rows of code with a frame pointer go by what was pushed, and else by it") {
  const Shape shape = shape_of({0xf3, 0x0f, 0x1e, 0xfa,        //  0 endbr64
                                0x55,                          //  4 push rbp
                                0x48, 0x89, 0xe5,              //  5 mov rbp, rsp
                                0x53,                          //  8 push rbx
                                0xbd, 0x00, 0x04, 0x00, 0x00,  //  9 mov ebp, 0x400
                                0x5b, 0x5d, 0xc3});            // 14 pop rbx; pop rbp; ret
  CHECK(row_at(shape, 0).offset == 8);
  CHECK(row_at(shape, 5).offset == 16);
  CHECK(row_at(shape, 5).guarded == Row::kGuarded);
  CHECK(row_at(shape, 8).offset == 16);
  CHECK(row_at(shape, 8).guarded == Row::kOrByFramePointer);
  CHECK(row_at(shape, 9).offset == 24);
  CHECK(row_at(shape, 9).bp == 2);
}

TEST_CASE("agent: code that does with its stack what cannot be told has no rows") {
  const Bytes wrong[] = {
      {},
      {0xc3, 0x48, 0x83, 0xec, 0x40},                                            // sub rsp further on
      {0x53, 0x90, 0x48, 0x83, 0xec, 0x40, 0x48, 0x83, 0xc4, 0x40, 0x5b, 0xc3},  // between push and pop
      {0x53, 0x48, 0x8d, 0x64, 0x24, 0xc0, 0x90, 0x5b, 0xc3},                    // lea rsp, [rsp-64]
      {0x55, 0x48, 0x29, 0xc4, 0x90, 0x5d, 0xc3},                                // sub rsp, rax
      {0x55, 0x48, 0x83, 0xe4, 0xf0, 0x5d, 0xc3},                                // and rsp, -16
      {0x55, 0x48, 0x8b, 0x27, 0x5d, 0xc3},                                      // mov rsp, [rdi]
      {0x53, 0x90, 0x5d, 0xc3},                                                  // pops another register
      {0x53, 0x48, 0x83, 0xec, 0x10, 0x48, 0x83, 0xc4, 0x08, 0x5b, 0xc3},        // gives back less
      {0x53, 0x5b},                                                              // never returns
  };
  for (const Bytes& bytes : wrong) {
    CHECK_FALSE(shape_of(bytes).understood);
    CHECK(row_at(shape_of(bytes), 1).kind == Row::Guess);
  }
}

TEST_CASE("agent: shapes of any bytes") {
  std::uint32_t random = 1;
  Bytes bytes(200);
  std::uint32_t understood = 0;
  for (int round = 0; round < 200'000; ++round) {
    for (unsigned char& byte : bytes) {
      random = random * 1664525 + 1013904223;
      const unsigned char likely[] = {0x55, 0x53, 0x41, 0x48, 0x5d, 0x5b, 0xc3, 0xec};
      byte = (random >> 28) < 12 ? likely[random >> 24 & 7] : static_cast<unsigned char>(random >> 16);
    }
    bytes.resize(1 + random % 200);
    const Shape shape = shape_of(bytes);
    understood += shape.understood;
    for (std::uint32_t at = 0; at < bytes.size(); ++at) row_at(shape, at);
    bytes.resize(200);
  }
  CHECK(understood > 1000);
}
