#include "tests/support/text_file.hpp"

#include <fstream>
#include <sstream>

#include "tests/support/catch.hpp"

namespace prof::test {
namespace {

template <class Accept>
int first_line(const std::filesystem::path& path, const Accept& accept) {
  std::ifstream file(path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (accept(line)) return number;
  }
  FAIL("no such line in " << path);
  return 0;
}

bool holds(const std::string& line, const std::string& text) { return line.find(text) != std::string::npos; }

}  // namespace

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int line_of(const std::filesystem::path& file, const std::string& text) {
  INFO("looking for " << text);
  return first_line(file, [&](const std::string& line) { return holds(line, text); });
}

int line_of(const std::filesystem::path& file, const std::string& function, const std::string& text) {
  INFO("looking for " << text << " in " << function);
  bool inside = false;
  return first_line(file, [&](const std::string& line) {
    if (line.rfind("def ", 0) == 0) inside = line.rfind("def " + function + "(", 0) == 0;
    return inside && holds(line, text);
  });
}

}  // namespace prof::test
