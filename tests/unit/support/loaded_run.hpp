// A run of known logs, as prof has it: read, with its symbols, and what is selected of it. What the *_run.hpp beside
// this file have in common.
#pragma once

#include <filesystem>
#include <string>

#include "report/model/load.hpp"
#include "report/show/view.hpp"
#include "report/symbols/symbols.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/temp_dir.hpp"

namespace prof::test {

class LoadedRun {
 public:
  show::Subject subject() const { return {run, symbols, selection}; }
  const std::filesystem::path& directory() const { return temp_.path(); }

  model::Run run;
  symbols::Symbols symbols;
  fold::Selection selection;

 protected:
  // Logs are written to files and read back, as all logs are.
  void load(const std::filesystem::path& folder) {
    run = model::load(folder);
    symbols = symbols::symbolize(run);
  }
  void load() { load(directory()); }
  void load(LogBuilder& log) {
    log.write(directory() / "100.1.proflog");
    load();
  }

  // The line table of code whose byte 2 * (n - 1) is on line n.
  static std::string table(int lines = 60) {
    std::string out;
    for (int i = 0; i < lines; ++i) out += std::string("\x02\x01", 2);
    return out;
  }
  static log::SpreadWords spread(std::uint64_t ns, std::uint64_t count) {
    log::SpreadWords words{};
    words.count[log::spread_class(ns)] = count;
    return words;
  }

 private:
  TempDir temp_;
};

}  // namespace prof::test
