// The parts of reading Python frames that need no interpreter.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "agent/python/code_copies.hpp"
#include "agent/python/eval_entry.hpp"
#include "agent/python/memory.hpp"
#include "agent/python/offsets.hpp"
#include "agent/python/text_object.hpp"
#include "agent/unwind/elf_symbols.hpp"
#include "tests/support/catch.hpp"

using namespace prof;
using python::Memory;

namespace {

std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

// A str as the interpreter lays it out from 3.12 on.
struct FakeText {
  std::uint64_t words[64] = {};
  FakeText(std::uint64_t type, std::uint64_t length, std::uint32_t kind, bool ascii, const void* units,
           std::size_t bytes) {
    words[1] = type;
    words[2] = length;
    const std::uint32_t state = kind << 2 | 0x20U | (ascii ? 0x40U : 0U);
    std::memcpy(&words[4], &state, sizeof(state));
    std::memcpy(reinterpret_cast<char*>(words) + (ascii ? 40 : 56), units, bytes);
  }
};

python::Offsets offsets_of_13() {
  python::Offsets o;
  o.text_ascii = 40;
  o.text_other = 56;
  return o;
}

std::string utf8(const FakeText& fake) {
  Memory memory(Memory::Access::Probed, {});
  python::TextObject text;
  if (!python::read_text(memory, offsets_of_13(), address(fake.words), 77, text)) return "(none)";
  std::string out(text.utf8_bytes(), '?');
  CHECK(text.write_utf8(out.data()) == out.data() + out.size());
  return out;
}

}  // namespace

TEST_CASE("probed memory says what is mapped and never faults", "[agent][python]") {
  const auto page = static_cast<std::size_t>(getpagesize());
  auto* pages = static_cast<char*>(mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pages != MAP_FAILED);
  munmap(pages + page, page);
  Memory memory(Memory::Access::Probed, {});
  std::uint64_t word = 1;
  CHECK(memory.load(address(pages), word));
  CHECK(word == 0);
  CHECK_FALSE(memory.load(address(pages + page), word));
  CHECK_FALSE(memory.load(address(pages + 3), word));  // not aligned
  CHECK_FALSE(memory.load(8, word));
  CHECK_FALSE(memory.load(~std::uintptr_t{7}, word));
  CHECK(memory.readable(address(pages), page));
  CHECK_FALSE(memory.readable(address(pages), page + 1));
  CHECK(memory.object(address(pages + page - 64), 64));
  CHECK_FALSE(memory.object(address(pages + page - 64), 72));
  munmap(pages, page);
  munmap(pages + 2 * page, page);
}

TEST_CASE("Python texts of all widths become UTF-8", "[agent][python]") {
  CHECK(utf8(FakeText(77, 5, 1, true, "hello", 5)) == "hello");
  CHECK(utf8(FakeText(77, 0, 1, true, "", 0)).empty());
  const std::uint8_t latin[] = {'w', 0xf6, 'r'};
  CHECK(utf8(FakeText(77, 3, 1, false, latin, sizeof(latin))) == "w\u00f6r");
  const std::uint16_t wide[] = {0x4f60, 'a', 0xd800};
  CHECK(utf8(FakeText(77, 3, 2, false, wide, sizeof(wide))) == "\u4f60a\xed\xa0\x80");
  const std::uint32_t widest[] = {0x1f600, 0xe9};
  CHECK(utf8(FakeText(77, 2, 4, false, widest, sizeof(widest))) == "\U0001f600\u00e9");
  CHECK(utf8(FakeText(78, 5, 1, true, "hello", 5)) == "(none)");              // another type
  CHECK(utf8(FakeText(77, 5, 3, true, "hello", 5)) == "(none)");              // no such width
  CHECK(utf8(FakeText(77, 1ULL << 62, 1, true, "x", 1)).size() <= 4 * 4096);  // a length that cannot be
}

