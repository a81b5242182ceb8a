// Source text with the figures of its lines.
#pragma once

#include <filesystem>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/page/bundle.hpp"
#include "report/show/view.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::page {

enum class SourceChoice {
  None,
  Own,  // the user's own code
  All,  // installed packages and the like, too
};

struct SourceOptions {
  SourceChoice which = SourceChoice::Own;
  // Folders; beside those in which the run's processes were started, and the one in which the report runs.
  std::vector<std::filesystem::path> roots;
};

// The files of which lines have figures. Text is only taken of files below the folders of `options`: a log may name
// any file, and the page is made to be sent. `lines`: fold::line_tree().
Json source_json(const show::Subject& subject, const fold::CallTree& lines, const SourceOptions& options,
                 Bundle& bundle);

// What of files may be read for the page at all, for the short lines beside findings, too.
symbols::SourceFiles::Allowed source_allowed(const model::Run& run, const SourceOptions& options);

// Whether the text of a file may be in the page, links followed: one of a programming language, below one of `roots`,
// none of which is the whole file system, and neither it nor a folder on the way down to it hidden.
bool may_show(const std::filesystem::path& file, const std::vector<std::filesystem::path>& roots);

}  // namespace prof::page
