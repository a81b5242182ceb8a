// Functions of scripts that shells run: in which file, and at which lines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/model/profile.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::symbols {

class ShellScripts {
 public:
  explicit ShellScripts(const model::Run& run) : files_(run) {}

  struct Place {
    std::string file;                   // where it was found, else as the shell was given it; empty: not known
    std::uint32_t first = 0, last = 0;  // its lines, from 1; 0: not known
    bool is_of(std::uint32_t line) const { return last == 0 || (first <= line && line <= last); }
  };
  // A line of a function of the script, or of what stands outside of any (`name` empty). Functions that the script does
  // not have are looked for in the files that it sources, as far as its text tells which these are. The place has no
  // file where the line is in none of the functions of that name: another file has one, or it was made by eval.
  Place place_of(const std::string& script, const std::string& name, std::uint32_t line);

 private:
  // Of the script and of what it sources: all functions of the name; of no name, the whole script but a "#!".
  const std::vector<Place>& places_of(const std::string& script, const std::string& name);
  void add_functions(const SourceFile& file, const std::string& name, std::vector<Place>& out) const;

  SourceFiles files_;
  std::map<std::pair<std::string, std::string>, std::vector<Place>> known_;  // by script, and function
};

}  // namespace prof::symbols
