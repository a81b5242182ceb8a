// /proc/self/smaps read in pieces of any size.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "agent/memory/smaps.hpp"
#include "tests/support/catch.hpp"

using namespace prof;
using memory::Mapping;

namespace {

struct Source {
  std::string text;
  std::size_t piece;
  std::size_t at = 0;
};

std::size_t read_piece(void* of, char* to, std::size_t room) {
  auto& source = *static_cast<Source*>(of);
  const std::size_t n = std::min({room, source.piece, source.text.size() - source.at});
  std::memcpy(to, source.text.data() + source.at, n);
  source.at += n;
  return n;
}

std::vector<Mapping> read_all(const std::string& text, std::size_t piece, std::size_t room) {
  Source source{text, piece};
  std::vector<char> buffer(room);
  memory::Smaps smaps(read_piece, &source, buffer.data(), buffer.size());
  std::vector<Mapping> all;
  for (Mapping m; smaps.next(m);) all.push_back(m);
  return all;
}

std::string entry(const std::string& head, int rss, int pss, int clean, int dirty, const std::string& flags) {
  const auto kb = [](const char* name, int v) { return std::string(name) + ":      " + std::to_string(v) + " kB\n"; };
  return head + "\n" + kb("Size", 4000) + kb("KernelPageSize", 4) + kb("Rss", rss) + kb("Pss", pss) +
         kb("Pss_Dirty", 77) + kb("Private_Clean", clean) + kb("Private_Dirty", dirty) + kb("Referenced", 99) +
         kb("Swap", 8) + kb("SwapPss", 8) + "VmFlags: " + flags + " \n";
}

}  // namespace

TEST_CASE("agent: mappings are read alike in pieces of any size") {
  const std::string text =
      entry("55f0e2cef000-55f0e2cf1000 r-xp 00000000 fe:00 247134                     /usr/bin/a program", 8, 4, 1, 2,
            "rd ex mr mw me") +
      entry("55f0e3000000-55f0e3021000 rw-p 00000000 00:00 0                          [heap]", 100, 90, 0, 80,
            "rd wr") +
      entry("7f0000000000-7f0000100000 rw-p 00000000 00:00 0 ", 1000, 1000, 0, 1000, "rd wr mr dd nr rr wf") +
      entry("7f0000200000-7f0000300000 rw-p 00000000 00:00 0 ", 3, 3, 0, 3, "rd wr dd nr") +
      entry("7f0000400000-7f0000500000 rw-s 00000000 00:05 1                          /memfd:x (deleted)", 5, 2, 0, 0,
            "rd") +
      entry("7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]", 20, 20, 0, 20,
            "rd gd") +
      entry("7ffd00100000-7ffd00102000 r-xp 00000000 00:00 0                          [vdso]", 4, 0, 0, 0, "rd ex");
  for (const std::size_t piece : {1U, 7U, 64U, 511U, 4096U}) {
    for (const std::size_t room : {128U, 300U, 8192U}) {
      INFO(piece << " " << room);
      const auto all = read_all(text, piece, room);
      REQUIRE(all.size() == 7);
      CHECK(all[0].start == 0x55f0e2cef000);
      CHECK(all[0].end == 0x55f0e2cf1000);
      CHECK(all[0].of == Mapping::Of::File);
      CHECK(all[0].executable);
      CHECK(all[0].rss == 8 * 1024);
      CHECK(all[0].pss == 4 * 1024);
      CHECK(all[0].uss == 3 * 1024);
      CHECK(all[0].swap == 8 * 1024);
      CHECK(all[1].of == Mapping::Of::Heap);
      CHECK_FALSE(all[1].executable);
      CHECK(all[2].of == Mapping::Of::Nothing);
      CHECK(all[2].ours);
      CHECK(all[2].rss == 1000 * 1024);
      CHECK_FALSE(all[3].ours);
      CHECK(all[4].of == Mapping::Of::Memory);
      CHECK(all[5].of == Mapping::Of::MainStack);
      CHECK(all[6].of == Mapping::Of::Kernel);
    }
  }
}

// Catches readers that take the rest of a path for a line of its own: this one looks like a mapping.
TEST_CASE("agent: a path that is longer than the reader's buffer is cut and nothing else") {
  const std::string text = entry("1000-2000 r--p 00000000 fe:00 1   /" + std::string(3000, 'd'), 1, 1, 1, 0, "rd") +
                           entry("3000-4000 r--p 00000000 fe:00 1   /b", 2, 2, 2, 0, "rd");
  for (const std::size_t room : {100U, 256U, 1000U}) {
    const auto all = read_all(text, 333, room);
    REQUIRE(all.size() == 2);
    CHECK(all[0].of == Mapping::Of::File);
    CHECK(all[0].rss == 1024);
    CHECK(all[1].start == 0x3000);
    CHECK(all[1].rss == 2048);
  }
}

TEST_CASE("agent: an end in the middle of an entry and text that is no list of mappings do no harm") {
  const std::string text = entry("1000-2000 r--p 00000000 fe:00 1   /b", 2, 2, 2, 0, "rd");
  for (std::size_t n = 0; n <= text.size(); ++n) CHECK(read_all(text.substr(0, n), 64, 128).size() <= 1);
  CHECK(read_all("", 64, 128).empty());
  CHECK(read_all("\n\n\nNothing: 4 kB\n", 64, 128).empty());
  CHECK(read_all(std::string(100000, 'X'), 64, 128).empty());
}
