// A run with a trace of operators whose figures are known, for tests of folds, views and formats. Times in us from the
// start of the process, on the main thread 1000 unless told otherwise. Frames are those of Python above an operator;
// the modules there are Net > Linear (line 11 of net.py), Net > Linear (line 12), Net > Norm.
//
//   steps 7 (100 to 200), 8 (200 to 300), both by SGD's step
//
//   100-200  aten::linear 105-125 in Net > Linear, gives 40 and 41 > aten::t 106-110 gives 40, aten::mm 111-124 gives
//   41
//            aten::norm 126-130 in Net > Norm, gives 42
//            scope "loss" 132-190
//              aten::sub 133-139 in no module
//              NormBackward 140-150 (42), on thread 1001: NormBackward 142-149 (42) > NormBackward within it
//              MmBackward 151-160 (41)
//              TBackward 161-165 (77: nothing is known of it)
//            aten::late 195-205: goes on into step 8
//   200-300  aten::linear 210-220 in Net > Linear, 222-240 in the other Net > Linear > aten::linear 223-239
//            aten::linear 242-250 in Net > Linear again, ended elsewhere
//   behind   aten::after 310-320
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "tests/support/log_builder.hpp"
#include "tests/support/step_log.hpp"
#include "tests/unit/support/loaded_run.hpp"

namespace prof::test {

class OperatorTraceRun : public LoadedRun {
 public:
  // `lost`: events that the ring no longer has.
  explicit OperatorTraceRun(std::uint64_t lost = 0) {
    log_.header.log_id = 1;
    log_.thread(0).flags = log::kThreadMain;
    log_.thread(1);
    const std::uint32_t train = log_.code("train", "", "/x/train.py", 10),
                        net = log_.code("forward", "Net.forward", "/x/net.py", 10),
                        linear = log_.code("forward", "Linear.forward", "/x/torch/nn/modules/linear.py", 110),
                        norm = log_.code("forward", "Norm.forward", "/x/torch/nn/modules/norm.py", 5),
                        call = log_.code("_call_impl", "Module._call_impl", "/x/torch/nn/modules/module.py", 1000);
    root_ = log_.node(0, log_.special(log::SpecialFrame::Operators));
    struct At {
      std::uint32_t code, line;
    };
    const auto below = [&](std::initializer_list<At> frames) {
      std::uint32_t node = root_;
      for (const At& at : frames) node = log_.node(node, log_.python_line(at.code, at.line));
      return node;
    };
    const std::uint32_t first = below({{train, 20}, {call, 1100}, {net, 11}, {call, 1100}, {linear, 114}});
    const std::uint32_t other = below({{train, 20}, {call, 1100}, {net, 12}, {call, 1100}, {linear, 114}});
    const std::uint32_t normed = below({{train, 20}, {call, 1100}, {net, 13}, {call, 1100}, {norm, 6}});
    const std::uint32_t outside = below({{train, 21}});

    const auto made = [](log::TraceEvent& event, std::uint64_t number, std::uint32_t count) {
      event.bytes = number + 1;
      event.context = 5;
      event.device = count;
    };
    made(add(first, "aten::linear", 105, 125), 40, 2);
    made(add(node_, "aten::t", 106, 110), 40, 1);
    made(add(parent_of_.at("aten::linear"), "aten::mm", 111, 124), 41, 1);
    made(add(normed, "aten::norm", 126, 130), 42, 1);
    scope("loss", 132, 190);
    add(outside, "aten::sub", 133, 139);
    made(add(normed, "NormBackward", 140, 150, "backward", 1001), 42, 0);
    made(add(node_, "NormBackward", 142, 149, "backward", 1001), 42, 0);
    made(add(first, "MmBackward", 151, 160, "backward"), 41, 0);
    made(add(first, "TBackward", 161, 165, "backward"), 77, 0);
    add(outside, "aten::late", 195, 205);
    add(first, "aten::linear", 210, 220);
    add(other, "aten::linear", 222, 240);
    add(node_, "aten::linear", 223, 239);
    add(first, "aten::linear", 242, 250).device = log::kTraceElsewhere;
    add(outside, "aten::after", 310, 320);
    log_.trace(events_, static_cast<std::uint32_t>(events_.size()), events_.size() + lost);

    log::StepsHeader header = steps_header(
        log::StepSource::Optimizer,
        log::named_frame(log_.name(log::NameKind::Range, "Optimizer.step#SGD.step", "record_function"), 0), 1);
    add_steps(log_, header,
              {step_record(7, at(100), 100'000), step_record(8, at(200), 100'000), step_record(9, at(400), 100'000)});
    load(log_);
  }

 private:
  std::uint64_t at(std::uint64_t us) const { return log_.header.start_monotonic_ns + us * 1000; }

  log::TraceEvent& add(std::uint32_t parent, const char* name, std::uint64_t begin, std::uint64_t end,
                       const char* group = "forward", std::uint32_t tid = 1000) {
    const std::uint32_t id = log_.name(log::NameKind::Operator, name, group);
    node_ = log_.node(parent, log_.named(id));
    parent_of_.try_emplace(name, node_);
    log::TraceEvent event{};
    event.kind = static_cast<std::uint32_t>(log::TraceKind::Operator);
    event.frame = log::named_frame(id, 0);
    event.node = node_;
    event.start_ns = at(begin);
    event.end_ns = at(end);
    event.tid = tid;
    return events_.emplace_back(event);
  }

  void scope(const char* name, std::uint64_t begin, std::uint64_t end) {
    log::TraceEvent event{};
    event.kind = static_cast<std::uint32_t>(log::TraceKind::Range);
    const std::uint32_t id = log_.name(log::NameKind::Range, name, "record_function");
    event.frame = log::named_frame(id, 0);
    event.node = log_.node(0, log_.named(id));
    event.start_ns = at(begin);
    event.end_ns = at(end);
    event.tid = 1000;
    events_.push_back(event);
  }

  LogBuilder log_;
  std::uint32_t root_ = 0, node_ = 0;
  std::map<std::string, std::uint32_t> parent_of_;
  std::vector<log::TraceEvent> events_;
};

}  // namespace prof::test
