#include "report/formats/massif.hpp"

#include <sstream>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/support/heap_run.hpp"

using namespace prof;

namespace {

struct Node {
  std::uint64_t children = 0, bytes = 0;
  std::string label;
  std::vector<Node> below;
};

struct Snapshot {
  std::uint64_t ms = 0, bytes = 0;
  std::string kind;
  Node tree;
};

// Reads a file as ms_print does, and as strictly.
class Reader {
 public:
  explicit Reader(const std::string& file) : lines_(file) {
    CHECK(value("desc: ").find("made by prof") == 0);
    command = value("cmd: ");
    CHECK(value("time_unit: ") == "ms");
    while (next()) {
      Snapshot snapshot;
      CHECK(field("snapshot") == snapshots.size());
      next();
      snapshot.ms = field("time");
      next();
      snapshot.bytes = field("mem_heap_B");
      next();
      CHECK(field("mem_heap_extra_B") == 0);
      next();
      CHECK(field("mem_stacks_B") == 0);
      snapshot.kind = value("heap_tree=");
      if (snapshot.kind != "empty") snapshot.tree = node(0);
      snapshots.push_back(snapshot);
    }
  }

  std::string command;
  std::vector<Snapshot> snapshots;

 private:
  bool next() {
    while (std::getline(lines_, line_)) {
      if (line_.at(0) != '#') return true;
    }
    return false;
  }
  std::uint64_t field(const std::string& name) {
    REQUIRE(line_.rfind(name + "=", 0) == 0);
    return std::stoull(line_.substr(name.size() + 1));
  }
  std::string value(const std::string& prefix) {
    REQUIRE(next());
    REQUIRE(line_.rfind(prefix, 0) == 0);
    return line_.substr(prefix.size());
  }
  Node node(std::size_t depth) {
    REQUIRE(next());
    REQUIRE(line_.find_first_not_of(' ') == depth);
    REQUIRE(line_.at(depth) == 'n');
    Node out;
    std::size_t colon = line_.find(':');
    out.children = std::stoull(line_.substr(depth + 1, colon));
    std::size_t digits = 0;
    out.bytes = std::stoull(line_.substr(colon + 2), &digits);
    out.label = line_.substr(colon + 2 + digits + 1);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < out.children; ++i) sum += out.below.emplace_back(node(depth + 1)).bytes;
    CHECK(sum <= out.bytes);
    return out;
  }

  std::istringstream lines_;
  std::string line_;
};

std::string exported(const show::Subject& subject) {
  std::string out;
  CHECK(formats::massif(subject, 0, false, [&out](std::string_view piece) { out += piece; }));
  return out;
}

}  // namespace

TEST_CASE("massif: the heap over time, its stacks at the peak and at the end") {
  const test::HeapRun run;
  const Reader read(exported(run.subject()));
  CHECK(read.command == "./work");
  REQUIRE(read.snapshots.size() == 5);
  std::vector<std::uint64_t> times, bytes;
  std::vector<std::string> kinds;
  for (const Snapshot& snapshot : read.snapshots) {
    times.push_back(snapshot.ms);
    bytes.push_back(snapshot.bytes);
    kinds.push_back(snapshot.kind);
    if (snapshot.kind != "empty") CHECK(snapshot.tree.bytes == snapshot.bytes);
  }
  CHECK(times == std::vector<std::uint64_t>{0, 100, 1000, 1600, 2000});
  CHECK(bytes == std::vector<std::uint64_t>{0, 650, 1400, 1250, 1200});
  CHECK(kinds == std::vector<std::string>{"empty", "empty", "peak", "empty", "detailed"});
  const Node& peak = read.snapshots[2].tree;
  REQUIRE(peak.below.size() == 2);
  CHECK(peak.below[0].bytes == 1000);
  CHECK(peak.below[0].label.find(": work+0x200 (in /nowhere/work)") != std::string::npos);
  REQUIRE(peak.below[0].below.size() == 1);
  CHECK(peak.below[0].below[0].bytes == 1000);
  CHECK(peak.below[0].below[0].label.find("work+0x100") != std::string::npos);
  CHECK(peak.below[1].bytes == 400);
  CHECK(read.snapshots[4].tree.below.size() == 3);
}

TEST_CASE("massif: what is below one percent is added up") {
  test::HeapRun run;
  model::MemoryRows& heap = run.run.processes[0].tree.heap;
  model::MemoryRows larger;
  for (auto row : heap) {
    if (row.metric.peak_bytes == 1000) row.metric.peak_bytes = 100'000;
    larger.add(row);
  }
  heap = larger;
  const Reader read(exported(run.subject()));
  const Node& peak = read.snapshots[2].tree;
  REQUIRE(peak.below.size() == 2);
  CHECK(peak.below[1].bytes == 400);
  CHECK(peak.below[1].children == 0);
  CHECK(peak.below[1].label == "in 1 place, below massif's threshold (1.00%)");
}

TEST_CASE("massif: names with line ends stay on their line; nothing is written where nothing was live") {
  const test::HeapRun hostile(1, "/nowhere/wo\nrk", "./work\nsnapshot=7");
  CHECK(Reader(exported(hostile.subject())).snapshots.size() == 5);
  test::HeapRun chosen;
  chosen.selection.focus = fold::Pattern("0x300");
  std::string out;
  CHECK_FALSE(formats::massif(chosen.subject(), 0, false, [&out](std::string_view piece) { out += piece; }));
  CHECK(out.empty());
}
