#include "report/cli/page_options.hpp"

#include <filesystem>

namespace prof::cli {

const Choices<page::SourceChoice>& source_choices() {
  static const Choices<page::SourceChoice> choices{
      {"none", page::SourceChoice::None}, {"own", page::SourceChoice::Own}, {"all", page::SourceChoice::All}};
  return choices;
}

void add_page(CLI::App& command, TypedPage& typed, WordsOf& words) {
  CLI::Option* const source = command.add_option(
      "--source", typed.source,
      "the page holds source of: " + names_of(source_choices()) +
          "; only of files below the folders in which the program was started, and below --source-root; default: own");
  source->type_name("WHICH");
  words[source] = spellings_of(source_choices());
  command
      .add_option("--source-root", typed.roots,
                  "the page may hold source from below this folder, too; may be given several times")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command.add_flag("--full", typed.full,
                   "the page holds all paths, and up to 50,000 rows of a table, however large it gets");
}

page::PageOptions page_options(const TypedPage& typed) {
  page::PageOptions out;
  if (!typed.source.empty()) out.source.which = chosen("--source", typed.source, source_choices());
  for (const std::string& root : typed.roots) {
    std::error_code error;
    if (!std::filesystem::is_directory(root, error))
      throw UsageError(fmt::format("--source-root takes a folder, and {} is none", in_quotes(root)));
    out.source.roots.emplace_back(root);
  }
  out.full = typed.full;
  return out;
}

}  // namespace prof::cli
