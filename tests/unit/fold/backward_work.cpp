#include "report/fold/backward_work.hpp"

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/fold/line_tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/folded.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::Folded;
using test::Program;
using test::Stacks;

namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr const char* kGraph = "/v/site-packages/torch/autograd/graph.py";
constexpr const char* kAutograd = "/v/site-packages/torch/autograd/__init__.py";

// A program that trains: thread 0 runs Python, thread 1 the engine of PyTorch, thread 2 something else of PyTorch's.
//   start > thread_init (0x10 of libtorch_python) > thread_main (0x20 of libtorch_cpu) > ...
class Training : public Program {
 public:
  explicit Training(const std::string& library = "/v/torch/lib/libtorch_cpu.so") {
    log.info(log::InfoKey::Python, "version=3.10.2\nframes=on\nmode=frames");
    starts_ = log.node(0, log.native(log.module("/lib/libc.so.6"), 0x1));
    python_ = log.module("/v/torch/lib/libtorch_python.so");
    cpu_ = log.module(library);
    condition_ = log.named(log::NameKind::Wait, "pthread_cond_wait", "lock");
    log.thread(0).flags = log::kThreadMain;
    std::strcpy(log.thread(1).name, "pt_autograd_0");
    std::strcpy(log.thread(2).name, "python3");
  }

  // A line of a function whose first line is `first`.
  std::uint32_t line(std::uint32_t above, const std::string& name, std::uint32_t number, std::uint32_t first = 1,
                     const std::string& file = "/app/train.py") {
    const auto [code, is_new] = codes_.try_emplace({file, name});
    if (is_new)
      code->second =
          log.code(name, name, file, static_cast<std::int32_t>(first), table_of_lines(), log::CodeKind::Code, 10);
    return log.node(above, log.python(code->second, 2 * (number - first - 1)));
  }
  // What Python runs below a line until the engine runs: _engine_run_backward().
  std::uint32_t calls_backward(std::uint32_t above) {
    return line(line(above, "backward", 253, 200, kAutograd), "_engine_run_backward", 860, 850, kGraph);
  }
  // Somebody waits below a node for `ms`.
  void waits(std::uint32_t node, std::uint64_t ms, std::uint32_t slot = 0) {
    log.record(log::RecordClass::Wait, log.node(log.node(node, log.native(cpu_, 0x30)), condition_),
               log::WaitWords{log::kCountUnit, ms * kMs, 1}, slot);
  }
  std::uint32_t torch(std::uint32_t above, std::uint64_t address) { return log.node(above, log.native(cpu_, address)); }
  std::uint32_t thread_main() { return torch(log.node(starts_, log.native(python_, 0x10)), 0x20); }
  std::uint32_t starts() const { return starts_; }
  std::uint32_t library() const { return cpu_; }

 private:
  static std::string table_of_lines() {
    std::string out;
    for (int i = 0; i < 100; ++i) out += std::string("\x02\x01", 2);
    return out;
  }
  std::uint32_t starts_ = 0, python_ = 0, cpu_ = 0, condition_ = 0;
  std::map<std::pair<std::string, std::string>, std::uint32_t> codes_;
};

// CPU time of the program's own lines, in milliseconds: "name:line"; "": none of them.
std::map<std::string, std::int64_t> own_ms(const Training& program, const fold::Selection& selection = {}) {
  const model::Run run = Folded::make_run({&program});
  const symbols::Symbols symbols = symbols::symbolize(run);
  const fold::CallTree tree = fold::line_tree(run, symbols, selection);
  std::map<std::string, std::int64_t> out;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const std::vector<std::uint32_t> stack = fold::stack_of(tree, node);
    const std::size_t own = tree.own().innermost(stack);
    std::string name;
    if (own < stack.size()) {
      const symbols::Location& at = symbols.location(stack[own]);
      name = symbols.function(at.function).name + ":" + std::to_string(at.line);
    }
    if (tree.self().cpu[node].ns > 0) out[name] += tree.self().cpu[node].ns / static_cast<std::int64_t>(kMs);
  }
  return out;
}

using OwnMs = std::map<std::string, std::int64_t>;

}  // namespace

