// Python frames above operators: which operator made a backward function, and where it hangs then. A stand-in has its
// words where PyTorch has them.
#include "agent/ops/stacks.hpp"

#include <vector>

#include "agent/ops/links.hpp"
#include "agent/tree/context.hpp"
#include "tests/support/agent_log.hpp"
#include "tests/support/catch.hpp"

using namespace prof;
using ops::Layout;
using ops::Numbers;
using ops::RecordFunction;
using ops::Scope;

namespace {

constexpr std::uint32_t kEnd = 128;
constexpr std::uint32_t kDistance = Layout::kDistances[0];

struct Fake {
  std::uint64_t words[kEnd / 8 + 1] = {};
  explicit Fake(std::uint64_t number = 0, std::uint64_t forward_thread = 0) {
    before_end(kDistance) = number;
    before_end(16) = forward_thread;
  }
  const RecordFunction* function() const { return reinterpret_cast<const RecordFunction*>(this); }
  std::uint64_t& before_end(std::uint32_t bytes) { return words[(kEnd - bytes) / 8]; }
};

std::uint64_t g_next = 0, g_thread = 1;

ops::Torch torch() {
  ops::Torch torch{nullptr, nullptr, nullptr};
  torch.stacks = true;
  torch.layout = Layout(kEnd);
  torch.next_number = [] { return g_next; };
  torch.thread_number = [] { return g_thread; };
  return torch;
}

// The number stands where it is found thrice, and not where it was once by chance.
void learn() {
  const ops::Torch with = torch();
  for (g_next = 100; g_next < 104; ++g_next) {
    Fake fake(g_next);
    fake.before_end(Layout::kDistances[1]) = 101;
    Numbers::learn(with, fake.function());
    Numbers::learn(with, fake.function());
  }
}

std::uint32_t maker(std::uint64_t number, std::uint64_t thread = 1) {
  bool any = false;
  const std::uint32_t node = Numbers::maker(torch(), Fake(number, thread).function(), any);
  CHECK(any);
  return node;
}

std::uint32_t child(const Guard& guard, std::uint32_t parent, std::uint64_t word) {
  const std::uint32_t node = tree::child_of(guard, parent, word);
  REQUIRE(node != 0);
  return node;
}

std::uint64_t operator_word(std::uint32_t n) { return log::named_frame(9000 + n, 0); }
std::uint64_t root_word() {
  return log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(log::SpecialFrame::Operators));
}

std::vector<std::uint64_t> path(std::uint32_t node) {
  std::uint64_t words[16];
  const std::uint32_t depth = tree::path_of(node, words, 16);
  return {words, words + depth};
}

// Operators > f > g > operator, and what hangs below it.
struct Made {
  explicit Made(const Guard& guard) {
    root = child(guard, 0, root_word());
    frames = child(guard, child(guard, root, log::python_frame(71, 4)), log::python_frame(72, 8));
    inside = child(guard, frames, operator_word(1));
  }
  std::uint32_t root, frames, inside;
};

}  // namespace

TEST_CASE("agent: the maker of a backward function is known by its number and its thread") {
  const test::AgentGuard guard;
  learn();
  const ops::Torch with = torch();
  const Made made(guard);
  g_thread = 1;
  Numbers::made(guard, with, 200, 203, made.frames);
  CHECK(maker(199) == 0);
  CHECK(maker(200) == made.frames);
  CHECK(maker(202) == made.frames);
  CHECK(maker(203) == 0);
  CHECK(maker(201, 2) == 0);
  g_thread = 2;
  Numbers::made(guard, with, 200, 201, made.inside);
  CHECK(maker(200, 2) == made.inside);
  CHECK(maker(200, 1) == made.frames);
  // The place is another function's later; a number that has none is of what no operator makes.
  g_thread = 1;
  Numbers::made(guard, with, 200 + (1U << 19), 201 + (1U << 19), made.inside);
  CHECK(maker(200) == 0);
  Numbers::made(guard, with, 0, UINT64_MAX / 2, made.inside);
  bool any = true;
  CHECK(Numbers::maker(with, Fake(UINT64_MAX, 1).function(), any) == 0);
  CHECK_FALSE(any);
}

TEST_CASE("agent: a backward function hangs below the frames of its maker, where it runs") {
  const test::AgentGuard guard;
  learn();
  const ops::Torch with = torch();
  const Made made(guard);
  g_thread = 7;
  Numbers::made(guard, with, 300, 301, made.frames);
  ops::Thread thread{};
  ops::Stacks* stacks = ops::Stacks::of(thread);
  REQUIRE(stacks != nullptr);
  CHECK(ops::Stacks::of(thread) == stacks);
  bool unlinked = true;
  const auto begin = [&](Scope scope, const Fake& fake, std::uint32_t depth, std::uint32_t parent) {
    return stacks->begin(guard, with, scope, fake.function(), depth, parent, unlinked);
  };
  // Outermost: the very frames. Within another operator: repeated below that.
  CHECK(begin(Scope::BackwardFunction, Fake(300, 7), 0, 0) == made.frames);
  CHECK_FALSE(unlinked);
  const std::uint32_t outer = child(guard, made.root, operator_word(2));
  CHECK(begin(Scope::Function, Fake(), 0, outer) == outer);
  const std::uint32_t again = begin(Scope::BackwardFunction, Fake(300, 7), 1, outer);
  CHECK(path(again) ==
        std::vector<std::uint64_t>{log::python_frame(72, 8), log::python_frame(71, 4), operator_word(2), root_word()});
  CHECK(begin(Scope::BackwardFunction, Fake(300, 7), 1, outer) == again);
  // What runs inside hangs below it, and what that makes has the same frames.
  const std::uint32_t backward = child(guard, again, operator_word(3));
  CHECK(begin(Scope::Function, Fake(), 2, backward) == backward);
  stacks->end(guard, with, 2);
  g_next = 305;
  CHECK(begin(Scope::BackwardFunction, Fake(300, 7), 1, outer) == again);
  g_next = 307;
  stacks->end(guard, with, 1);
  CHECK(maker(305, 7) == again);
  CHECK(maker(306, 7) == again);
  CHECK(maker(307, 7) == 0);
  // One whose maker is not known stays where it is, and is counted.
  CHECK(begin(Scope::BackwardFunction, Fake(299, 7), 1, outer) == outer);
  CHECK(unlinked);
  CHECK(begin(Scope::BackwardFunction, Fake(UINT64_MAX, 7), 1, outer) == outer);
  CHECK_FALSE(unlinked);
}
