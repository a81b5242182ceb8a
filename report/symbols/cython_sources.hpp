// Which line of a Cython module a line of the C or C++ file stands for that Cython made of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/symbols/source_files.hpp"

namespace prof::symbols {

class CythonSources {
 public:
  // The files are referred to.
  explicit CythonSources(SourceFiles& sources) : sources_(&sources) {}

  struct Place {
    std::string file;
    std::uint32_t line;
  };
  // By the comments that Cython puts in front of what it makes of a line, where the file can be read; nothing: it is
  // none of Cython's, or that line is of no line of a module's. Files whose debug information names the modules itself
  // (cython --line-directives) need this not.
  std::optional<Place> place(const std::string& file, std::uint32_t line);

 private:
  struct Begins {
    std::uint32_t at;      // from that line of the made file on
    std::uint32_t source;  // in `files`; kNone: nothing's
    std::uint32_t line;
  };
  struct Made {
    std::vector<std::string> files;
    std::vector<Begins> begins;  // ascending
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;

  const Made& made(const std::string& file);

  SourceFiles* sources_;
  std::map<std::string, Made> made_;
};

}  // namespace prof::symbols
