// Code that was made at run time: what stands at an address, and where its caller is.
#include "agent/unwind/made_code.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/support/catch.hpp"

using namespace prof;

namespace {

using Bytes = std::vector<unsigned char>;

// What is known of code is never forgotten, so that each test has addresses of its own.
std::uintptr_t fresh_pages(std::size_t pages) {
  void* made = mmap(nullptr, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return reinterpret_cast<std::uintptr_t>(made);
}

std::uint64_t frame_at(std::uintptr_t address) {
  made_code::Code code{};
  return made_code::find(address, code) ? code.frame : 0;
}

struct Expected {
  std::size_t at;  // offset of an instruction
  int cfa;         // above rsp
  int bp;          // slots below the CFA; 0: rbp is the caller's still
};

void check_rows(const Bytes& bytes, const std::vector<Expected>& expected) {
  const std::uintptr_t start = fresh_pages(1);
  std::memcpy(reinterpret_cast<void*>(start), bytes.data(), bytes.size());
  const made_code::Code code{start, start + bytes.size(), 1};
  for (const Expected& e : expected) {
    INFO("at " << e.at);
    const Row row = made_code::row_at(code, start + e.at);
    CHECK(row.kind == Row::CfaRegister);
    CHECK(row.base == 7);
    CHECK(row.offset == e.cfa);
    CHECK(row.bp == e.bp);
    CHECK(row.guarded == 1);
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

TEST_CASE("agent: rows of code that pushes rbp in second place, and of a leaf") {
  check_rows({0x53, 0x55, 0x90, 0x90, 0x5d, 0x5b, 0xc3}, {{0, 8, 0}, {1, 16, 0}, {2, 24, 3}, {3, 24, 3}, {5, 16, 0}});
  check_rows({0x0f, 0x18, 0x07, 0x90, 0xc3}, {{0, 8, 0}, {3, 8, 0}, {4, 8, 0}});
}

TEST_CASE("agent: rows of code with a frame pointer go by what was pushed, and else by it") {
  const Bytes bytes = {0xf3, 0x0f, 0x1e, 0xfa,  //  0 endbr64
                       0x55,                    //  4 push rbp
                       0x48, 0x89, 0xe5,        //  5 mov rbp, rsp
                       0x53,                    //  8 push rbx
                       0x48, 0x29, 0xc4,        //  9 sub rsp, rax
                       0x90, 0xc9, 0xc3};       // 12 nop; leave; ret
  const std::uintptr_t start = fresh_pages(1);
  std::memcpy(reinterpret_cast<void*>(start), bytes.data(), bytes.size());
  const made_code::Code code{start, start + bytes.size(), 1};
  const auto row_at = [&](std::size_t at) { return made_code::row_at(code, start + at); };
  CHECK(row_at(0).offset == 8);
  CHECK(row_at(5).offset == 16);
  CHECK(row_at(5).guarded == Row::kGuarded);
  CHECK(row_at(8).offset == 16);
  CHECK(row_at(8).guarded == Row::kOrByFramePointer);
  CHECK(row_at(12).offset == 24);
  CHECK(row_at(12).bp == 2);
  CHECK(row_at(12).guarded == Row::kOrByFramePointer);
}

// As oneDNN's threads do at the end of a convolution's backward pass.
TEST_CASE("agent: rows of the loop in which threads wait for one another") {
  check_rows({0x48, 0x83, 0xfe, 0x01,              //  0 cmp rsi, 1
              0x76, 0x0a,                          //  4 jbe to the return
              0x50,                                //  6 push rax
              0xf3, 0x90,                          //  7 pause
              0x48, 0x3b, 0x47, 0x40, 0x74, 0xf8,  //  9 cmp rax, [rdi+0x40]; 13 je
              0x58, 0xc3},                         // 15 pop rax; ret
             {{0, 8, 0}, {7, 16, 0}, {9, 16, 0}, {13, 16, 0}, {15, 16, 0}, {16, 8, 0}});
}

TEST_CASE("agent: code that is gone has no row, and nothing of it is read") {
  const std::uintptr_t start = fresh_pages(1);
  const made_code::Code code{start, start + 64, 1};
  munmap(reinterpret_cast<void*>(start), 4096);
  CHECK(made_code::row_at(code, start + 10).kind == Row::Guess);
}

// Code at the end of what is mapped: an instruction may seem to go on there.
TEST_CASE("agent: rows of code at the end of its memory") {
  const std::uintptr_t start = fresh_pages(2);
  munmap(reinterpret_cast<void*>(start + 4096), 4096);
  for (const unsigned char byte : Bytes{0x55, 0x41, 0x48, 0xc5, 0x5d, 0xf3}) {
    const std::uintptr_t at = start + 4095;
    *reinterpret_cast<unsigned char*>(at) = byte;
    made_code::row_at({at, at + 64, 1}, at);
    made_code::row_at({at, at + 64, 1}, at - 10);
  }
}

TEST_CASE("agent: code made at run time is found from its first byte to its last") {
  const std::uintptr_t start = fresh_pages(4) + 4000;
  REQUIRE(made_code::add(start, 8192, 7, 21));
  CHECK(frame_at(start - 1) == 0);
  CHECK(frame_at(start) == 7);
  CHECK(frame_at(start + 4096) == 7);
  CHECK(frame_at(start + 8191) == 7);
  CHECK(frame_at(start + 8192) == 0);
  made_code::remove(20);
  CHECK(frame_at(start) == 7);
  made_code::remove(21);
  CHECK(frame_at(start) == 0);
  CHECK_FALSE(made_code::add(start, 0, 7, 22));
  CHECK_FALSE(made_code::add(UINTPTR_MAX - 10, 100, 7, 22));
}

TEST_CASE("agent: code made over other code is all that is left of it") {
  const std::uintptr_t start = fresh_pages(1);
  REQUIRE(made_code::add(start, 100, 1, 31));
  REQUIRE(made_code::add(start + 100, 100, 2, 32));
  REQUIRE(made_code::add(start + 200, 100, 3, 33));
  REQUIRE(made_code::add(start + 150, 60, 4, 34));
  CHECK(frame_at(start + 50) == 1);
  CHECK(frame_at(start + 120) == 0);
  CHECK(frame_at(start + 149) == 0);
  CHECK(frame_at(start + 150) == 4);
  CHECK(frame_at(start + 209) == 4);
  CHECK(frame_at(start + 210) == 0);
}

TEST_CASE("agent: functions that come and go in the same pages never fill the table") {
  const std::uintptr_t start = fresh_pages(2);
  REQUIRE(made_code::add(start, 64, 1, 41));
  bool all = true;
  for (std::uint32_t i = 0; i < 300'000; ++i)
    all &= made_code::add(start + 64 + i % 100 * 64 + i % 3 * 8, 64, 100 + i, 1000 + i);
  CHECK(all);
  CHECK(frame_at(start + 10) == 1);
}