TEST_CASE("what PyTorch's threads do for backward() is below the line that called it", "[fold]") {
  Training p;
  const auto run = p.calls_backward(p.line(0, "main", 14));
  p.waits(run, 100);
  p.log.cpu(run, 1, 2 * kMs);
  const auto work = p.torch(p.thread_main(), 0x40);
  p.log.cpu(work, 3, 30 * kMs, 1);
  p.waits(p.thread_main(), 500, 1);  // for work
  const Folded folded({&p});
  CHECK(folded.stacks() == Stacks{{"main;backward;_engine_run_backward", 2 * kMs},
                                  {"main;backward;_engine_run_backward;(backward thread);f10;f20;f40", 30 * kMs}});
  CHECK(folded.stacks(model::Measure::Blocked) ==
        Stacks{{"main;backward;_engine_run_backward;f30;pthread_cond_wait", 100 * kMs},
               {"f1;f10;f20;f30;pthread_cond_wait", 500 * kMs}});
  CHECK(folded.tree.total().cpu.ns == 32 * kMs);
  CHECK(folded.times().at("main") == std::pair<std::int64_t, std::int64_t>{0, 32 * kMs});
  CHECK(own_ms(p) == OwnMs{{"main:14", 32}});
  CHECK(folded.symbols.function(folded.function("(backward thread)")).special);

  const auto node_of = [&](const Folded& of, std::uint32_t context) {
    return of.name(of.tree.function_id(of.tree.node_of(0, context)));
  };
  CHECK(node_of(folded, work) == "f40");

  fold::Selection its_thread, other, python, native, apart;
  its_thread.threads = {"pt_autograd_0"};
  CHECK(Folded({&p}, its_thread).stacks() ==
        Stacks{{"main;backward;_engine_run_backward;(backward thread);f10;f20;f40", 30 * kMs}});
  other.threads = {"1000"};
  CHECK(Folded({&p}, other).stacks() == Stacks{{"main;backward;_engine_run_backward", 2 * kMs}});
  python.fold.frames = fold::Frames::Python;
  CHECK(Folded({&p}, python).stacks() == Stacks{{"main;backward;_engine_run_backward", 2 * kMs},
                                                {"main;backward;_engine_run_backward;(backward thread)", 30 * kMs}});
  native.fold.frames = fold::Frames::Native;
  CHECK(Folded({&p}, native).stacks().at("f1;f10;f20;f40") == 30 * kMs);
  apart.fold.backward = fold::Backward::Apart;
  CHECK(Folded({&p}, apart).stacks().at("f1;f10;f20;f40") == 30 * kMs);
  CHECK(own_ms(p, apart) == OwnMs{{"main:14", 2}, {"", 30}});
}

TEST_CASE("contexts that other threads have too, and threads of other names, stay where they are", "[fold]") {
  Training p;
  p.waits(p.calls_backward(p.line(0, "main", 14)), 100);
  const auto pool = p.torch(p.torch(p.starts(), 0x50), 0x60);
  p.log.cpu(pool, 1, 10 * kMs, 1);
  p.log.cpu(pool, 1, 20 * kMs, 2);
  p.log.cpu(p.torch(p.starts(), 0x70), 1, 40 * kMs, 2);
  CHECK(Folded({&p}).stacks() == Stacks{{"f1;f50;f60", 30 * kMs}, {"f1;f70", 40 * kMs}});
}

TEST_CASE("the engine's threads are known by its functions where they have no name", "[fold]") {
  const test::NativeLibrary library(
      "namespace torch::autograd { struct Engine { void thread_init(); }; void Engine::thread_init() {} }\n",
      "torch/lib/libtorch_cpu.so", "-O0");
  Training p(library.path());
  std::strcpy(p.log.thread(1).name, "renamed");
  p.waits(p.calls_backward(p.line(0, "main", 14)), 100);
  p.log.cpu(p.torch(p.starts(), library.in("thread_init")), 1, 10 * kMs, 1);
  CHECK(own_ms(p) == OwnMs{{"main:14", 10}});
}

TEST_CASE("work for several lines of a function is the function's, by lines its first line's", "[fold]") {
  Training p;
  p.waits(p.calls_backward(p.line(p.line(0, "main", 50), "train", 30, 20)), 40);
  p.waits(p.calls_backward(p.line(p.line(0, "main", 50), "train", 40, 20)), 60);
  p.log.cpu(p.torch(p.thread_main(), 0x40), 1, 10 * kMs, 1);
  CHECK(Folded({&p}).stacks() ==
        Stacks{{"main;train;backward;_engine_run_backward;(backward thread);f10;f20;f40", 10 * kMs}});
  CHECK(own_ms(p) == OwnMs{{"train:20", 10}});
}

