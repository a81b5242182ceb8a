// Which figures of a tree mean something: what the selected processes recorded.
#pragma once

#include "report/fold/selection.hpp"
#include "report/model/profile.hpp"

namespace prof::fold {

struct KnownFigures {
  bool live = true;                     // false when threads were selected
  bool exact = false, sampled = false;  // whether any process's memory is that
  bool python = false, copies = false, waits = false, cuda = false, device = false;

  KnownFigures(const model::Run& run, const Selection& selection) : live(!selection.by_thread()) {
    for (const model::Process& process : run.processes) {
      if (!selection.includes(process)) continue;
      exact |= process.heap_mode == log::HeapMode::Exact;
      sampled |= process.heap_mode == log::HeapMode::Sampled;
      python |= process.python_counted;
      copies |= process.copies_counted;
      waits |= process.waits_recorded;
      cuda |= model::saw_cuda(process);
      device |= model::saw_devices(process);
    }
  }
};

}  // namespace prof::fold
