#include <array>
#include <map>
#include <optional>
#include <utility>

#include "report/fold/line_tree.hpp"
#include "report/fold/time/functions.hpp"
#include "report/fold/waiting/waits.hpp"
#include "report/formats/sqlite/tables.hpp"
#include "report/show/measure.hpp"
#include "report/show/processes.hpp"
#include "report/show/trees.hpp"

namespace prof::formats {
namespace {

using show::MeasureNames;

// The columns of all measures; of one node's own where `self`.
std::string measure_columns(bool self, bool typed) {
  std::string out;
  for (const MeasureNames& words : show::kMeasures) {
    out += std::string(", ") + (self ? words.self_key : words.key) + (typed ? " INTEGER" : "");
  }
  return out;
}

bool of_malloc(model::Measure measure) {
  switch (measure) {
    case model::Measure::Allocations:
    case model::Measure::Allocated:
    case model::Measure::Live:
    case model::Measure::Peak:
    case model::Measure::MapAllocated:
    case model::Measure::MapLive:
    case model::Measure::MapPeak:
      return true;
    default:
      return false;
  }
}

// The measures that a tree's figures tell of.
std::vector<bool> known_measures(const fold::CallTree& tree, bool heap) {
  std::vector<bool> out;
  for (const MeasureNames& words : show::kMeasures) {
    out.push_back(!show::not_known(words.measure, tree) && (heap || !of_malloc(words.measure)));
  }
  return out;
}

using Values = std::array<std::int64_t, show::kMeasures.size()>;

// Nothing where all are 0.
template <typename Value>
bool read_values(const std::vector<bool>& known, Values& values, Value value) {
  bool any = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = known[i] ? value(show::kMeasures[i].measure) : 0;
    any |= values[i] != 0;
  }
  return any;
}

void add_values(Insert& out, const std::vector<bool>& known, const Values& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (known[i]) {
      out.add(values[i]);
    } else {
      out.add(nullptr);
    }
  }
}

void names(Database& database, const symbols::Symbols& symbols) {
  database.run(
      "CREATE TABLE functions(id INTEGER PRIMARY KEY, name TEXT, "
      "short_name TEXT, file TEXT, line INTEGER, "
      "module TEXT, language TEXT, special INTEGER);"
      "CREATE TABLE locations(id INTEGER PRIMARY KEY, function "
      "INTEGER REFERENCES functions(id), file TEXT, "
      "line INTEGER)");
  Insert functions(database, "functions", "id, name, short_name, file, line, module, language, special");
  for (std::uint32_t id = 0; id < symbols.function_count(); ++id) {
    const symbols::Function& of = symbols.function(id);
    functions.row(id, of.name, of.short_name.empty() ? of.name : of.short_name, some(of.file), some(of.line),
                  some(of.module), symbols::to_string(of.language), of.special);
  }
  Insert locations(database, "locations", "id, function, file, line");
  for (std::uint32_t id = 0; id < symbols.location_count(); ++id) {
    const symbols::Location& of = symbols.location(id);
    const std::string& file = of.file.empty() ? symbols.function(of.function).file : of.file;
    locations.row(id, of.function, some(file), some(of.line));
  }
}

}  // namespace

void add_function_tables(Database& database, const show::Subject& subject) {
  names(database, subject.symbols);
  database.run(
      "CREATE TABLE function_metrics(function INTEGER PRIMARY KEY "
      "REFERENCES functions(id)" +
      measure_columns(true, true) + measure_columns(false, true) + ")");
  const fold::CallTree& tree = show::function_tree(subject);
  const std::vector<bool> known = known_measures(tree, show::heap_recorded(subject));
  Insert out(database, "function_metrics", "function" + measure_columns(true, false) + measure_columns(false, false));
  Values values{};
  for (const fold::FunctionRow& row : show::function_rows(subject)) {
    out.add(row.function);
    read_values(known, values, [&](model::Measure measure) { return model::value_of(row.self, measure); });
    add_values(out, known, values);
    read_values(known, values, [&](model::Measure measure) { return model::value_of(row.cumulative, measure); });
    add_values(out, known, values);
    out.end();
  }

  database.run(
      "CREATE TABLE blocking_sites(location INTEGER REFERENCES "
      "locations(id), class TEXT, calls INTEGER, "
      "blocked_ns INTEGER)");
  const fold::CallTree& lines = show::mixed_line_tree(subject);
  Insert sites(database, "blocking_sites", "location, class, calls, blocked_ns");
  for (const fold::WaitPlace& place : fold::wait_places(lines)) {
    if (place.wait.blocked_ns() <= 0) continue;
    const bool somewhere = place.location < subject.symbols.location_count();
    sites.row(somewhere ? std::optional(place.location) : std::nullopt,
              log::kWaitClassNames[static_cast<std::size_t>(place.what)], place.wait.calls(), place.wait.blocked_ns());
  }
}

