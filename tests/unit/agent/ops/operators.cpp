// Operators as PyTorch tells of them: a stand-in calls the callbacks, and the nodes and counters are looked at.
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "agent/capture/window.hpp"
#include "agent/ops/inputs.hpp"
#include "agent/ops/names.hpp"
#include "agent/ops/operators.hpp"
#include "agent/range/ranges.hpp"
#include "agent/thread/threads.hpp"
#include "agent/trace/trace.hpp"
#include "agent/tree/context.hpp"
#include "agent/tree/names.hpp"
#include "tests/support/agent_log.hpp"
#include "tests/support/catch.hpp"

namespace prof::ops {

// What the callbacks are given: as PyTorch does, on the stack, or on the heap where the end may come elsewhere.
struct RecordFunction {
  const char* name;
  bool async = false;
  std::vector<std::vector<std::int64_t>> inputs{};
};

}  // namespace prof::ops

using namespace prof;
using ops::RecordFunction;
using ops::Scope;

namespace {

const char* name_of(const RecordFunction* function) { return function->name; }
bool is_async(const RecordFunction* function) { return function->async; }

// A std::vector of vectors, made as PyTorch's library would make it.
void* input_sizes(ops::Sizes* result, const RecordFunction* function, bool) {
  new (result) std::vector<std::vector<std::int64_t>>(function->inputs);
  return result;
}

std::uint64_t lost(log::Loss loss) { return test::agent_log().loss[static_cast<std::size_t>(loss)]; }

// The calling thread as the program's own thread is: its own state, and the process at work. What operators do is their
// own business then, guards included.
class Host {
 public:
  explicit Host(bool shapes = false) {
    test::agent_log();
    process().options.ranges = true;
    ops::prepare_operators();
    capture::state.open.store(true);
    ops::use({name_of, is_async, shapes ? input_sizes : nullptr});
    before_ = process().stage.exchange(Stage::Ready);
    before_state_ = tls.state;
    ThreadState* made = threads::take_block();
    made->record = &record_;
    made->slot = next_slot_++;
    made->tid = made->slot;
    made->seat->alive = true;
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    made->bounds = {here - (1 << 18), here + (1 << 18)};
    threads::begin_regions(*made);
    tls.state = made;
  }
  ~Host() {
    tls.state = before_state_;
    process().stage = before_;
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

 private:
  Stage before_;
  ThreadState* before_state_;
  log::ThreadRecord record_{};
  static inline std::uint32_t next_slot_ = 5000;
};

void start(Scope scope, const RecordFunction& function) {
  void* context = &context;
  CHECK(ops::callback_for(scope).start(&context, &function) == &context);
  CHECK(context == nullptr);  // what PyTorch keeps, and would call a destructor of
}
void end(Scope scope, const RecordFunction& function) { ops::callback_for(scope).end(&function, nullptr); }

std::uint64_t frame(const Guard& guard, const char* name, const char* group = "forward") {
  return log::named_frame(log::name_id(guard, log::NameKind::Operator, name, group), 0);
}

// The counters of the operator at the end of a path, in the thread's own region.
const log::OperatorWords& words_at(std::vector<std::pair<const char*, const char*>> path) {
  const HookGuard guard(*tls.state);
  REQUIRE(guard);
  std::uint32_t node = tree::child_of(
      guard, 0, log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(log::SpecialFrame::Operators)));
  for (const auto& [name, group] : path) node = tree::child_of(guard, node, frame(guard, name, group));
  return *reinterpret_cast<log::OperatorWords*>(
      tree::record_of(guard, node, log::RecordClass::Operator, log::kOperatorWordCount));
}

}  // namespace

TEST_CASE("agent: operators are counted by the operators around them, with self and total time") {
  const Host host;
  const RecordFunction outer{"op::outer"}, inner{"op::inner"};
  for (int i = 0; i < 3; ++i) {
    start(Scope::Function, outer);
    {
      RecordFunction deeper{"op::inner"};
      start(Scope::BackwardFunction, deeper);
      end(Scope::BackwardFunction, deeper);
    }
    end(Scope::Function, outer);
  }
  start(Scope::Function, inner);
  end(Scope::Function, inner);
  const log::OperatorWords& o = words_at({{"op::outer", "forward"}});
  const log::OperatorWords& i = words_at({{"op::outer", "forward"}, {"op::inner", "backward"}});
  CHECK(o.calls == 3);
  CHECK(i.calls == 3);
  CHECK(o.nested_ns == i.total_ns);
  CHECK(o.total_ns >= o.nested_ns);
  CHECK(o.min_ns <= o.max_ns);
  CHECK(o.max_ns <= o.total_ns);
  CHECK(words_at({{"op::inner", "forward"}}).calls == 1);
}

TEST_CASE("agent: an operator within itself has a node below its own") {
  const Host host;
  RecordFunction a{"op::again"};
  start(Scope::Function, a);
  {
    RecordFunction b{"op::again"};
    start(Scope::Function, b);
    end(Scope::Function, b);
  }
  end(Scope::Function, a);
  CHECK(words_at({{"op::again", "forward"}}).calls == 1);
  CHECK(words_at({{"op::again", "forward"}, {"op::again", "forward"}}).calls == 1);
}

