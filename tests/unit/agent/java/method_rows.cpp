// How the code of HotSpot's compilers keeps its callers, on sequences as they write them.
#include "agent/java/method_rows.hpp"

#include <cstdint>
#include <vector>

#include "tests/support/catch.hpp"

using namespace prof;

namespace {

using Bytes = std::vector<unsigned char>;
constexpr int kRbp = 6, kRsp = 7;

std::vector<RowAt> rows_of(const Bytes& bytes, std::size_t room = java::kMostRows) {
  std::vector<RowAt> rows(room);
  rows.resize(java::rows_of_method(bytes.data(), static_cast<std::uint32_t>(bytes.size()), rows.data(), rows.size()));
  return rows;
}

struct Expected {
  std::uint32_t at;  // offset of an instruction
  int base, cfa;     // the CFA is so much above that register
  bool saved;        // rbp, in the second slot below the CFA
};

void check_rows(const Bytes& bytes, const std::vector<Expected>& expected) {
  const std::vector<RowAt> rows = rows_of(bytes);
  REQUIRE_FALSE(rows.empty());
  for (std::size_t i = 1; i < rows.size(); ++i) CHECK(rows[i - 1].offset < rows[i].offset);
  for (const Expected& e : expected) {
    INFO("at " << e.at);
    Row row;
    for (const RowAt& r : rows) {
      if (r.offset <= e.at) row = r.row;
    }
    CHECK(row.kind == Row::CfaRegister);
    CHECK(row.base == e.base);
    CHECK(row.offset == e.cfa);
    CHECK(row.bp == (e.saved ? 2 : Row::kBpKept));
    CHECK(row.guarded == Row::kKnownCaller);
  }
}

}  // namespace

// Catches the stub behind the method, to which the way back jumps without a frame, and constants that look like one.
TEST_CASE("java: rows of a method of version 17 behind a check of its receiver") {
  check_rows({0x44, 0x8b, 0x56, 0x08,                                //  0 mov 8(%rsi), %r10d
              0x4c, 0x3b, 0xd0,                                      //  4 cmp %rax, %r10
              0x0f, 0x85, 0x55, 0x8c, 0x58, 0x07,                    //  7 jne, with the byte of a push
              0x90, 0x90, 0x90,                                      // 13 nop
              0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff,              // 16 mov %eax, -0x14000(%rsp)
              0x55,                                                  // 23 push %rbp
              0x48, 0x83, 0xec, 0x50,                                // 24 sub $0x50, %rsp
              0x48, 0xb8, 0x48, 0x83, 0xc4, 0x20, 0x5d, 0xc3,        // 28 mov $n, %rax: a way back of another frame
              0x00, 0x00,                                            //
              0x48, 0x83, 0xc4, 0x50,                                // 38 add $0x50, %rsp
              0x5d,                                                  // 42 pop %rbp
              0x49, 0x3b, 0xa7, 0x40, 0x03, 0x00, 0x00,              // 43 cmp 0x340(%r15), %rsp
              0x0f, 0x87, 0x0a, 0x00, 0x00, 0x00,                    // 50 ja 66
              0xc3,                                                  // 56 ret
              0x48, 0x83, 0xc4, 0x50,                                // 57 add $0x50, %rsp
              0x5d,                                                  // 61 pop %rbp
              0x4c, 0x8d, 0x15,                                      // 62 (data)
              0x90,                                                  // 65 nop
              0x49, 0xba, 1,    2,    3,    4,    5,    6,    7, 8,  // 66 mov $n, %r10
              0x4d, 0x89, 0x97, 0x58, 0x03, 0x00, 0x00,              // 76 mov %r10, 0x358(%r15)
              0xe9, 0x2b, 0x93, 0xac, 0xff,                          // 83 jmp
              0xf4},                                                 // 88 hlt
             {{0, kRsp, 8, false},
              {16, kRsp, 8, false},
              {23, kRsp, 8, false},
              {24, kRsp, 16, true},
              {28, kRsp, 16 + 0x50, true},
              {33, kRsp, 16 + 0x50, true},
              {38, kRsp, 16 + 0x50, true},
              {42, kRsp, 16, true},
              {43, kRsp, 8, false},
              {50, kRsp, 8, false},
              {56, kRsp, 8, false},
              {57, kRsp, 16 + 0x50, true},
              {61, kRsp, 16, true},
              {66, kRsp, 8, false},
              {83, kRsp, 8, false},
              {88, kRsp, 16 + 0x50, true}});
}

