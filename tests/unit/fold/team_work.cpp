#include "report/fold/team_work.hpp"

#include <cstring>
#include <string>

#include "report/fold/line_tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/folded.hpp"

using namespace prof;
using test::Folded;
using test::Program;
using test::Stacks;

namespace {

constexpr std::uint64_t kTeamMs = 1'000'000;

// Thread 0 is the program's: main() at line N shares work; thread 1 is one of the library's.
class Team : public Program {
 public:
  explicit Team(const std::string& library = "/usr/lib/libgomp.so.1") {
    log.info(log::InfoKey::Python, "version=3.10.2\nframes=on\nmode=frames");
    std::string lines;
    for (int i = 0; i < 100; ++i) lines += std::string("\x02\x01", 2);
    main_ = log.code("main", "main", "/app/train.py", 1, lines, log::CodeKind::Code, 10);
    inner_ = log.code("net", "net", "/app/train.py", 50, lines, log::CodeKind::Code, 10);
    starts_ = log.node(0, log.native(log.module("/lib/x86_64-linux-gnu/libc.so.6"), 0x1));
    library_ = log.module(library);
    torch_ = log.module("/v/torch/lib/libtorch_cpu.so");
    log.thread(0).flags = log::kThreadMain;
    std::strcpy(log.thread(1).name, "team");
  }
  std::uint32_t top() { return log.node(0, log.python(main_, 2 * 9)); }
  std::uint32_t line(std::uint32_t above, std::uint32_t number) {
    return log.node(above, log.python(inner_, 2 * (number - 51)));
  }
  std::uint32_t shares(std::uint32_t above) { return log.node(above, log.native(library_, 0x10)); }
  std::uint32_t worker() { return log.node(starts_, log.native(library_, 0x11)); }
  std::uint32_t of_library(std::uint32_t above, std::uint64_t address) {
    return log.node(above, log.native(library_, address));
  }
  std::uint32_t torch(std::uint32_t above, std::uint64_t address) {
    return log.node(above, log.native(torch_, address));
  }

 private:
  std::uint32_t main_ = 0, inner_ = 0, starts_ = 0, library_ = 0, torch_ = 0;
};

}  // namespace

TEST_CASE("what a library's threads do is below the line that shared it with them", "[fold]") {
  Team p;
  const auto forward = p.line(p.top(), 60), backward = p.line(p.top(), 61);
  // Both lines run the same function, which calls another one for each of them, and a third for both.
  for (const auto& [line, work] : {std::pair(forward, 0x21), std::pair(backward, 0x22)}) {
    const auto loop = p.torch(p.shares(line), 0x20);
    p.log.cpu(p.torch(loop, work), 4, 40 * kTeamMs);
    p.log.cpu(p.torch(loop, 0x23), 1, 10 * kTeamMs);
  }
  const auto theirs = p.torch(p.worker(), 0x20);
  p.log.cpu(p.torch(p.torch(theirs, 0x21), 0x31), 4, 38 * kTeamMs, 1);
  p.log.cpu(p.torch(theirs, 0x22), 3, 30 * kTeamMs, 1);
  p.log.cpu(p.torch(theirs, 0x23), 1, 9 * kTeamMs, 1);
  p.log.cpu(p.torch(p.worker(), 0x70), 1, 7 * kTeamMs, 1);           // nobody else does that
  p.log.cpu(p.of_library(p.worker(), 0x12), 1, 5 * kTeamMs, 1);      // waits for work
  p.log.cpu(p.of_library(p.shares(forward), 0x12), 1, 3 * kTeamMs);  // as does who shares it, for the others
  const Folded folded({&p});
  CHECK(folded.stacks() == Stacks{{"main;net;f10;f20;f21", 40 * kTeamMs},
                                  {"main;net;f10;f20;f21;f31", 38 * kTeamMs},
                                  {"main;net;f10;f20;f22", 70 * kTeamMs},
                                  {"main;net;f10;f20;f23", 29 * kTeamMs},  // half of it for each line
                                  {"main;net;f10;f12", 3 * kTeamMs},
                                  {"f1;f11;f70", 7 * kTeamMs},
                                  {"f1;f11;f12", 5 * kTeamMs}});
  CHECK(folded.tree.total().cpu.ns == 192 * kTeamMs);
  fold::Selection apart, native, its_thread;
  apart.fold.teams = fold::Teams::Apart;
  native.fold.frames = fold::Frames::Native;
  for (const fold::Selection& as_it_was : {apart, native})
    CHECK(Folded({&p}, as_it_was).stacks().at("f1;f11;f20;f21;f31") == 38 * kTeamMs);
  its_thread.threads = {"team"};
  CHECK(Folded({&p}, its_thread).stacks().at("main;net;f10;f20;f21;f31") == 38 * kTeamMs);
}

TEST_CASE("what several callers share is theirs in proportion to what they do of it themselves", "[fold]") {
  Team p;
  const auto share = [&](std::uint64_t caller, std::uint64_t ms) {
    p.log.cpu(p.torch(p.shares(p.torch(0, caller)), 0x20), 1, ms * kTeamMs);
  };
  share(0x50, 30);
  share(0x51, 10);
  share(0x52, 1);  // nine tenths are the others'
  p.log.cpu(p.torch(p.worker(), 0x20), 5, 20 * kTeamMs, 1);
  const Folded folded({&p});
  CHECK(folded.stacks() ==
        Stacks{{"f50;f10;f20", 45 * kTeamMs}, {"f51;f10;f20", 15 * kTeamMs}, {"f52;f10;f20", 1 * kTeamMs}});
  CHECK(folded.tree.total().cpu.ns == 61 * kTeamMs);
  CHECK(folded.tree.total().cpu.samples == 8);
}

TEST_CASE("threads of OpenBLAS run what its callers run, some functions further in", "[fold]") {
  Team p("/v/numpy.libs/libscipy_openblas64_-4b78795a.so");
  p.log.cpu(p.of_library(p.of_library(p.shares(p.line(p.top(), 60)), 0x40), 0x41), 5, 50 * kTeamMs);
  p.log.cpu(p.of_library(p.of_library(p.of_library(p.worker(), 0x13), 0x40), 0x41), 4, 45 * kTeamMs, 1);
  p.log.cpu(p.worker(), 1, 5 * kTeamMs, 1);  // looks for work
  CHECK(Folded({&p}).stacks() == Stacks{{"main;net;f10;f40;f41", 95 * kTeamMs}, {"f1;f11", 5 * kTeamMs}});
}

TEST_CASE("a thread of the program's own that calls into the library is none of the library's", "[fold]") {
  Team p;
  p.log.cpu(p.torch(p.shares(p.line(p.top(), 60)), 0x20), 5, 50 * kTeamMs);
  p.log.cpu(p.torch(p.shares(p.torch(p.of_library(0, 0x1), 0x20)), 0x20), 5, 20 * kTeamMs, 1);
  p.log.cpu(p.torch(p.shares(p.torch(0, 0x60)), 0x20), 5, 30 * kTeamMs, 2);
  CHECK(Folded({&p}).stacks().at("f60;f10;f20") == 30 * kTeamMs);
}