// Catches names that are known by their address: PyTorch makes some of them for the one call.
TEST_CASE("agent: names are known by what stands in them") {
  const Host host;
  char room[32];
  for (const char* text : {"op::first", "op::second", "op::first"}) {
    std::strcpy(room, text);
    RecordFunction f{room};
    start(Scope::Function, f);
    end(Scope::Function, f);
  }
  CHECK(words_at({{"op::first", "forward"}}).calls == 2);
  CHECK(words_at({{"op::second", "forward"}}).calls == 1);
}

TEST_CASE("agent: scopes of the program are ranges, and numbers at their end are one") {
  const Host host;
  char text[] = "ProfilerStep#1";
  for (const char digit : {'1', '2', '7'}) {
    text[sizeof(text) - 2] = digit;
    RecordFunction f{text};
    start(Scope::User, f);
    CHECK(range::root_node() != 0);
    end(Scope::User, f);
    CHECK(range::root_node() == 0);
  }
  CHECK(words_at({{"ProfilerStep#*", "scope"}}).calls == 3);
  char room[16];
  CHECK(ops::without_number("a#12", room) == "a#*");
  CHECK(ops::without_number("#12", room) == "#*");
  CHECK(ops::without_number("12", room) == "12");
  CHECK(ops::without_number("a#", room) == "a#");
  CHECK(ops::without_number("Optimizer.step#SGD.step", room) == "Optimizer.step#SGD.step");
}

// Catches a stack that is cut off at whatever ends first: generators hold scopes open across each other.
TEST_CASE("agent: scopes that end in the order of their beginning are all counted") {
  const Host host;
  const auto a = std::make_unique<RecordFunction>(RecordFunction{"cross::a"});
  const auto b = std::make_unique<RecordFunction>(RecordFunction{"cross::b"});
  const std::uint64_t before = lost(log::Loss::OperatorUnbalanced);
  start(Scope::User, *a);
  start(Scope::User, *b);
  end(Scope::User, *a);
  end(Scope::User, *b);
  CHECK(words_at({{"cross::a", "scope"}}).calls == 1);
  CHECK(words_at({{"cross::a", "scope"}, {"cross::b", "scope"}}).calls == 1);
  CHECK(lost(log::Loss::OperatorUnbalanced) == before);
  CHECK(range::root_node() == 0);
}

TEST_CASE("agent: an end without a beginning is counted as lost, and changes nothing else") {
  const Host host;
  RecordFunction a{"stray::outer"}, stray{"stray::stray"};
  const std::uint64_t before = lost(log::Loss::OperatorUnbalanced);
  start(Scope::Function, a);
  end(Scope::Function, stray);
  end(Scope::Function, a);
  CHECK(lost(log::Loss::OperatorUnbalanced) == before + 1);
  CHECK(words_at({{"stray::outer", "forward"}}).calls == 1);
}

// Catches an end that never came (a longjmp) and whose operator stays the parent of all later ones.
TEST_CASE("agent: an operator whose end was not told is known by its place on the stack") {
  const Host host;
  struct {
    RecordFunction inner{"dead::inner"};
    char frames[5000]{};
    RecordFunction outer{"dead::outer"};
  } stack;
  start(Scope::Function, stack.inner);
  start(Scope::Function, stack.outer);  // far above: not within the first
  end(Scope::Function, stack.outer);
  start(Scope::Function, stack.inner);
  start(Scope::Function, stack.inner);  // in the very place
  end(Scope::Function, stack.inner);
  CHECK(words_at({{"dead::outer", "forward"}}).calls == 1);
  CHECK(words_at({{"dead::inner", "forward"}}).calls == 1);
}

TEST_CASE("agent: operators of one frame lie in it in any order") {
  const Host host;
  RecordFunction functions[2]{{"frame::low"}, {"frame::high"}};
  for (const std::size_t outer : {0, 1}) {
    start(Scope::Function, functions[outer]);
    start(Scope::Function, functions[1 - outer]);
    end(Scope::Function, functions[1 - outer]);
    end(Scope::Function, functions[outer]);
  }
  CHECK(words_at({{"frame::low", "forward"}, {"frame::high", "forward"}}).calls == 1);
  CHECK(words_at({{"frame::high", "forward"}, {"frame::low", "forward"}}).calls == 1);
}

TEST_CASE("agent: operators deeper than the limit are left out, those around them counted") {
  const Host host;
  std::vector<RecordFunction> deep(300, RecordFunction{"deep::op"});
  const std::uint64_t before = lost(log::Loss::OperatorUnbalanced);
  for (const RecordFunction& f : deep) start(Scope::Function, f);
  for (auto f = deep.rbegin(); f != deep.rend(); ++f) end(Scope::Function, *f);
  CHECK(words_at({{"deep::op", "forward"}}).calls == 1);
  CHECK(words_at({{"deep::op", "forward"}, {"deep::op", "forward"}}).calls == 1);
  CHECK(lost(log::Loss::OperatorUnbalanced) == before);
  RecordFunction after{"deep::after"};
  start(Scope::Function, after);
  end(Scope::Function, after);
  CHECK(words_at({{"deep::after", "forward"}}).calls == 1);
}

