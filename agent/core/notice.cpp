#include "agent/core/notice.hpp"

#include <atomic>

#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/text.hpp"

namespace prof {

void notice(std::string_view text) {
  static std::atomic<bool> said{false};  // a forked child inherits it: once in a run
  const Process& p = process();
  if (p.options.quiet || !p.first_of_run || said.exchange(true)) return;
  Text<1024> line;
  line << "libprof: " << first(text, 1000) << '\n';
  raw::write(2, line.c_str(), line.size());
}

}  // namespace prof
