// `prof report --html` and `prof view`: a run as a page for a browser.
#pragma once

#include "report/cli/common/read_arguments.hpp"
#include "report/page/page.hpp"

namespace prof::cli {

struct PageArguments : ReadArguments {
  page::PageOptions page;
  bool view = false;  // `prof view`: into the run's own folder unless ReadArguments::output says where to
  bool open = false;  // in a browser
};

// Writes the page and says where. Returns the exit status. Throws model::LoadError when there is nothing to show, and
// UsageError.
int page_command(const PageArguments& arguments);

}  // namespace prof::cli