TEST_CASE("java: rows of a method of version 25 that moves the stack pointer first") {
  check_rows({0x44, 0x8b, 0x56, 0x08,                          //  0 mov 8(%rsi), %r10d
              0x44, 0x3b, 0x50, 0x08,                          //  4 cmp 8(%rax), %r10d
              0x0f, 0x85, 0x50, 0xcb, 0xab, 0xff,              //  8 jne
              0x48, 0x81, 0xec, 0x18, 0x00, 0x00, 0x00,        // 14 sub $0x18, %rsp
              0x48, 0x89, 0x6c, 0x24, 0x10,                    // 21 mov %rbp, 0x10(%rsp)
              0x41, 0x81, 0x7f, 0x20, 0x01, 0x00, 0x00, 0x00,  // 26 cmpl $1, 0x20(%r15)
              0x0f, 0x85, 0x10, 0x00, 0x00, 0x00,              // 34 jne 56
              0x48, 0x83, 0xc4, 0x10,                          // 40 add $0x10, %rsp
              0x5d,                                            // 44 pop %rbp
              0x49, 0x3b, 0x67, 0x28,                          // 45 cmp 0x28(%r15), %rsp
              0x77, 0x0b,                                      // 49 ja 62
              0xc3,                                            // 51 ret
              0x90, 0x90, 0x90, 0x90,                          // 52 nop
              0xe8, 0xeb, 0x6a, 0xaa, 0xff,                    // 56 call
              0x90,                                            // 61 nop
              0x4c, 0x8d, 0x15, 0xe8, 0xff, 0xff, 0xff,        // 62 lea n(%rip), %r10
              0x4d, 0x89, 0x57, 0x38,                          // 69 mov %r10, 0x38(%r15)
              0xe9, 0x90, 0x00, 0xac, 0xff,                    // 73 jmp
              0xf4},                                           // 78 hlt
             {{0, kRsp, 8, false},
              {14, kRsp, 8, false},
              {21, kRsp, 0x20, false},
              {26, kRsp, 0x20, true},
              {40, kRsp, 0x20, true},
              {44, kRsp, 16, true},
              {45, kRsp, 8, false},
              {51, kRsp, 8, false},
              {52, kRsp, 0x20, true},
              {56, kRsp, 0x20, true},
              {62, kRsp, 8, false},
              {73, kRsp, 8, false},
              {78, kRsp, 0x20, true}});
}

// Catches ways back without a return, and a second beginning, of a loop that the interpreter had begun.
// What compiled code calls where it cannot allocate by itself. Catches a frame with room for nothing but rbp.
TEST_CASE("java: rows of a stub that saves rbp alone") {
  check_rows({0x48, 0x81, 0xec, 0x08, 0x00, 0x00, 0x00,  //  0 sub $8, %rsp
              0x48, 0x89, 0x2c, 0x24,                    //  7 mov %rbp, (%rsp)
              0x8b, 0xf2,                                // 11 mov %edx, %esi
              0x41, 0xff, 0xd2,                          // 13 call *%r10
              0x4d, 0x3b, 0x67, 0x08,                    // 16 cmp 8(%r15), %r12
              0x75, 0x02,                                // 20 jne 24
              0x5d,                                      // 22 pop %rbp
              0xc3,                                      // 23 ret
              0x33, 0xdb},                               // 24 xor %ebx, %ebx
             {{0, kRsp, 8, false},
              {7, kRsp, 16, false},
              {11, kRsp, 16, true},
              {16, kRsp, 16, true},
              {22, kRsp, 16, true},
              {23, kRsp, 8, false},
              {24, kRsp, 16, true}});
}

TEST_CASE("java: rows of a method with two beginnings that leaves by a jump") {
  check_rows({0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff,  //  0 mov %eax, -0x14000(%rsp)
              0x55,                                      //  7 push %rbp
              0x48, 0x81, 0xec, 0x50, 0x01, 0x00, 0x00,  //  8 sub $0x150, %rsp
              0x90,                                      // 15 nop
              0x48, 0x81, 0xc4, 0x50, 0x01, 0x00, 0x00,  // 16 add $0x150, %rsp
              0x5d,                                      // 23 pop %rbp
              0xe9, 0x51, 0xb6, 0xba, 0xff,              // 24 jmp
              0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff,  // 29 mov %eax, -0x14000(%rsp)
              0x55,                                      // 36 push %rbp
              0x48, 0x81, 0xec, 0x50, 0x01, 0x00, 0x00,  // 37 sub $0x150, %rsp
              0x90},                                     // 44 nop
             {{7, kRsp, 8, false},
              {8, kRsp, 16, true},
              {15, kRsp, 16 + 0x150, true},
              {23, kRsp, 16, true},
              {24, kRsp, 8, false},
              {29, kRsp, 8, false},
              {36, kRsp, 8, false},
              {37, kRsp, 16, true},
              {44, kRsp, 16 + 0x150, true}});
}

