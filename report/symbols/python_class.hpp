// The classes of Python's methods, where the interpreter does not tell: code has no qualified name before Python 3.11.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "report/model/profile.hpp"

namespace prof::symbols {

// The class whose method is defined at a line: that of its first decorator or of its `def`, from 1 on. Empty: that of
// no class, or the lines do not tell.
std::string enclosing_class(const std::vector<std::string>& lines, std::uint32_t line);

// Reads source files as the report finds them; one that was changed after the run began tells nothing.
class PythonClasses {
 public:
  explicit PythonClasses(const model::Run& run);

  // Relative files are looked for where the process was started.
  std::string class_of(const model::Process& process, const model::Code& code);

 private:
  std::filesystem::file_time_type run_start_;
  std::map<std::filesystem::path, std::vector<std::string>> files_;
};

}  // namespace prof::symbols