// Collectives begin on one thread and end on another; what the first does meanwhile is not inside them.
TEST_CASE("agent: an asynchronous operator may end on another thread and holds no other one") {
  const Host host;
  const auto reduce = std::make_unique<RecordFunction>(RecordFunction{"gloo:all_reduce", true});
  RecordFunction mean{"async::mean"};
  start(Scope::User, *reduce);
  CHECK(range::root_node() == 0);
  start(Scope::Function, mean);
  end(Scope::Function, mean);
  CHECK(words_at({{"async::mean", "forward"}}).calls == 1);
  std::uint64_t calls = 0, self = 1;
  const ThreadState* const first = tls.state;
  std::thread([&] {
    const Host elsewhere;
    REQUIRE(tls.state != first);
    RecordFunction any{"async::any"};  // so that the thread is known
    start(Scope::Function, any);
    end(Scope::Function, any);
    end(Scope::User, *reduce);
    const log::OperatorWords& words = words_at({{"gloo:all_reduce", "scope"}});
    calls = words.calls;
    self = words.total_ns - words.nested_ns;
  }).join();
  CHECK(calls == 1);
  CHECK(self == 0);
}

TEST_CASE("agent: shapes make operators of one name different, and are written as torch.profiler does") {
  const Host host(true);
  for (const std::int64_t n : {3, 4, 3}) {
    RecordFunction f{"shaped::op", false, {{8, n}, {}, {-1}}};
    start(Scope::Function, f);
    end(Scope::Function, f);
  }
  CHECK(words_at({{"shaped::op", "forward [[8, 3], [], [-1]]"}}).calls == 2);
  CHECK(words_at({{"shaped::op", "forward [[8, 4], [], [-1]]"}}).calls == 1);
  RecordFunction many{"shaped::many", false, {}};
  many.inputs.assign(1000, {1, 2, 3});
  ops::ShapesText text;
  ops::Thread thread{};
  const ops::Torch torch{name_of, is_async, input_sizes};
  ops::Inputs inputs(thread, torch, &many);
  ops::write_shapes(inputs.sizes(), text);
  CHECK(text.view().starts_with("[[1, 2, 3], [1, 2, 3], "));
  CHECK(text.view().ends_with(", ...]"));
  CHECK_FALSE(text.cut());
}

TEST_CASE("agent: memory of tensors is the innermost operator's, less what it frees") {
  const Host host;
  RecordFunction a{"memory::outer"};
  const auto allocate = [](ops::Memory memory, std::int64_t bytes) {
    const HookGuard guard(*tls.state);
    ops::allocated(guard, memory, bytes);
  };
  allocate(ops::Memory::Host, 999);  // in no operator: nobody's
  start(Scope::Function, a);
  allocate(ops::Memory::Host, 100);
  {
    RecordFunction b{"memory::inner"};
    start(Scope::Function, b);
    allocate(ops::Memory::Host, 50);
    allocate(ops::Memory::Device, 7);
    allocate(ops::Memory::Host, -80);
    end(Scope::Function, b);
  }
  allocate(ops::Memory::Host, -60);
  end(Scope::Function, a);
  const auto& inner = words_at({{"memory::outer", "forward"}, {"memory::inner", "forward"}});
  CHECK(static_cast<std::int64_t>(words_at({{"memory::outer", "forward"}}).host_bytes) == 40);
  CHECK(static_cast<std::int64_t>(inner.host_bytes) == -30);
  CHECK(inner.device_bytes == 7);
}

TEST_CASE("agent: outside the window nothing is counted, and the nesting is kept") {
  const Host host;
  RecordFunction a{"window::outer"};
  capture::state.open.store(false);
  start(Scope::Function, a);
  capture::state.open.store(true);
  {
    RecordFunction b{"window::inner"};
    start(Scope::Function, b);
    end(Scope::Function, b);
  }
  end(Scope::Function, a);
  CHECK(words_at({{"window::inner", "forward"}}).calls == 1);
  CHECK(words_at({{"window::outer", "forward"}}).calls == 0);
}

TEST_CASE("agent: a callback chooses one scope, and asks for inputs where shapes are wanted") {
  const Host host;
  for (const Scope scope : {Scope::Function, Scope::BackwardFunction, Scope::TorchScriptFunction, Scope::User}) {
    const ops::Callback callback = ops::callback_for(scope);
    CHECK(callback.probability == 1.0);
    for (std::size_t i = 0; i < sizeof(callback.flags); ++i) {
      CHECK(callback.flags[i] == (i == static_cast<std::size_t>(scope)));
    }
  }
  const Host shaped(true);
  CHECK(ops::callback_for(Scope::Function).flags[ops::kNeedsInputs] == 1);
  CHECK(ops::callback_for(Scope::User).flags[ops::kNeedsInputs] == 0);
}
