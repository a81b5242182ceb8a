// The Python interpreters of this machine, for tests that take them as their oracle.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace prof::test {

struct Interpreter {
  std::filesystem::path program;
  unsigned major = 0, minor = 0;
  std::string version;  // "3.11.2"
  std::string build;    // "t": without the GIL, "d": debug; empty: the usual one
};

// To be called in a test. Versions from 3.8 on: those of PROF_TEST_PYTHONS (paths with ':' between them), of /usr/bin,
// and two of pyenv's ($PYENV_ROOT, ~/.pyenv), which are others in each test; all of pyenv's where PROF_TEST_ALL_PYTHONS
// is set. Only programs that run and say what they are.
const std::vector<Interpreter>& all_interpreters();

// Of pyenv's those before 3.8, of which no frames are read; may be none.
std::vector<std::filesystem::path> old_interpreters();

// Of every minor version the first of these, of each kind of build.
const std::vector<Interpreter>& interpreters();

}  // namespace prof::test
