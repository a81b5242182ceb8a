// A run of one log, as prof has it: read, with its symbols, and what is selected of it.
#pragma once

#include "report/model/load.hpp"
#include "report/show/view.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/temp_dir.hpp"

namespace prof::test {

class LoadedRun {
 public:
  show::Subject subject() const { return {run, symbols, selection}; }

  model::Run run;
  symbols::Symbols symbols;
  fold::Selection selection;

 protected:
  // The log is written to a file and read back, as all logs are.
  void load(LogBuilder& log) {
    log.write(temp_ / "100.1.proflog");
    run = model::load(temp_.path());
    symbols = symbols::symbolize(run);
  }

 private:
  TempDir temp_;
};

}  // namespace prof::test
