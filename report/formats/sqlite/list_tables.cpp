#include <algorithm>
#include <string_view>

#include "report/formats/sqlite/tables.hpp"
#include "report/summary/views.hpp"

namespace prof::formats {
namespace {

// Views that are no list of their own, or that ask for something first;
// processes and threads have tables already.
constexpr std::string_view kLeftOut[] = {"summary", "tree", "flame", "callers", "source", "processes", "threads"};

// Where the word of the view says less than it might, or is that of a table
// already.
constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {{"functions", "function_list"},
                                                                      {"lines", "line_metrics"},
                                                                      {"own", "own_lines"},
                                                                      {"heap", "heap_sites"},
                                                                      {"sizes", "heap_sizes"},
                                                                      {"timeline", "memory_series"},
                                                                      {"memory", "memory_parts"},
                                                                      {"loading", "data_loading"},
                                                                      {"ops", "operators"},
                                                                      {"modules", "torch_modules"},
                                                                      {"libraries", "library_loading"},
                                                                      {"kernels", "gpu_kernels"},
                                                                      {"copies", "gpu_copies"},
                                                                      {"idle", "gpu_idle"}};

std::string table_name(std::string_view view) {
  for (const auto& [name, table] : kRenamed) {
    if (name == view) return std::string(table);
  }
  std::string out(view);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

}  // namespace

void add_list_tables(Database& database, const show::Subject& subject) {
  for (const show::View* view : show::views()) {
    if (std::find(std::begin(kLeftOut), std::end(kLeftOut), view->name) != std::end(kLeftOut)) continue;
    const std::vector<show::Sheet> sheets = view->sheets(subject, {.everything = true});
    const std::vector<show::Column>& columns = sheets.front().columns;
    const std::vector<std::size_t> which = data_columns(columns);
    if (which.empty()) continue;
    const std::string table = table_name(view->name);
    database.run("CREATE TABLE \"" + table + "\"(" + column_list(columns, which, true) + ")");
    Insert out(database, '"' + table + '"', column_list(columns, which, false));
    for (const show::Sheet& sheet : sheets) {
      for (const show::Row& row : sheet.rows) {
        for (const std::size_t i : which) out.add(row.cells.at(i), columns[i].kind);
        out.end();
      }
    }
  }
}

}  // namespace prof::formats
