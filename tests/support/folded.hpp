// Runs of made-up programs, and their folds, for tests of what is shown.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/fold/time/functions.hpp"
#include "report/model/build_process.hpp"
#include "report/model/link.hpp"
#include "tests/support/log_builder.hpp"

namespace prof::test {

// A program of which no file exists: function "p+0x1" is at address 1, and so on.
class Program {
 public:
  explicit Program(std::uint32_t pid = 100, const std::string& path = "/nowhere/p") {
    log.header.pid = pid;
    log.header.start_ticks = pid;
    log.header.log_id = pid;
    module_ = log.module(path);
  }

  // The node of a path of functions, outermost first.
  std::uint32_t path(const std::vector<std::uint64_t>& functions) {
    std::uint32_t node = 0;
    for (const std::uint64_t function : functions) node = log.node(node, log.native(module_, function));
    return node;
  }
  void cpu(const std::vector<std::uint64_t>& functions, std::uint64_t ns, std::uint32_t slot = 0) {
    log.cpu(path(functions), 1, ns, slot);
  }

  model::Process process() const {
    const test::ByteVector bytes = log.bytes();
    return model::build_process(read::parse(bytes, bytes), "x.proflog", 0);
  }

  LogBuilder log;

 private:
  std::uint32_t module_ = 0;
};

// A run of some programs and its folds, by short names: "p+0x1" is f1.
struct Folded {
  explicit Folded(const std::vector<const Program*>& programs, const fold::Selection& selection = {},
                  const symbols::Options& options = {}, fold::Granularity granularity = fold::Granularity::Function)
      : run(make_run(programs)),
        symbols(symbols::symbolize(run, options)),
        tree(fold::build_call_tree(run, symbols, selection, granularity)) {}

  static model::Run make_run(const std::vector<const Program*>& programs) {
    model::Run run;
    for (const Program* program : programs) run.processes.push_back(program->process());
    model::link_processes(run.processes);
    model::share_cpu_time(run.processes);
    return run;
  }

  std::string name(std::uint32_t function) const {
    const std::string& name = symbols.function(function).name;
    const std::size_t at = name.find("+0x");
    return at == std::string::npos ? name : "f" + name.substr(at + 3);
  }

  std::map<std::string, std::pair<std::int64_t, std::int64_t>> times() const {  // tottime, cumtime
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> times;
    for (const fold::FunctionRow& row : fold::functions(tree)) {
      times[name(row.function)] = {row.self.cpu.ns, row.cumulative.cpu.ns};
    }
    return times;
  }

  std::map<std::string, std::int64_t> stacks(model::Measure measure = model::Measure::CpuTime) const {
    std::map<std::string, std::int64_t> stacks;
    fold::for_each_stack(tree, measure, [&](std::span<const std::uint32_t> functions, std::int64_t value) {
      std::string text;
      for (const std::uint32_t function : functions) text += (text.empty() ? "" : ";") + name(function);
      stacks[text] += value;
    });
    return stacks;
  }

  std::uint32_t function(const std::string& wanted) const {
    for (std::uint32_t i = 0; i < symbols.function_count(); ++i) {
      if (name(i) == wanted) return i;
    }
    throw std::out_of_range("no function " + wanted);
  }

  model::Run run;
  symbols::Symbols symbols;
  fold::CallTree tree;
};

using Times = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;  // tottime, cumtime
using Stacks = std::map<std::string, std::int64_t>;

}  // namespace prof::test
