// A run with operators whose figures are known, for tests of folds, views and formats. Times in us.
//
//   main thread   ProfilerStep#* (scope) 100
//                   aten::linear 60, 2 calls > aten::addmm 50, 2 calls > aten::linear 20
//                   AddBackward (backward) 30 > aten::addmm 10
//   thread 1001   aten::addmm 7 with other shapes
//                 aten::div_ 9, 3 calls > aten::div_ 6, 3 calls
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include "report/fold/training/operators.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/loaded_run.hpp"

namespace prof::test {

class OpsRun : public LoadedRun {
 public:
  explicit OpsRun(bool shapes = true, bool memory = true) {
    LogBuilder log;
    log.header.log_id = 1;
    log.thread(0).flags = log::kThreadMain;
    log.thread(1);
    const auto op = [&](std::uint32_t parent, const char* name, const std::string& group, std::uint64_t calls,
                        std::uint64_t us, std::uint64_t nested_us, std::int64_t bytes = 0, std::uint32_t slot = 0) {
      const std::uint32_t node = log.node(parent, log.named(log::NameKind::Operator, name, group));
      const std::uint64_t ns = us * 1000;
      log.record(log::RecordClass::Operator, node,
                 log::OperatorWords{calls, ns, nested_us * 1000, ns / 2, ns,
                                    memory ? static_cast<std::uint64_t>(bytes) : 0, 0, 0, 0},
                 slot);
      return node;
    };
    const auto shaped = [&](const char* kind, const char* text) {
      return shapes ? std::string(kind) + ' ' + text : std::string(kind);
    };
    const std::uint32_t root = log.node(0, log.special(log::SpecialFrame::Operators));
    const std::uint32_t step = op(root, "ProfilerStep#*", "scope", 1, 100, 90);
    const std::uint32_t linear = op(step, "aten::linear", shaped("forward", "[[8, 3], [4]]"), 2, 60, 50, 100);
    const std::uint32_t addmm = op(linear, "aten::addmm", shaped("forward", "[[4]]"), 2, 50, 20, 10);
    op(addmm, "aten::linear", shaped("forward", "[[8, 3], [4]]"), 1, 20, 0, -40);
    const std::uint32_t backward = op(step, "AddBackward", "backward", 1, 30, 10);
    op(backward, "aten::addmm", shaped("forward", "[[4]]"), 1, 10, 0);
    op(root, "aten::addmm", shaped("forward", "[[5]]"), 1, 7, 0, 0, 1);
    // An overload that calls another one: the two are one.
    const std::uint32_t div = op(root, "aten::div_", shaped("forward", "[[4], []]"), 3, 9, 6, 0, 1);
    op(div, "aten::div_", shaped("forward", "[[4], [1]]"), 3, 6, 0, 0, 1);
    // Begun, and not ended yet.
    log.node(root, log.named(log::NameKind::Operator, "aten::open", "forward"));
    log::TraceEvent event{};
    event.kind = static_cast<std::uint32_t>(log::TraceKind::Operator);
    event.frame = log::named_frame(2, 0);  // the second name: aten::linear
    event.start_ns = log.header.start_monotonic_ns + 5000;
    event.end_ns = event.start_ns + 60'000;
    event.tid = 1000;
    log.trace({event}, 2, 1);
    load(log);
  }
};

// The first row of that name, and of those shapes; the test fails where there is none.
inline const fold::OperatorRow& row_of(const fold::Operators& ops, const std::string& name,
                                       const std::string& shapes = "") {
  const auto found = std::find_if(ops.rows.begin(), ops.rows.end(), [&](const fold::OperatorRow& row) {
    return row.name == name && (shapes.empty() || row.shapes == shapes);
  });
  REQUIRE(found != ops.rows.end());
  return *found;
}

}  // namespace prof::test