TEST_CASE("offsets are known for 3.8 to 3.12, and later ones must describe themselves", "[agent][python]") {
  python::Offsets o;
  const char* why = nullptr;
  for (unsigned minor = 8; minor <= 12; ++minor) {
    REQUIRE(python::find_offsets(minor, 0x03000000U | minor << 16, 0, o, why));
    CHECK((o.chain == python::Chain::Objects) == (minor <= 10));
    CHECK((o.qualname == python::kAbsent) == (minor <= 10));
  }
  CHECK_FALSE(python::find_offsets(7, 0x03070000, 0, o, why));
  CHECK(why != nullptr);
  CHECK_FALSE(python::find_offsets(16, 0x03100000, 0, o, why));
  CHECK(std::string(why).find("newer") != std::string::npos);
  // Later ones must describe themselves.
  std::vector<std::uint64_t> runtime(128);
  why = nullptr;
  CHECK_FALSE(python::find_offsets(13, 0x030d0000, address(runtime.data()), o, why));
  CHECK(why != nullptr);
  std::memcpy(runtime.data(), "xdebugpy", 8);
  runtime[1] = 0x030d00f0;  // sizes and offsets of 0: no group can hold a field
  CHECK_FALSE(python::find_offsets(13, 0x030d0000, address(runtime.data()), o, why));
}

namespace {

// What an interpreter of that version says of itself, of its release build: the groups that are read.
std::vector<std::uint64_t> description(std::uint32_t hex, bool free_threaded, unsigned thread, unsigned frame,
                                       unsigned code, unsigned object, unsigned bytes, unsigned text) {
  std::vector<std::uint64_t> words(128);
  std::memcpy(words.data(), "xdebugpy", 8);
  words[1] = hex;
  words[2] = free_threaded ? 1 : 0;
  const std::uint64_t head = free_threaded ? 16 : 0;
  const auto put = [&](unsigned at, const std::vector<std::uint64_t>& group) {
    std::copy(group.begin(), group.end(), words.begin() + at / 8);
  };
  const bool copies = free_threaded && hex >= 0x030e0000;
  put(thread, {832, 0, 8, 16, 72, 152, 160});
  put(frame, {96, 8, 0, 56, 80, copies ? 78ULL : 74ULL, 64, copies ? 72ULL : 0ULL});
  put(code, {240, 112 + head, 120 + head, 128 + head, 136 + head, 68 + head, 52 + head, 96 + head, 104 + head,
             copies ? 232ULL : 208 + head, copies ? 224ULL : 0ULL});
  put(object, {16 + head, 8 + head});
  put(bytes, {40 + head, 16 + head, 32 + head});
  put(text, {64 + head, 32 + head, 16 + head, 40 + head});
  return words;
}

}  // namespace

TEST_CASE("what an interpreter says of itself is taken in every form that is known", "[agent][python]") {
  python::Offsets o;
  const char* why = nullptr;
  const auto find = [&](unsigned minor, const std::vector<std::uint64_t>& words) {
    o = {};
    return python::find_offsets(minor, 0x03000000U | minor << 16, address(words.data()), o, why);
  };
  REQUIRE(find(13, description(0x030d00f0, false, 152, 224, 272, 352, 512, 536)));
  CHECK(o.flags == 48);
  CHECK(o.text_ascii == 40);
  CHECK(o.text_other == 56);
  CHECK(o.head_more() == 0);
  CHECK(o.places == python::Place::Pointer);
  REQUIRE(find(15, description(0x030f00f0, false, 176, 312, 376, 464, 688, 712)));
  CHECK(o.line_table == 136);
  CHECK(o.instructions == 208);
  // Without the GIL an object's head is longer; from 3.14 on threads have instructions of their own.
  REQUIRE(find(13, description(0x030d00f0, true, 152, 224, 272, 352, 512, 536)));
  CHECK(o.free_threaded);
  CHECK(o.head_more() == 16);
  CHECK(o.flags == 64);
  CHECK(o.text_state_shift == 0);
  CHECK(o.places == python::Place::Pointer);
  REQUIRE(find(14, description(0x030e00f0, true, 176, 248, 312, 400, 592, 616)));
  CHECK(o.type == 24);
  CHECK(o.text_state_shift == 6);
  CHECK(o.places == python::Place::Copied);
  CHECK(o.copies == 224);
  CHECK(o.copy == 72);
  // Another version's description, and one that makes no sense.
  CHECK_FALSE(find(14, description(0x030d00f0, false, 152, 224, 272, 352, 512, 536)));
  auto broken = description(0x030e00f0, false, 176, 248, 312, 400, 592, 616);
  broken[(176 + 4 * 8) / 8] = 4096;  // beyond the thread state's end
  CHECK_FALSE(find(14, broken));
}

