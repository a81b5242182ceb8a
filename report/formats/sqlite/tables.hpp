// The tables of the database, by what they hold. Each function makes its tables and fills them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/formats/sqlite/database.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// A CREATE TABLE for columns and their types, and then rows for them.
std::string sql_type(show::Kind kind);
// Columns with keys that other programs get: what is for tables alone is left out.
std::vector<std::size_t> data_columns(const std::vector<show::Column>& columns);
std::string column_list(const std::vector<show::Column>& columns, const std::vector<std::size_t>& which, bool typed);

// run, processes, threads, modules.
void add_run_tables(Database& database, const show::Subject& subject);

// functions, locations, function_metrics, blocking_sites.
void add_function_tables(Database& database, const show::Subject& subject);

// nodes, metrics, totals: the tree of each process, with the measures of its nodes; thread_metrics: what of them is
// known by thread.
class NodeTables {
 public:
  NodeTables(Database& database, const show::Subject& subject);
  // The id of the tree's root; that of node n is n more.
  std::int64_t add(std::size_t process, const fold::CallTree& tree);

 private:
  void add_threads(std::size_t process, const fold::CallTree& tree, std::int64_t root);

  const show::Subject& subject_;
  Insert nodes_, metrics_, totals_, by_thread_;
  std::int64_t next_ = 1;
};

// A table for each list that `prof report` has as a view, with the columns of its CSV.
void add_list_tables(Database& database, const show::Subject& subject);

// trace_events, trace_steps: of processes with a trace. Contexts of `tree` have the ids of NodeTables.
class TraceTables {
 public:
  TraceTables(Database& database, const show::Subject& subject);
  void add(std::size_t process, const fold::CallTree& tree, std::int64_t root);

 private:
  const show::Subject& subject_;
  Insert events_, steps_;
};

// A process as Nsight Systems numbers it: 24 bits each for the process and the thread.
inline std::int64_t nsys_global_pid(const model::Process& process) { return std::int64_t{process.pid} << 24; }

// The events of all selected traces once more, as Nsight Systems names them. Its table of processes is the one of
// add_run_tables.
void add_nsys_tables(Database& database, const show::Subject& subject);

// Indexes and views for the usual questions.
void add_indexes_and_views(Database& database, bool traced);

}  // namespace prof::formats
