#include "report/formats/sqlite/sqlite.hpp"

#include <optional>

#include "report/formats/sqlite/tables.hpp"
#include "report/formats/trace_selection.hpp"
#include "report/show/processes.hpp"

namespace prof::formats {

void sqlite(const show::Subject& subject, const std::string& path) {
  Database database(path);
  const bool traced = !selected_traces(subject).empty();
  add_run_tables(database, subject);
  add_function_tables(database, subject);
  {
    NodeTables nodes(database, subject);
    std::optional<TraceTables> traces;
    if (traced) traces.emplace(database, subject);
    for (const std::size_t process : show::selected_processes(subject)) {
      fold::Selection alone = subject.selection;
      alone.log_id = subject.run.processes[process].log_id;
      const fold::CallTree tree = fold::build_call_tree(subject.run, subject.symbols, alone, fold::Granularity::Line);
      const std::int64_t root = nodes.add(process, tree);
      if (traces) traces->add(process, tree, root);
    }
  }
  add_list_tables(database, subject);
  add_nsys_tables(database, subject);
  add_indexes_and_views(database, traced);
  database.close();
}

}  // namespace prof::formats
