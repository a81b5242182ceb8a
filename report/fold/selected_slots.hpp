// Which thread slots of a process are selected.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "report/fold/selection.hpp"

namespace prof::fold {

class SelectedSlots {
 public:
  SelectedSlots(const model::Process& process, const Selection& selection) : all_(!selection.by_thread()) {
    if (all_) return;
    for (const model::Thread& thread : process.threads) {
      if (selection.includes(thread)) slots_.insert(thread.slot);
    }
  }
  bool contains(std::uint32_t slot) const { return all_ || slots_.contains(slot); }

 private:
  bool all_;
  std::unordered_set<std::uint32_t> slots_;
};

}  // namespace prof::fold