// What is pushed around calls does not matter where rbp is a frame pointer.
TEST_CASE("java: rows of what calls a native function") {
  const Bytes begin{0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff,  //  0 mov %eax, -0x14000(%rsp)
                    0x55,                                      //  7 push %rbp
                    0x48, 0x8b, 0xec,                          //  8 mov %rsp, %rbp
                    0x48, 0x83, 0xec, 0x40,                    // 11 sub $0x40, %rsp
                    0x56, 0x5e,                                // 15 push %rsi; pop %rsi
                    0x33, 0xc9, 0xc3, 0x90};                   // 17 xor %ecx, %ecx, whose last byte is that of leave
  SECTION("of version 17") {
    Bytes bytes = begin;
    for (const int c : {0xc9,                                            // 21 leave
                        0x49, 0x81, 0x7f, 0x08, 0x00, 0x00, 0x00, 0x00,  // 22 cmpq $0, 8(%r15)
                        0x0f, 0x85, 0x01, 0x00, 0x00, 0x00,              // 30 jne
                        0xc3,                                            // 36 ret
                        0xe9, 0x17, 0x11, 0xa7, 0xff,                    // 37 jmp
                        0x90})                                           // 42 nop
      bytes.push_back(static_cast<unsigned char>(c));
    check_rows(bytes, {{7, kRsp, 8, false},
                       {8, kRsp, 16, true},
                       {11, kRbp, 16, true},
                       {16, kRbp, 16, true},
                       {21, kRbp, 16, true},
                       {22, kRsp, 8, false},
                       {36, kRsp, 8, false},
                       {37, kRsp, 8, false},
                       {42, kRbp, 16, true}});
  }
  SECTION("of version 25") {
    Bytes bytes = begin;
    for (const int c : {0xc9,                          // 21 leave
                        0x41, 0xf6, 0x47, 0x28, 0x01,  // 22 testb $1, 0x28(%r15)
                        0x74, 0x05,                    // 27 je 34
                        0xe9, 0xa5, 0x1d, 0xac, 0xff,  // 29 jmp
                        0x49, 0x83, 0x7f, 0x08, 0x00,  // 34 cmpq $0, 8(%r15)
                        0x75, 0x01,                    // 39 jne 42
                        0xc3,                          // 41 ret
                        0xe9, 0x14, 0x11, 0xa7, 0xff,  // 42 jmp
                        0x90})                         // 47 nop
      bytes.push_back(static_cast<unsigned char>(c));
    check_rows(bytes, {{20, kRbp, 16, true},
                       {22, kRsp, 8, false},
                       {29, kRsp, 8, false},
                       {34, kRsp, 8, false},
                       {42, kRsp, 8, false},
                       {47, kRbp, 16, true}});
  }
}

TEST_CASE("java: code that only passes a call on needs no frame, and other unknown code has no rows") {
  const Bytes passes{0x8b, 0x5e, 0x24, 0x48, 0x85, 0xdb, 0xff, 0x63, 0x40};  // jmp *0x40(%rbx)
  const std::vector<RowAt> rows = rows_of(passes);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].offset == 0);
  CHECK(rows[0].row.offset == 8);
  CHECK(rows_of(Bytes(4096, 0x90)).empty());
  CHECK(rows_of({}).empty());
  // A frame that takes no whole number of words, or is larger than any.
  CHECK(rows_of({0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3}).empty());
  CHECK(rows_of({0x55, 0x48, 0x81, 0xec, 0x00, 0x00, 0x00, 0x7f, 0x48, 0x83, 0xec, 0x10}).empty());
}

// Catches reads behind the end, and rows beyond their room.
TEST_CASE("java: rows of code that is cut anywhere, or has more ways back than there is room for") {
  Bytes bytes{0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff, 0x55, 0x48, 0x83, 0xec, 0x20};
  for (int i = 0; i < 2000; ++i) {
    for (const int c : {0x48, 0x83, 0xc4, 0x20, 0x5d, 0x49, 0x3b, 0x67, 0x28, 0x77, 0x01, 0xc3, 0x4c})
      bytes.push_back(static_cast<unsigned char>(c));
  }
  CHECK(rows_of(bytes).size() <= java::kMostRows);
  CHECK(rows_of(bytes, 7).size() <= 7);
  CHECK(rows_of(bytes, 0).empty());
  for (std::size_t size = 0; size < 64; ++size) {
    const std::vector<RowAt> rows = rows_of(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
    for (const RowAt& r : rows) CHECK(r.offset < size);
  }
}
