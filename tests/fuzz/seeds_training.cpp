#include <string>

#include "tests/fuzz/seeds.hpp"

namespace prof::fuzz {
namespace {

log::StepRecord step(std::uint64_t first, std::uint64_t count, std::uint64_t ns) {
  log::StepRecord record{};
  record.count = count;
  record.first = first;
  record.begin_ns = 1'000'000'000 + first * 20'000'000;
  record.end_ns = record.begin_ns + count * ns;
  record.ns = count * ns;
  record.cpu_ns = record.process_cpu_ns = record.ns / 2;
  for (std::uint64_t part = 0; part < log::kStepParts; ++part) record.sum.parts_ns[part] = record.ns / 16 * part / 4;
  record.sum.blocked_ns[1] = record.ns / 4;
  record.shortest_ns = ns / 2;
  record.longest = first;
  record.longest_ns = ns;
  record.longest_cpu_ns = ns / 2;
  record.longest_figures = record.sum;
  return record;
}

log::OperatorWords operator_words(std::uint64_t calls, std::uint64_t total_ns, std::uint64_t nested_ns) {
  log::OperatorWords words{};
  words.calls = calls;
  words.total_ns = total_ns;
  words.nested_ns = nested_ns;
  words.min_ns = total_ns / 5;
  words.max_ns = total_ns / 2;
  words.host_bytes = 4096;
  words.device_bytes = UINT64_MAX;  // one byte less
  words.flops = 96;
  words.unlinked = 1;
  return words;
}

// Lines ahead of each other by two bytes of code.
std::string line_table() {
  std::string table;
  for (int i = 0; i < 30; ++i) table += std::string("\x02\x01", 2);
  return table;
}

}  // namespace

test::LogBuilder training_log() {
  test::LogBuilder log;
  using R = log::RecordClass;
  using N = log::NameKind;
  const auto special = [&](log::SpecialFrame what) { return log.node(0, log.special(what)); };
  const auto code = [&](const char* name, const char* qualname, const char* file) {
    return log.code(name, qualname, file, 1, line_table(), log::CodeKind::Code, 10);
  };
  const auto library = log.module("/lib/libtorch_cpu.so");
  const auto train = code("train", "train", "/app/train.py");
  const auto call = code("_call_impl", "Module._call_impl", "/usr/lib/python3/torch/nn/modules/module.py");
  const auto forward = code("forward", "Net.forward", "/app/net.py");
  const auto linear = code("forward", "", "/usr/lib/python3/torch/nn/modules/linear.py");
  const auto next = code("__next__", "_BaseDataLoaderIter.__next__", "/usr/lib/python3/torch/utils/data/dataloader.py");

  // Sampled: the loop, the modules in it, an operator of libtorch below them.
  const auto loop = log.node(0, log.python(train, 20));
  std::uint32_t node = loop;
  for (const auto inner : {call, forward, call, linear}) node = log.node(node, log.python(inner, 10));
  const auto leaf = log.node(node, log.native(library, 0x1000));
  log.cpu(leaf, 5, 50'000'000);
  log.cpu(log.node(loop, log.python(next, 4)), 2, 20'000'000);
  const auto range = log.named(N::Range, "Optimizer.step#SGD.step", "record_function");
  log.record(R::Range, log.node(loop, range), log::RangeWords{20, 90'000'000, 4'000'000, 5'000'000});

  // Counted: operators within each other, bare, with shapes, and below frames of Python.
  const auto operators = special(log::SpecialFrame::Operators);
  auto inside = operators;
  for (const char* group : {"scope", "forward [[8, 3], [4]]", "forward [[8, 3], [4]]"}) {
    inside = log.node(inside, log.named(N::Operator, "aten::linear", group));
    log.record(R::Operator, inside, operator_words(3, 90'000, 40'000), 1);
  }
  inside = log.node(operators, log.python(train, 20));
  for (const char* name : {"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0"}) {
    inside = log.node(inside, log.named(N::Operator, name, "backward"));
    log.record(R::Operator, inside, operator_words(20, 800'000, 300'000), 0);
  }

  const auto kernel = log.named(N::Kernel, "gemm", "", 1), api = log.named(N::Api, "cublasSgemm_v2", "cuBLAS");
  log.record(R::Device, log.node(inside, kernel), log::DeviceWords{20, 900, 9, 110, 0, 1});
  log.record(R::Api, log.node(inside, api), log::ApiWords{20, 0, 400, 5, 20, 0, 1000, 700});

  log::StepsHeader head{};
  head.frame = log::named_frame(1, 0);
  head.source = log::StepSource::Optimizer;
  head.tid = 1000;
  head.per = 2;
  head.dropped = 3;
  std::vector<log::StepRecord> steps{step(1, 2, 90'000'000)};
  for (std::uint64_t i = 3; i < 40; ++i) steps.push_back(step(i, 1, i % 10 == 0 ? 60'000'000 : 15'000'000));
  log.steps(head, steps, 48);
  log.thread(0).flags = log::kThreadMain;
  log.thread(0).cpu_ns = 70'000'000;
  log.thread(1);
  log.info(log::InfoKey::Python, "version=3.10.2\npath=m\nframes=on\nmode=frames");
  log.info(log::InfoKey::Options, "PROF_OPS=shapes,memory");
  return log;
}

}  // namespace prof::fuzz
