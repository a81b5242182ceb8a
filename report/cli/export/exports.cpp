#include "report/cli/export/export.hpp"

namespace prof::cli {

// clang-format off
#define PROF_EXPORTS(ROW) \
  ROW(kFoldedExport) ROW(kSpeedscopeExport) ROW(kPstatsExport) ROW(kPprofExport) ROW(kHeaptrackExport) \
  ROW(kMassifExport) ROW(kCallgrindExport) ROW(kSqliteExport) ROW(kChromeExport) \
  ROW(kPerfettoExport) ROW(kFirefoxExport)
// clang-format on

#define PROF_DECLARED(row) extern const Export row;
PROF_EXPORTS(PROF_DECLARED)

namespace {

#define PROF_LISTED(row) &row,
constexpr const Export* kExports[] = {PROF_EXPORTS(PROF_LISTED)};

}  // namespace

std::span<const Export* const> exports() { return kExports; }

}  // namespace prof::cli
