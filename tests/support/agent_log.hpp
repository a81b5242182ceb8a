// A log for tests of the agent's parts, as in a host: made once for the whole test program.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "agent/core/process.hpp"
#include "agent/life/blocks.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/guard.hpp"
#include "tests/support/catch.hpp"

namespace prof::test {

inline log::Header& agent_log() {
  static const std::string directory = [] {
    char name[] = "/tmp/prof-unit-XXXXXX";
    return std::string(mkdtemp(name));
  }();
  Process& p = process();
  if (log::header() == nullptr) {
    p.pid = static_cast<std::uint32_t>(getpid());
    p.root = directory_id("/");
    std::strcpy(p.run_dir, (directory + "/a/run").c_str());
    REQUIRE(log::ensure_created());
    std::atexit([] { std::filesystem::remove_all(directory); });
  }
  return *log::header();
}

// A guard for the calling thread, with a state of its own.
class AgentGuard : public Guard {
 public:
  AgentGuard() : Guard(log::RegionKind::Ordinary) {
    static ThreadState* const state = [] {
      ThreadState* made = threads::take_block();
      made->record = &made->early;
      made->slot = 0;
      threads::begin_regions(*made);
      return made;
    }();
    agent_log();
    enter(state);
  }
};

}  // namespace prof::test
