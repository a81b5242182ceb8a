#include "tests/support/temp_dir.hpp"

#include <cstdlib>
#include <stdexcept>

namespace prof::test {

namespace fs = std::filesystem;

TempDir::TempDir() {
  std::string name = (fs::temp_directory_path() / "proftest-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a directory: " + name);
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

bool TempDir::run(const std::string& command) const {
  return std::system(("cd '" + path_.string() + "' && { " + command + "; } >/dev/null 2>&1").c_str()) == 0;
}

bool TempDir::compile(const std::string& options) const {
  const char* compiler = std::getenv("CXX");
  return run(std::string(compiler != nullptr ? compiler : "c++") + " " + options + " source.cpp");
}

}  // namespace prof::test
