#include "report/formats/sqlite/sqlite.hpp"

#include <sqlite3.h>

#include <set>
#include <string>
#include <vector>

#include "report/formats/sqlite/database.hpp"
#include "report/show/text.hpp"
#include "report/summary/views.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/heap_run.hpp"
#include "tests/unit/support/hostile_run.hpp"
#include "tests/unit/support/operator_trace_run.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/wait_run.hpp"

using namespace prof;

namespace {

// The database of a run, with the rows of a query as texts: columns between bars.
class Exported {
 public:
  explicit Exported(const show::Subject& subject) {
    formats::sqlite(subject, (temp_ / "a.sqlite").string());
    REQUIRE(sqlite3_open_v2((temp_ / "a.sqlite").c_str(), &handle_, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  }
  ~Exported() { sqlite3_close(handle_); }
  Exported(const Exported&) = delete;
  Exported& operator=(const Exported&) = delete;

  std::vector<std::string> rows(const std::string& sql) const {
    std::vector<std::string> out;
    char* error = nullptr;
    const auto row = [](void* to, int columns, char** values, char**) {
      std::string line;
      for (int i = 0; i < columns; ++i) line += (i > 0 ? "|" : "") + std::string(values[i] ? values[i] : "NULL");
      static_cast<std::vector<std::string>*>(to)->push_back(line);
      return 0;
    };
    sqlite3_exec(handle_, sql.c_str(), row, &out, &error);
    INFO(sql << ": " << (error == nullptr ? "" : error));
    CHECK(error == nullptr);
    sqlite3_free(error);
    return out;
  }
  std::string one(const std::string& sql) const {
    const std::vector<std::string> found = rows(sql);
    return found.size() == 1 ? found.front() : "rows: " + std::to_string(found.size());
  }

 private:
  test::TempDir temp_;
  sqlite3* handle_ = nullptr;
};

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("sqlite: functions, nodes and lines have the figures of the run") {
  const test::PythonRun python;
  const Exported database(python.subject());
  CHECK(database.one("PRAGMA integrity_check") == "ok");
  CHECK(database.one("PRAGMA foreign_key_check") == "rows: 0");
  CHECK(database.one("SELECT value FROM run WHERE name = 'schema'") == "1");
  CHECK(database.one("SELECT sum(tottime_ns), sum(samples), sum(allocated_bytes) FROM metrics") == "75000000|8|4096");
  CHECK(database.one("SELECT sum(tottime_ns) FROM function_metrics") == "75000000");
  CHECK(database.one("SELECT cumtime_ns, cum_allocated_bytes FROM totals JOIN nodes ON node = id "
                     "WHERE parent IS NULL") == "75000000|4096");
  // Recursion counts once.
  CHECK(database.one("SELECT tottime_ns, cumtime_ns FROM functions_by_tottime WHERE function = 'Trainer.fit'") ==
        "30000000|70000000");
  CHECK(database.one("SELECT function, tottime_ns FROM lines_by_tottime WHERE file = 'train.py' AND line = 5") ==
        "Trainer.fit|30000000");
  CHECK(database.one("SELECT stack FROM stacks JOIN metrics USING(node) WHERE samples = 3") ==
        "<module>;Trainer.fit;libwork.so+0x100");
  CHECK(database.rows("SELECT process, name, cpu_ns, samples FROM threads ORDER BY id") ==
        Rows{"0|NULL|45000000|5", "0|helper|30000000|3"});
  CHECK(database.rows("SELECT t.tid, sum(m.tottime_ns), sum(m.samples), sum(m.allocated_bytes) FROM thread_metrics m "
                      "JOIN threads t USING(process, tid) GROUP BY t.tid") ==
        Rows{"1000|45000000|5|4096", "1001|30000000|3|0"});
  CHECK(database.one("SELECT pid, command, cpu_ns, exit_code FROM processes") == "200|python3 train.py|75000000|0");
  CHECK(database.one("SELECT count(*) FROM nodes n JOIN nodes p ON p.id = n.parent WHERE n.depth != p.depth + 1 OR "
                     "n.id <= p.id OR n.process != p.process") == "0");
  CHECK(database.rows("SELECT name FROM sqlite_master WHERE name LIKE 'CUPTI%' OR name LIKE 'trace%'").empty());
}

TEST_CASE("sqlite: what was not measured is NULL, as what cannot be told by thread is") {
  test::HeapRun run;
  {
    const Exported database(run.subject());
    CHECK(database.one("SELECT sum(live_bytes), sum(peak_bytes), sum(temporary), sum(blocked_ns) FROM metrics") ==
          "1200|1400|30|NULL");
    CHECK(database.one("SELECT sum(live_bytes) FROM heap_sites") == "1200");
    CHECK(database.rows("SELECT rss_bytes FROM memory_series") == Rows{"2097152", "4194304"});
  }
  run.selection.threads = {std::to_string(run.run.processes[0].threads[0].tid)};
  const Exported database(run.subject());
  CHECK(database.one("SELECT sum(live_bytes), sum(allocated_bytes) FROM metrics") == "NULL|7003");
}

TEST_CASE("sqlite: blocking calls, their sites, threads by what they waited for, and trees by process") {
  const test::WaitRun wait(true);
  const Exported database(wait.subject());
  CHECK(database.one("SELECT sum(blocked_ns) FROM metrics") == "4150000000");
  CHECK(database.one("SELECT class, calls, blocked_ns FROM blocking_sites JOIN locations l ON l.id = location "
                     "WHERE l.line = 30") == "sleep|1|700000000");
  CHECK(database.one("SELECT calls, total_ns, failed FROM blocking WHERE call = 'read'") == "1000|500000000|2");
  CHECK(database.one("SELECT blocked_sleep_ns FROM threads WHERE process = 0 AND tid = 1000") == "700000000");
  CHECK(database.rows("SELECT p.pid, t.cumtime_ns FROM totals t JOIN nodes n ON n.id = t.node JOIN processes p ON "
                      "p.id = n.process WHERE n.parent IS NULL ORDER BY 1") == Rows{"500|2600000000", "501|100000000"});
  CHECK(database.one("SELECT e.kind, e.name, e.start_ns, e.end_ns - e.start_ns, e.bytes, s.stack FROM trace_events e "
                     "JOIN stacks s USING(node)") == "wait|read|10000000|200000000|4096|train;libwork.so+0x100;read");
  CHECK(database.one("SELECT value, start, \"end\" FROM OSRT_API JOIN StringIds ON id = nameId") ==
        "read|10000000|210000000");
}

TEST_CASE("sqlite: a trace under the names of Nsight Systems") {
  const test::GpuRun gpu;
  const Exported database(gpu.subject());
  CHECK(database.one("SELECT s.value, d.value, k.start, k.\"end\", k.deviceId, k.streamId, k.correlationId, "
                     "k.globalPid >> 24 FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName "
                     "JOIN StringIds d ON d.id = k.demangledName") == "add|add(float, float*)|20000|50000|0|7|77|400");
  // Which call launched it, and where.
  CHECK(database.one("SELECT s.value, r.globalTid & 0xffffff FROM CUPTI_ACTIVITY_KIND_KERNEL k "
                     "JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING(correlationId) JOIN StringIds s ON s.id = r.nameId") ==
        "cudaLaunchKernel|1000");
  CHECK(database.one("SELECT bytes, o.label, s.label, d.label FROM CUPTI_ACTIVITY_KIND_MEMCPY "
                     "JOIN ENUM_CUDA_MEMCPY_OPER o ON o.id = copyKind JOIN ENUM_CUDA_MEM_KIND s ON s.id = srcKind "
                     "JOIN ENUM_CUDA_MEM_KIND d ON d.id = dstKind") == "40000|Host-to-Device|Pinned|Device");
  CHECK(database.one("SELECT text, start, \"end\" FROM NVTX_EVENTS WHERE eventType = 59") == "step|5000|105000");
  CHECK(database.rows("SELECT id, name, totalMemory, smCount FROM TARGET_INFO_GPU") ==
        Rows{"0|Test GPU|85899345920|108", "1|Test GPU|85899345920|108"});
  CHECK(database.one("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME") == "1700000000000000000");
  CHECK(database.one("SELECT sum(total_ns) FROM gpu_kernels WHERE name LIKE 'add%'") == "1250000");
  CHECK(database.one("SELECT count(*) FROM trace_events WHERE kind = 'gpu' AND stream = 7") == "2");
}

TEST_CASE("sqlite: steps and operators of a trace, and every list that the report has") {
  const test::OperatorTraceRun traced;
  const Exported database(traced.subject());
  CHECK(database.one("SELECT count(*) FROM trace_steps") ==
        database.one("SELECT count(*) FROM NVTX_EVENTS WHERE text LIKE 'ProfilerStep#%'"));
  CHECK(database.one("SELECT count(*) FROM trace_events WHERE kind = 'operator' AND name = 'aten::norm'") == "1");
  CHECK(database.one("SELECT count(*) FROM NVTX_EVENTS WHERE text = 'aten::norm' AND eventType = 59") == "1");
  const std::vector<std::string> listed = database.rows("SELECT name FROM sqlite_master WHERE type = 'table'");
  const std::set<std::string> tables(listed.begin(), listed.end());
  for (const char* name : {"run",       "processes",     "threads",      "modules",    "functions",
                           "locations", "nodes",         "metrics",      "totals",     "function_metrics",
                           "findings",  "steps",         "operators",    "blocking",   "blocking_sites",
                           "files",     "locks",         "gpu_kernels",  "gpu_copies", "api",
                           "imports",   "memory_series", "memory_parts", "heap_sites", "leaks",
                           "calls",     "line_hits"}) {
    INFO(name);
    CHECK(tables.contains(name));
  }
}

TEST_CASE("sqlite: names are values, whatever is in them") {
  const test::HostileRun run;
  const Exported database(run.subject());
  CHECK(database.one("PRAGMA integrity_check") == "ok");
  const std::vector<std::string> names = database.rows("SELECT name FROM functions");
  CHECK(std::find(names.begin(), names.end(), show::valid_utf8(test::kHostile)) != names.end());
  CHECK(database.one("SELECT max(length(name)) > 1000 FROM functions") == "1");
  CHECK(database.one("SELECT sum(tottime_ns) FROM metrics") == "10000000");
}

TEST_CASE("sqlite: a place that cannot be written is told") {
  const test::HeapRun run;
  CHECK_THROWS_AS(formats::sqlite(run.subject(), "/nowhere/at/all.sqlite"), formats::DatabaseError);
}
