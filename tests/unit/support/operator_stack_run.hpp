// Operators below the Python lines that called them, and their floating point operations.
#pragma once

#include <string>
#include <vector>

#include "report/fold/training/operators.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/loaded_run.hpp"

namespace prof::test {

//   train > step > forward > linear                aten::linear 60 us > aten::mm 20
//   ProfilerStep#* (called by train) 100
//     train > step > other                         aten::mm 30
//     train > step                                 evaluate 50
//       train > step > forward > linear                 MmBackward 40 (1 of 2 calls linked elsewhere)
//                                                    > aten::mm 15
class StackRun : public LoadedRun {
 public:
  StackRun() {
    LogBuilder log;
    log.header.log_id = 1;
    log.thread(0).flags = log::kThreadMain;
    const std::uint32_t train = log.code("train", "", "/x/train.py", 10),
                        step = log.code("step", "", "/x/train.py", 20),
                        forward = log.code("forward", "", "/x/net.py", 5),
                        linear = log.code("linear", "", "/x/functional.py", 7);
    const std::uint32_t other = log.code("other", "", "/x/net.py", 50);
    const auto below = [&](std::uint32_t parent, std::initializer_list<std::uint32_t> codes) {
      for (const std::uint32_t id : codes) parent = log.node(parent, log.python_line(id, id * 10));
      return parent;
    };
    const auto op = [&](std::uint32_t parent, const char* name, const char* group, std::uint64_t us,
                        std::uint64_t nested_us, std::uint64_t flops = 0, std::uint64_t unlinked = 0) {
      const std::uint32_t node = log.node(parent, log.named(log::NameKind::Operator, name, group));
      const std::uint64_t ns = us * 1000;
      log.record(log::RecordClass::Operator, node,
                 log::OperatorWords{unlinked + 1, ns, nested_us * 1000, ns, ns, 0, 0, flops, unlinked});
      return node;
    };
    const std::uint32_t root = log.node(0, log.special(log::SpecialFrame::Operators));
    op(op(below(root, {train, step, forward, linear}), "aten::linear", "forward", 60, 20), "aten::mm", "forward", 20, 0,
       1000);
    const std::uint32_t scope = op(below(root, {train}), "ProfilerStep#*", "scope", 100, 80);
    op(below(scope, {train, step, other}), "aten::mm", "forward", 30, 0, 3000);
    const std::uint32_t evaluate = op(below(scope, {train, step}), "evaluate", "forward", 50, 40);
    const std::uint32_t backward =
        op(below(evaluate, {train, step, forward, linear}), "MmBackward", "backward", 40, 15, 0, 1);
    op(backward, "aten::mm", "forward", 15, 0, 500);
    // Frames have no figures, whatever stands there.
    log.record(log::RecordClass::Operator, below(root, {train}), log::OperatorWords{5, 5, 5, 5, 5, 5, 5, 5, 5});
    load(log);
  }

  fold::Operators ops(fold::OperatorGrouping grouping) const {
    return fold::operators(run, selection, grouping, &symbols);
  }
  std::vector<std::string> functions(const fold::OperatorRow& row) const {
    std::vector<std::string> names;
    for (const std::uint32_t id : row.stack) names.push_back(symbols.function(symbols.location(id).function).name);
    return names;
  }
};

}  // namespace prof::test
