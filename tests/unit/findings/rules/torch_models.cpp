// The rules about how models are called: row by row, with gradients for all rows, for nothing in the end.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::kUs;
using test::lines_of;

namespace {

struct Operator {
  const char* name;
  const char* kind;
  std::uint64_t calls, each_ns;
};

void count(FindingsRun& run, std::initializer_list<Operator> operators) {
  for (const Operator& one : operators) run.count_operator(one.name, one.kind, one.calls, one.calls * one.each_ns);
}

// PyTorch at work in a model's own line, called from a line of train().
void call_model(FindingsRun& run, std::uint32_t line, std::uint32_t layer, std::uint64_t ms) {
  const auto forward = run.line(run.train(line), run.code("Net.forward", "/app/net.py"), layer);
  const auto library = run.log.native(run.log.module("/nowhere/torch/lib/libtorch_cpu.so"), 0x100);
  run.log.cpu(run.log.node(forward, library), ms / 10, ms * kMs);
}

}  // namespace

TEST_CASE("findings: a model that is asked for one row at a time", "[findings]") {
  FindingsRun run;
  call_model(run, 40, 51, 500);
  call_model(run, 40, 52, 300);
  run.log.cpu(run.train(41), 40, 400 * kMs);
  SECTION("small products") {
    count(run, {{"aten::addmm", "forward", 30'000, 3 * kUs}, {"aten::relu", "forward", 30'000, 2 * kUs}});
    const auto found = run.look("small-tensors");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4));
    REQUIRE(found.front().places.size() == 3);
    CHECK(found.front().places[0].line == 40);
    CHECK(found.front().places[1].line == 51);
    CHECK(found.front().places[2].line == 52);
    CHECK(has(found.front().seen, "30,000 products of matrices took 3.00 us each"));
    CHECK(has(found.front().seen, "800 ms of CPU time went by in it, 66.7 % of all"));
  }
  SECTION("small products in all of the steps, and imports before them") {
    run.steps(10, 100);
    count(run, {{"aten::addmm", "forward", 30'000, 3 * kUs}, {"aten::relu", "forward", 30'000, 2 * kUs}});
    const auto found = run.look("small-tensors");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.8));
  }
  SECTION("large ones") {
    count(run, {{"aten::addmm", "forward", 30'000, 20 * kUs}});
    CHECK(run.look("small-tensors").empty());
  }
  SECTION("beside operators that are long") {
    count(run, {{"aten::addmm", "forward", 30'000, 3 * kUs}, {"aten::sort", "forward", 1'000, 500 * kUs}});
    CHECK(run.look("small-tensors").empty());
  }
  SECTION("few") {
    count(run, {{"aten::addmm", "forward", 3'000, 3 * kUs}});
    CHECK(run.look("small-tensors").empty());
  }
}

TEST_CASE("findings: a model of small products that takes little of the time", "[findings]") {
  FindingsRun run;
  call_model(run, 40, 51, 100);
  run.log.cpu(run.train(41), 140, 1'400 * kMs);
  count(run, {{"aten::addmm", "forward", 30'000, 3 * kUs}});
  CHECK(run.look("small-tensors").empty());
}

namespace {

// A second of steps, half of which goes to the optimizer, or so much.
void tables(FindingsRun& run, std::uint64_t look_up_ns, std::uint64_t gradient_ns, std::uint64_t optimizer_ms = 500,
            std::uint32_t at = 0) {
  run.steps(10, 100);
  if (at == 0) at = run.train(43);
  run.log.cpu(run.line(at, run.code("Adam.step", "/v/site-packages/torch/optim/adam.py"), 1), optimizer_ms / 10,
              optimizer_ms * kMs);
  run.log.cpu(run.train(44), 50, 500 * kMs);
  count(run, {{"aten::embedding", "forward", 100, look_up_ns},
              {"aten::embedding_dense_backward", "forward", 100, gradient_ns},
              {"Optimizer.step#Adam.step", "scope", 10, optimizer_ms * kMs / 10}});
}

}  // namespace

// Catches divisions that take twice as long as products, as they do, small tensors, and what other code calls as well.
TEST_CASE("findings: an optimizer that computes with denormal numbers", "[findings]") {
  const auto saves_ms = [](std::uint64_t product_us, std::uint64_t division_us, std::uint64_t decays = 2'000,
                           const char* optimizer = "Optimizer.step#Adam.step") {
    FindingsRun run;
    run.steps(10, 100);
    run.log.cpu(run.line(run.train(43), run.code("Adam.step", "/v/site-packages/torch/optim/adam.py"), 1), 50,
                500 * kMs);
    count(run, {{"aten::addcmul_", "forward", 1'000, product_us * kUs},
                {"aten::addcdiv_", "forward", 1'000, division_us * kUs},
                {"aten::mul_", "forward", decays, division_us * kUs / 2},
                {optimizer, "scope", 10, 50 * kMs}});
    const auto found = run.look("denormal-numbers");
    if (found.empty()) return 0.0;
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{43});
    return found.front().saves * 1'000;
  };
  CHECK(saves_ms(10, 240) == Approx(220 + 200));
  CHECK(saves_ms(10, 240, 5'000) == Approx(220));
  CHECK(saves_ms(100, 240) == 0);
  CHECK(saves_ms(2, 18) == 0);
  // One average for each row of a table: products of few numbers, divisions of many.
  CHECK(saves_ms(10, 240, 2'000, "Optimizer.step#RowWiseAdagrad.step") == 0);
}

TEST_CASE("findings: gradients for all rows of an embedding", "[findings]") {
  SECTION("of a table that is most of the model") {
    FindingsRun run;
    tables(run, 50 * kUs, 1'000 * kUs);
    const auto found = run.look("dense-gradients");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.7 * 0.6 - 0.3 * 0.005));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{43});
    CHECK(has(found.front().seen, "100 gradients of embeddings took 1.00 ms each on average, 20 times as long"));
  }
  SECTION("half of it") {
    FindingsRun run;
    tables(run, 25 * kUs, 500 * kUs, 250);
    const auto found = run.look("dense-gradients");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.7 * 0.3 - 0.3 * 0.0025));
  }
  SECTION("of one of which many rows are looked up") {
    const std::uint64_t rows = GENERATE(2, 8);  // MiB, of a table of 10
    FindingsRun run;
    tables(run, 400 * kUs, 600 * kUs);
    const auto operate = [&](const char* name, std::uint64_t bytes) {
      run.log.memory(
          log::RecordClass::Heap, run.log.node(run.train(43), run.log.named(log::NameKind::Operator, name, "")),
          test::memory_words(100 * log::kCountUnit, 100 * bytes, 100 * log::kCountUnit, 100 * bytes, 0, 0, 100));
    };
    operate("aten::embedding", rows << 20);
    operate("aten::embedding_dense_backward", 10 << 20);
    const auto found = run.look("dense-gradients");
    REQUIRE(found.size() == (rows == 2 ? 1 : 0));
    if (!found.empty()) CHECK(has(found.front().seen, "600 us each on average; with what adds them up"));
  }
  SECTION("of a small part of what the optimizer has to do") {
    FindingsRun run;
    tables(run, 20 * kUs, 250 * kUs);
    CHECK(run.look("dense-gradients").empty());
  }
  SECTION("of a table that is a factor, too") {
    FindingsRun run;
    tables(run, 50 * kUs, 500 * kUs);
    count(run, {{"aten::mm", "forward", 100, 3'000 * kUs}});
    CHECK(run.look("dense-gradients").empty());
  }
  // Catches slow products of other layers taken for those with the table, where the source has none of these.
  SECTION("of a table that is no factor, by the source") {
    const auto [more, told] = GENERATE(table<std::string, bool>({{"", true},
                                                                 {"self.head.weight = self.items.weight\n", false},
                                                                 {"out = F.linear(x, self.items.weight)\n", false}}));
    FindingsRun run;
    const std::string file = run.directory() / "model.py";
    std::ofstream(file) << "self.items = nn.Embedding(200_000, 32)\nopt.step()\n" << more;
    tables(run, 50 * kUs, 500 * kUs, 500, run.line(0, run.code("fit", file, 1), 1));
    count(run, {{"aten::mm", "forward", 100, 3'000 * kUs}});
    const auto found = run.look("dense-gradients");
    REQUIRE(found.size() == (told ? 1 : 0));
    if (!told) return;
    REQUIRE(found.front().places.size() == 2);
    CHECK(found.front().places.front().line == 2);
    CHECK(found.front().places.back().line == 1);
  }
  // Catches a model with other products, which are short beside a gradient of the table.
  SECTION("of a table that is no factor beside other products") {
    FindingsRun run;
    tables(run, 50 * kUs, 1'000 * kUs);
    count(run, {{"aten::mm", "forward", 1'000, 300 * kUs}});
    CHECK(run.look("dense-gradients").size() == 1);
  }
  // Catches the products of an evaluation, with all rows, taken for those of the steps.
  SECTION("of a table that is a factor after the training") {
    FindingsRun run;
    tables(run, 50 * kUs, 500 * kUs);
    count(run, {{"aten::mm", "forward", 3, 100'000 * kUs}});
    CHECK(run.look("dense-gradients").size() == 1);
  }
  SECTION("of a table whose rows are used") {
    FindingsRun run;
    tables(run, 500 * kUs, 1'000 * kUs);
    CHECK(run.look("dense-gradients").empty());
  }
  SECTION("of a small table") {
    FindingsRun run;
    tables(run, 2 * kUs, 100 * kUs);
    CHECK(run.look("dense-gradients").empty());
  }
}

namespace {

// Ten steps of 100 ms, of which so much is backward, at line 47: gradients of so many parameters, of which the
// optimizer changes so many; of several passes for each step.
std::vector<findings::Finding> fitted(std::uint64_t backward_ms, std::uint64_t gradients, std::uint64_t updates,
                                      std::uint64_t passes = 1, std::uint64_t optimizers = 1, std::uint64_t by_hand = 0,
                                      const char* source = nullptr) {
  FindingsRun run;
  std::uint32_t fit = run.train(47);
  if (source != nullptr) {
    const std::string file = run.directory() / "fit.py";
    std::ofstream(file) << source;
    fit = run.line(0, run.code("fit", file), 1);
  }
  run.steps(10, 100, log::StepPart::Backward, backward_ms);
  run.log.cpu(run.line(fit, run.code("Tensor.backward", "/v/site-packages/torch/_tensor.py"), 400), backward_ms,
              10 * backward_ms * kMs);
  count(run, {{"Optimizer.step#Adam.step", "scope", 10, 50 * kUs},
              {"torch::autograd::AccumulateGrad", "backward", 10 * passes * gradients, kUs},
              {"autograd::engine::evaluate_function: ConvolutionBackward0", "backward", 60 * passes, kUs},
              {"autograd::engine::evaluate_function: NllLossBackward0", "backward", 10 * passes, kUs}});
  if (updates > 0) count(run, {{"aten::addcdiv_", "forward", 10 * updates, kUs}});
  if (by_hand > 0) count(run, {{"aten::sub_", "forward", 10 * by_hand, kUs}});
  if (optimizers > 1) count(run, {{"Optimizer.step#SGD.step", "scope", 10, 50 * kUs}});
  return run.look("unused-gradients");
}

}  // namespace

TEST_CASE("findings: gradients of parameters that no optimizer holds", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = fitted(60 / half, 8, 2);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.6 / static_cast<double>(half)));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{47});
    CHECK(has(found.front().seen, "gradients of 8 parameters, and the optimizer changes 2."));
  }
  CHECK(fitted(60, 8, 8).empty());
  CHECK(fitted(60, 8, 2, 4).size() == 1);
  CHECK(fitted(60, 8, 8, 4).empty());     // gradients that are added up over four passes
  CHECK(fitted(60, 8, 0).empty());        // an optimizer whose updates nobody can count
  CHECK(fitted(60, 8, 4).empty());        // two models that are trained in turns
  CHECK(fitted(60, 8, 2, 1, 2).empty());  // two optimizers
  // The others may be changed by hand, unless the source says that what is subtracted is something else.
  CHECK(fitted(60, 8, 2, 1, 1, 6).empty());
  CHECK(fitted(60, 8, 2, 1, 1, 6, "p -= rate * p.grad\n").empty());
  CHECK(fitted(60, 8, 2, 1, 1, 6, "grad = p.grad\np -= rate * grad\n").empty());
  CHECK(fitted(60, 8, 2, 1, 1, 6, "model.zero_grad()\nimage -= mean\nloss.backward()\n").size() == 1);
  CHECK(fitted(5, 8, 2).empty());
}

namespace {

// Ten steps of 100 ms, of which so much is forward and backward, with data that was gone through so often.
void frozen(FindingsRun& run, std::uint64_t forward_ms, std::uint64_t backward_ms, std::uint64_t passes) {
  std::vector<log::StepRecord> records(10);
  for (std::uint64_t i = 0; i < records.size(); ++i) {
    log::StepRecord& step = records[i];
    step.count = 1;
    step.first = step.longest = i + 1;
    step.begin_ns = run.log.header.start_monotonic_ns + (100 + i * 100) * kMs;
    step.end_ns = step.begin_ns + 100 * kMs;
    step.ns = step.shortest_ns = step.longest_ns = 100 * kMs;
    step.sum.parts_ns[static_cast<std::size_t>(log::StepPart::Forward)] = forward_ms * kMs;
    step.sum.parts_ns[static_cast<std::size_t>(log::StepPart::Backward)] = backward_ms * kMs;
    step.sum.parts_ns[static_cast<std::size_t>(log::StepPart::Other)] = (100 - forward_ms - backward_ms) * kMs;
    step.longest_figures = step.sum;
  }
  log::StepsHeader head{};
  head.source = log::StepSource::Range;
  head.tid = 1000;
  head.per = 1;
  run.log.steps(head, records, log::kStepRecords);
  call_model(run, 51, 61, 700);
  constexpr const char* kLoader = "/v/site-packages/torch/utils/data/dataloader.py";
  run.log.cpu(run.line(run.train(50), run.code("_BaseDataLoaderIter.__next__", kLoader), 20), 1, 10 * kMs);
  count(run, {{"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "scope", 10 + passes, 10 * kUs}});
}

}  // namespace

TEST_CASE("findings: forward passes that nothing learns from", "[findings]") {
  SECTION("epoch after epoch") {
    FindingsRun run;
    frozen(run, 80, 2, 5);
    const auto found = run.look("frozen-forward");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.8 * 4 / 5));
    CHECK(lines_of(found.front()) == std::vector<std::int64_t>{51});
    CHECK(has(found.front().seen, "The data was gone through 5 times."));
  }
  SECTION("half of it") {
    FindingsRun run;
    frozen(run, 40, 1, 5);
    const auto found = run.look("frozen-forward");
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 * 4 / 5));
  }
  SECTION("where samples are drawn") {
    FindingsRun run;
    frozen(run, 80, 2, 5);
    count(run, {{"aten::bernoulli_", "forward", 300, 10 * kUs}});
    CHECK(run.look("frozen-forward").empty());
  }
  SECTION("otherwise") {
    const auto [what, forward_ms, backward_ms, passes] =
        GENERATE(table<const char*, std::uint64_t, std::uint64_t, std::uint64_t>({
            {"once", 80, 2, 1},
            {"with batches of another loop", 80, 2, 4},
            {"of a model that learns", 60, 20, 5},
            {"of little of the time", 30, 1, 5},
        }));
    INFO(what);
    FindingsRun run;
    frozen(run, forward_ms, backward_ms, passes);
    CHECK(run.look("frozen-forward").empty());
  }
}

// Catches models that keep what they computed, whose attention grows from call to call all the same; input of any
// length; and what writes nothing.
TEST_CASE("findings: a model that computes its whole input anew for each piece", "[findings]") {
  struct Case {
    const char* layer = "aten::linear";
    std::uint64_t mean_kib = 600, growing = 100;
    std::uint64_t chosen = 50;
    const char* in_loop = "    text = torch.cat([text, pick(net(text))], dim=1)";
  };
  const auto saves = [](const Case& it) {
    FindingsRun run;
    count(run, {{"aten::cat", "forward", 50, kUs}, {"aten::multinomial", "forward", it.chosen, kUs}});
    const std::string file = run.directory() / "write.py";
    std::ofstream(file) << "def write():\n" << it.in_loop << "\n\n\ndef learn():\n    seen.append(1)\n";
    const auto at = run.line(0, run.code("write", file, 1), 1);
    const auto call = run.line(at, run.code("Module._call_impl", "/v/site-packages/torch/nn/modules/module.py"), 1500);
    const auto forward = run.line(call, run.code("Net.forward", "/app/net.py"), 12);
    const auto layer = run.log.node(forward, run.log.named(log::NameKind::Operator, it.layer, "forward"));
    run.log.cpu(layer, 60, 600 * kMs);
    run.log.cpu(forward, 20, 200 * kMs);
    run.log.cpu(run.train(41), 60, 600 * kMs);
    const std::uint64_t bytes = 100 * it.mean_kib << 10, blocks = 100 * log::kCountUnit;
    log::HeapWords words = test::memory_words(blocks, bytes, blocks, bytes, 1 << 20, 1, 100);
    words.largest = 1 << 20;
    words.growing = it.growing;
    run.log.memory(log::RecordClass::Heap, layer, words);
    const auto found = run.look("recomputed-prefix");
    if (!found.empty()) CHECK(found.front().places.front().line == 2);
    return found.empty() ? 0.0 : found.front().saves;
  };
  CHECK(saves({}) == Approx(0.4));
  CHECK(saves({.layer = "aten::bmm"}) == 0);
  CHECK(saves({.mean_kib = 1024}) == 0);
  CHECK(saves({.growing = 50}) == Approx(0.4));  // two sequences, one after the other
  CHECK(saves({.growing = 5}) == 0);
  CHECK(saves({.chosen = 5}) == 0);
  // An agent that acts and learns, whose layers are of several widths.
  CHECK(saves({.in_loop = "    action = net(state).argmax(dim=1)"}) == 0);
  // Of GPT-2; and a prompt that is as long as what is written.
  CHECK(saves({.layer = "aten::addmm", .mean_kib = 800}) == Approx(0.4));
  CHECK(saves({.in_loop = "    tokens.append(pick(net(tokens)))"}) == Approx(0.4));
  // Texts that are sorted by length: their results are put behind each other, not they.
  CHECK(saves({.in_loop = "    found = torch.cat([found, net(text)])"}) == 0);
  CHECK(saves({.in_loop = "    found.append(net(text))"}) == 0);
}

// Catches layers that each have weights of their own, and weights that are worked out once for each forward().
TEST_CASE("findings: parametrized weights that are worked out at each use", "[findings]") {
  const auto saves = [](const std::string& body, std::uint64_t ms, const char* function = "Net.forward") {
    FindingsRun run;
    const std::string file = run.directory() / "net.py";
    std::ofstream(file) << "class Net:\n    def forward(self, x):\n" << body << "\n";
    const auto at = run.line(0, run.code(function, file, 2), 2);
    const char* parametrize = "/v/site-packages/torch/nn/utils/parametrize.py";
    run.log.cpu(run.line(at, run.code("ParametrizationList.forward", parametrize), 270), ms / 10, ms * kMs);
    run.log.cpu(run.train(41), 60, 600 * kMs);
    const auto found = run.look("parametrizations");
    if (!found.empty()) CHECK(found.front().places.front().line == 4);
    return found.empty() ? 0.0 : found.front().saves;
  };
  const std::string loop = "        for t in range(n):\n            h = self.rec(h)";
  CHECK(saves(loop, 800) == Approx(0.4));
  CHECK(saves(loop, 400) == Approx(0.2));
  CHECK(saves(loop, 100) == 0);
  CHECK(saves("        h = x\n        return self.rec(h)", 800) == 0);
  CHECK(saves("        for layer in self.layers:\n            h = layer(h)", 800) == 0);
  CHECK(saves("        for layer, norm in zip(self.layers, self.norms):\n            h = norm(layer(h))", 800) == 0);
  CHECK(saves("        for batch in data:\n            h = self.net(batch)", 800, "train") == 0);
}
