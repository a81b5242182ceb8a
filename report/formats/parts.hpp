// The parts of a run that formats keep apart: its threads, or its processes.
#pragma once

#include <string>
#include <vector>

#include "report/show/view.hpp"

namespace prof::formats {

struct Part {
  std::string process;  // "train.py (pid 100)"
  std::string thread;   // "worker (tid 101)"; empty: the whole process, or its only thread
  fold::Selection selection;
};

// The selected processes that ran anything, images of one pid together; by thread where `by_thread`.
std::vector<Part> parts_of(const show::Subject& subject, bool by_thread);

}  // namespace prof::formats