namespace {

Database& with_node_tables(Database& database) {
  database.run(
      "CREATE TABLE nodes(id INTEGER PRIMARY KEY, process INTEGER REFERENCES "
      "processes(id), "
      "parent INTEGER REFERENCES nodes(id), location INTEGER REFERENCES "
      "locations(id), depth INTEGER);"
      "CREATE TABLE metrics(node INTEGER PRIMARY KEY REFERENCES nodes(id)" +
      measure_columns(true, true) + ");CREATE TABLE totals(node INTEGER PRIMARY KEY REFERENCES nodes(id)" +
      measure_columns(false, true) +
      ");"
      "CREATE TABLE thread_metrics(process INTEGER REFERENCES processes(id), tid INTEGER, "
      "node INTEGER REFERENCES nodes(id), tottime_ns INTEGER, samples INTEGER, blocked_ns INTEGER, "
      "blocking_calls INTEGER, allocations INTEGER, allocated_bytes INTEGER)");
  return database;
}

}  // namespace

NodeTables::NodeTables(Database& database, const show::Subject& subject)
    : subject_(subject),
      nodes_(with_node_tables(database), "nodes", "id, process, parent, location, depth"),
      metrics_(database, "metrics", "node" + measure_columns(true, false)),
      totals_(database, "totals", "node" + measure_columns(false, false)),
      by_thread_(database, "thread_metrics",
                 "process, tid, node, tottime_ns, samples, blocked_ns, blocking_calls, allocations, allocated_bytes") {}

std::int64_t NodeTables::add(std::size_t process, const fold::CallTree& tree) {
  const std::int64_t root = next_;
  const std::vector<fold::CallNode>& nodes = tree.nodes();
  const std::vector<bool> known = known_measures(tree, show::heap_recorded(subject_.run.processes[process]));
  std::vector<std::uint32_t> depth(nodes.size());
  Values values{};
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    if (node == 0) {
      nodes_.row(root, process, nullptr, nullptr, 0);
    } else {
      depth[node] = depth[nodes[node].parent] + 1;
      nodes_.row(root + node, process, root + nodes[node].parent, nodes[node].location, depth[node]);
    }
    if (read_values(known, values, [&](model::Measure measure) { return tree.self_value(node, measure); })) {
      metrics_.add(root + node);
      add_values(metrics_, known, values);
      metrics_.end();
    }
    if (read_values(known, values, [&](model::Measure measure) { return tree.total_value(node, measure); })) {
      totals_.add(root + node);
      add_values(totals_, known, values);
      totals_.end();
    }
  }
  next_ += static_cast<std::int64_t>(nodes.size());
  add_threads(process, tree, root);
  return root;
}

void NodeTables::add_threads(std::size_t index, const fold::CallTree& tree, std::int64_t root) {
  const model::Process& process = subject_.run.processes[index];
  std::map<std::pair<std::uint32_t, std::uint32_t>, model::Metrics> figures;  // by tid and node
  std::map<std::uint32_t, std::uint32_t> tids;                                // by slot
  for (const model::Thread& thread : process.threads) {
    if (subject_.selection.includes(thread)) tids[thread.slot] = thread.tid;
  }
  const auto add = [&](const auto& rows, auto part) {
    for (const auto& row : rows) {
      const auto tid = tids.find(row.slot);
      const std::uint32_t node = tree.node_of(index, row.node);
      if (tid != tids.end() && node != fold::CallTree::kNoNode) figures[{tid->second, node}].*part += row.metric;
    }
  };
  add(process.tree.cpu, &model::Metrics::cpu);
  add(process.tree.waits, &model::Metrics::wait);
  add(process.tree.heap, &model::Metrics::heap);
  const bool heap = show::heap_recorded(process);
  const auto known = [](bool is, std::int64_t value) { return is ? std::optional(value) : std::nullopt; };
  for (const auto& [key, of] : figures) {
    by_thread_.row(index, key.first, root + key.second, of.cpu.ns, of.cpu.samples,
                   known(tree.waits_known(), of.wait.blocked_ns()), known(tree.waits_known(), of.wait.calls()),
                   known(heap, of.heap.allocations()), known(heap, of.heap.bytes));
  }
}

}  // namespace prof::formats
