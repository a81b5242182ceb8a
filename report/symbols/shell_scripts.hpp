// Functions of scripts that shells run: in which file, and from which line on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "report/model/profile.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::symbols {

class ShellScripts {
 public:
  explicit ShellScripts(const model::Run& run) : files_(run) {}

  struct Place {
    std::string file;  // where it was found, else as the shell was given it
    std::uint32_t line = 0;
  };
  // A function of the script, or what stands outside of any (`name` empty). Nothing where the script is there and has
  // no such function: it was read from another file, and nobody knows of which line is the talk. Valid as long as this
  // is.
  const std::optional<Place>& place_of(const std::string& script, const std::string& name);

 private:
  SourceFiles files_;
  std::map<std::pair<std::string, std::string>, std::optional<Place>> known_;  // by script, and function
};

}  // namespace prof::symbols
