// The options behind PageArguments, for the parser.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "report/cli/choices.hpp"
#include "report/cli/page/page_command.hpp"
#include "report/cli/read_options.hpp"

namespace prof::cli {

struct TypedPage {
  std::string source;
  std::vector<std::string> roots;
  bool full = false;
};

const Choices<page::SourceChoice>& source_choices();

// --source, --source-root, --full; `typed` must outlive the parsing.
void add_page(CLI::App& command, TypedPage& typed, WordsOf& words);

// Throws UsageError.
page::PageOptions page_options(const TypedPage& typed);

}  // namespace prof::cli
