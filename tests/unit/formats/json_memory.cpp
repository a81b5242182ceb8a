#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/unit/support/json_document.hpp"
#include "tests/unit/support/memory_run.hpp"

using namespace prof;
using nlohmann::json;

TEST_CASE("JSON: memory in exact mode", "[formats]") {
  const json report = test::document(test::MemoryRun().subject(), {.steps = 10});
  const json& heap = report.at("heap");
  CHECK(heap.at("mode") == "exact");
  CHECK(heap.at("temporary") == 60);
  CHECK(heap.at("short_lived") == 65);
  CHECK(heap.at("foreign_frees") == 3);
  CHECK(heap.at("largest_bytes") == 625'000);
  CHECK(heap.at("peak_s").get<double>() == Approx(1.5));
  CHECK(heap.at("sizes").size() == log::kSizeClasses);
  CHECK(heap.at("sizes").at(3).at("allocations") == 70);
  CHECK(heap.at("sizes").back().at("largest_bytes").is_null());
  CHECK(heap.at("sites").at(0).at("live_bytes") == 10'000'000);
  CHECK(report.at("python_heap").at("live_bytes") == 4096);
  CHECK(report.at("copied").at("calls") == 20);
  CHECK(report.at("copied").at("bytes") == 2500);
  CHECK(report.at("copied").at("sites").at(0).at("bytes") == 2000);
  CHECK(report.at("copies").is_null());  // those of GPUs

  REQUIRE(report.at("leaks").size() == 1);
  const json& leak = report.at("leaks").at(0);
  CHECK(leak.at("site").at("file") == "/app/leak.py");
  CHECK(leak.at("site").at("line") == 10);
  CHECK(leak.at("rate_bytes_per_s").get<double>() == Approx(1.5e6));
  CHECK(leak.at("step_bytes").get<double>() == Approx(225'000));
  CHECK(leak.at("values").size() == 16);

  CHECK(report.at("timeline").at(0).at("points").at(1).at("rss_high_bytes") == 21 << 20);
  CHECK(report.at("timeline").at(0).at("points").at(1).at("rss_file_bytes") == 2 << 20);
  const json& high = report.at("memory").at(0).at("high");
  CHECK(high.at("parts").at("allocator").at("rss_bytes") == 14 << 20);
  CHECK(high.at("parts").at("allocator_overhead").at("rss_bytes") == 2 << 20);
  CHECK(high.at("parts").at("residual").at("rss_bytes") == 1 << 20);
  const auto& lines = report.at("lines");
  const auto busy = std::find_if(lines.begin(), lines.end(), [](const json& line) { return line.at("line") == 40; });
  REQUIRE(busy != lines.end());
  CHECK(busy->at("alloc_bytes") == 7000);
  CHECK(busy->at("copy_bytes") == 2000);
  CHECK(busy->at("temporary") == 60);
}

TEST_CASE("JSON: what was not measured of memory is null", "[formats]") {
  test::MemoryRun sampled(log::HeapMode::Sampled);
  model::Process& process = sampled.run.processes[0];
  process.copies_counted = process.python_counted = false;
  process.series.clear();
  process.memory_last = process.memory_high = std::nullopt;
  process.tree.heap_growth = {};
  const json report = test::document(sampled.subject());
  for (const char* field : {"temporary", "short_lived", "moved_bytes", "foreign_frees", "sizes"}) {
    INFO(field);
    CHECK(report.at("heap").at(field).is_null());
  }
  CHECK(report.at("heap").at("sites").at(0).at("temporary").is_null());
  for (const char* field : {"python_heap", "copied", "leaks", "timeline", "memory"}) {
    INFO(field);
    CHECK(report.at(field).is_null());
  }
  CHECK(report.at("lines").at(0).at("copy_bytes").is_null());
}
