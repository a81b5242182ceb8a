// The database, where SQLite was not there when prof was built.
#include "report/cli/common/messages.hpp"
#include "report/cli/export/export.hpp"

namespace prof::cli {
namespace {

Exported say_no_sqlite(const ExportArguments&, const OpenedRun&, const formats::Write&) {
  say_error("this prof was built without SQLite: build it again with libsqlite3-dev (Fedora: sqlite-devel) installed");
  return Exported::Refused;
}

}  // namespace

extern const Export kSqliteExport{
    .name = "sqlite", .help = "sqlite3, DuckDB, pandas (not in this build)", .own_file = true, .write = say_no_sqlite};

}  // namespace prof::cli
