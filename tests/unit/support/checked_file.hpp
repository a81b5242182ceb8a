// Files of formats as readers that know nothing of prof find them: scripts beside this file, in Python.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/temp_dir.hpp"

namespace prof::test {

// The lines that the script prints of a file; fails the test where it finds something wrong.
inline std::vector<std::string> checked(const std::string& script, const std::string& file,
                                        const std::vector<std::string>& more = {}) {
  const TempDir temp;
  std::ofstream(temp / "file", std::ios::binary) << file;
  REQUIRE_FALSE(interpreters().empty());
  std::vector<std::string> argv{interpreters().front().program.string(), "-I",
                                (source_dir() / "tests/unit/support" / script).string(), (temp / "file").string()};
  argv.insert(argv.end(), more.begin(), more.end());
  const Outcome outcome = Command(argv).run();
  INFO(outcome.err);
  REQUIRE(outcome.ok());
  std::vector<std::string> lines;
  std::istringstream text(outcome.out);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace prof::test