TEST_CASE("a place in a thread's own copy of instructions counts from that copy's beginning", "[agent][python]") {
  python::Offsets o;
  o.places = python::Place::Copied;
  o.copy = 8;
  o.instructions = 64;
  o.copies = 16;
  alignas(8) std::uint8_t copy[64] = {};
  const std::uint64_t list[] = {3, 0, address(copy), 0};  // how many; each one's beginning
  std::uint64_t frame[4] = {}, code[8] = {};
  code[2] = address(list);
  Memory memory(Memory::Access::Probed, {});
  std::uintptr_t begin = 0;
  REQUIRE(python::begin_of_copy(o, memory, address(frame), address(code), begin));
  CHECK(begin == address(code) + 64);
  frame[1] = 1;
  REQUIRE(python::begin_of_copy(o, memory, address(frame), address(code), begin));
  CHECK(begin == address(copy));
  for (const std::uint64_t none : {2U, 3U, 0xffffffffU}) {  // not made yet, beyond the list, no index
    frame[1] = none;
    CHECK_FALSE(python::begin_of_copy(o, memory, address(frame), address(code), begin));
  }
}

TEST_CASE("the store that fills in a C frame is found in the instructions", "[agent][python]") {
  // A function's beginning as gcc 12 writes it: sub rsp; lea; mov [r15+56], rax (links the C frame); movups [rsp+0xb8],
  // xmm0 (fills it in); later a store elsewhere.
  alignas(64) std::uint8_t code[512];
  std::memset(code, 0x90, sizeof(code));
  const std::uint8_t link[] = {0x49, 0x89, 0x47, 0x38};
  const std::uint8_t store[] = {0x0f, 0x11, 0x84, 0x24, 0xb8, 0, 0, 0};
  const std::uint8_t other[] = {0x48, 0x89, 0x84, 0x24, 0xc8, 0, 0, 0};
  std::memcpy(code + 0x42, link, sizeof(link));
  std::memcpy(code + 0x65, store, sizeof(store));
  std::memcpy(code + 0xa0, other, sizeof(other));
  const std::uintptr_t entry = address(code), sp = 0x7ffd00001000;
  const auto before = [&](std::uintptr_t offset) {
    return python::before_store(entry, {entry + offset, sp, 0, sp + 0xb8});
  };
  CHECK(before(0x46));
  CHECK(before(0x65));
  CHECK_FALSE(before(0x6d));
  CHECK_FALSE(before(0xf0));
  CHECK_FALSE(before(0x400));
}

TEST_CASE("exported symbols are found as dlsym finds them", "[agent][python]") {
  prepare_objects(false);
  void* const libc_function = dlsym(RTLD_DEFAULT, "qsort");
  Object libc{};
  REQUIRE(object_at(address(libc_function), libc));
  const Symbol found = exported_symbol(libc, "qsort");
  CHECK(found.address == address(libc_function));
  CHECK(found.bytes > 0);
  CHECK(exported_symbol(libc, "no_such_function_anywhere").address == 0);
  CHECK(exported_symbol(libc, "").address == 0);
  // What it only uses is not its own.
  CHECK(exported_symbol(libc, "_rtld_global").address == 0);
}