TEST_CASE("work for several callers is below what they have in common", "[fold]") {
  Training p;
  p.waits(p.calls_backward(p.line(p.line(0, "main", 50), "generator", 30)), 40);
  p.waits(p.calls_backward(p.line(p.line(p.line(0, "main", 51), "inner", 9), "critic", 40)), 60);
  p.log.cpu(p.torch(p.thread_main(), 0x40), 1, 10 * kMs, 1);
  CHECK(Folded({&p}).stacks() ==
        Stacks{{"main;backward;_engine_run_backward;(backward thread);f10;f20;f40", 10 * kMs}});
  CHECK(own_ms(p) == OwnMs{{"main:1", 10}});
}

TEST_CASE("a caller that waited for a tenth at most does not take the line from the others", "[fold]") {
  Training p;
  p.waits(p.calls_backward(p.line(0, "warm_up", 30)), 10);
  p.waits(p.calls_backward(p.line(p.line(0, "main", 51), "train", 40)), 90);
  p.log.cpu(p.torch(p.thread_main(), 0x40), 1, 10 * kMs, 1);
  CHECK(own_ms(p) == OwnMs{{"train:40", 10}});
}

TEST_CASE("the line that calls backward() is known, from wherever its function was called", "[fold]") {
  Training p;
  p.waits(p.calls_backward(p.line(p.line(0, "first", 5), "train", 40)), 50);
  p.waits(p.calls_backward(p.line(p.line(0, "second", 5), "train", 40)), 50);
  p.log.cpu(p.torch(p.thread_main(), 0x40), 1, 10 * kMs, 1);
  CHECK(own_ms(p) == OwnMs{{"train:40", 10}});
  CHECK(Folded({&p}).times().at("first").second == 0);
}

TEST_CASE("Python in the engine's thread is below the caller, and is none", "[fold]") {
  Training p;
  p.waits(p.calls_backward(p.line(0, "main", 14)), 10);
  const auto again = p.line(p.torch(p.thread_main(), 0x40), "recompute", 7);
  p.log.cpu(again, 1, 10 * kMs, 1);
  p.waits(p.calls_backward(again), 900, 1);  // a checkpoint's backward() within backward()
  p.log.cpu(p.torch(p.thread_main(), 0x40), 1, 5 * kMs, 1);
  CHECK(own_ms(p) == OwnMs{{"main:14", 5}, {"recompute:7", 10}});
  CHECK(Folded({&p})
            .stacks(model::Measure::Blocked)
            .at("main;backward;_engine_run_backward;(backward thread);f10;f20;f40;recompute;backward;"
                "_engine_run_backward;f30;pthread_cond_wait") == 900 * kMs);
}

TEST_CASE("before PyTorch 2.2 backward() itself ran the engine, and without waits samples tell who called it",
          "[fold]") {
  Training p;
  p.log.cpu(p.line(p.line(0, "main", 14), "backward", 197, 100, kAutograd), 1, 1 * kMs);
  p.log.cpu(p.torch(p.thread_main(), 0x40), 1, 10 * kMs, 1);
  CHECK(own_ms(p) == OwnMs{{"main:14", 11}});
}

TEST_CASE("where nobody was seen to call backward() its threads stay where they are", "[fold]") {
  Training p;
  p.log.cpu(p.line(0, "main", 14), 1, 1 * kMs);
  p.log.cpu(p.torch(p.thread_main(), 0x40), 1, 10 * kMs, 1);
  CHECK(own_ms(p) == OwnMs{{"main:14", 1}, {"", 10}});
}

TEST_CASE("ranges of the engine's thread stay around its work", "[fold]") {
  Training p;
  const auto range = p.log.node(0, p.log.named(log::NameKind::Range, "step"));
  p.waits(p.calls_backward(p.line(range, "main", 14)), 10);
  const auto inner = p.log.node(0, p.log.named(log::NameKind::Range, "MmBackward0"));
  p.log.cpu(p.torch(inner, 0x40), 1, 10 * kMs, 1);
  CHECK(Folded({&p}).stacks() ==
        Stacks{{"step;main;backward;_engine_run_backward;(backward thread);MmBackward0;f40", 10 * kMs}});
}
