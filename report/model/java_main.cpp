#include "report/model/java_main.hpp"

#include <algorithm>

namespace prof::model {

void choose_java_main(Process& process) {
  const bool launched = std::any_of(process.modules.begin(), process.modules.end(),
                                    [](const Module& module) { return module.path.ends_with("/libjli.so"); });
  const auto launcher =
      std::find_if(process.threads.begin(), process.threads.end(), [](const Thread& thread) { return thread.main; });
  if (!launched || launcher == process.threads.end()) return;
  Thread* first = nullptr;
  for (Thread& thread : process.threads) {
    if (thread.main || thread.agent) continue;
    if (first == nullptr || thread.start_monotonic_ns < first->start_monotonic_ns) first = &thread;
  }
  if (first == nullptr) return;
  launcher->main = false;
  first->main = true;
}

}  // namespace prof::model
