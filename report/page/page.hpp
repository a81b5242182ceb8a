// A run as one HTML file, for a browser: nothing is loaded from anywhere.
#pragma once

#include <cstddef>
#include <string>

#include "report/page/source.hpp"
#include "report/show/view.hpp"

namespace prof::page {

struct PageOptions {
  SourceOptions source;
  bool full = false;  // all nodes of the flame graph, and far more rows of tables
};

// Throws std::runtime_error where zlib does not compress.
std::string html(const show::Subject& subject, const PageOptions& options);

}  // namespace prof::page
