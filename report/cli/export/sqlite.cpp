// A database, which is a file in any case.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "report/cli/common/messages.hpp"
#include "report/cli/common/unfinished_file.hpp"
#include "report/cli/export/export.hpp"
#include "report/formats/sqlite/database.hpp"
#include "report/formats/sqlite/sqlite.hpp"

namespace prof::cli {
namespace {

// Written beside its place and moved there when it is whole: who reads the old file goes on reading that.
Exported write_sqlite(const ExportArguments& arguments, const OpenedRun& opened, const formats::Write&) {
  std::error_code error;
  // Through a link, as a file would be written; and nothing but a file gives way to the database.
  std::filesystem::path path = arguments.output.value();
  if (std::filesystem::is_symlink(path, error)) path = std::filesystem::weakly_canonical(path, error);
  const std::filesystem::file_status before = std::filesystem::status(path, error);
  if (std::filesystem::exists(before) && !std::filesystem::is_regular_file(before)) {
    say_error(fmt::format("{} is no file: a database cannot be written there", path.string()));
    return Exported::Refused;
  }
  const UnfinishedFile unfinished(path);
  try {
    formats::sqlite(opened.subject(), unfinished.path().string());
    if (std::filesystem::exists(before)) std::filesystem::permissions(unfinished.path(), before.permissions());
    std::filesystem::rename(unfinished.path(), path);
    return Exported::Something;
  } catch (const formats::DatabaseError& failure) {
    say_error(fmt::format("{} cannot be written: {}", path.string(), failure.what()));
  } catch (const std::filesystem::filesystem_error& failure) {
    say_error(fmt::format("{} cannot be written: {}", path.string(), failure.code().message()));
  }
  return Exported::Refused;
}

}  // namespace

extern const Export kSqliteExport{.name = "sqlite",
                                  .help = "sqlite3, DuckDB, pandas; traces as Nsight Systems has them",
                                  .own_file = true,
                                  .write = write_sqlite};

}  // namespace prof::cli
