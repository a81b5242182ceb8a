#include "report/findings/event_loop.hpp"

namespace prof::findings {

bool runs_callbacks(const symbols::Function& function) {
  return function.language == symbols::Language::Python &&
         (function.file.ends_with("/asyncio/events.py") || function.file.ends_with("/asyncio/base_events.py")) &&
         (function.name.ends_with("_run") || function.name.ends_with("_run_once"));
}

}  // namespace prof::findings
