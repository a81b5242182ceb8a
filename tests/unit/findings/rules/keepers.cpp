// What is told by the source: lines that keep memory alive, and hash functions that give many keys the same value.
#include <fstream>

#include "report/findings/keeper.hpp"
#include "report/findings/keeper_javascript.hpp"
#include "report/findings/keeper_python.hpp"
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

// The line that keeps, of a file with that text in which line 1 allocates; 0: none.
std::int64_t keeping_line(const char* name, const std::string& text) {
  FindingsRun run;
  const std::string file = run.directory() / name;
  std::ofstream(file) << text;
  run.log.cpu(run.line(0, run.code("make", file), 1), 10, 100 * kMs);
  run.finish();
  const findings::Evidence evidence(run.run, run.symbols, run.selection);
  const auto keeper = findings::keeper_beside(evidence, {findings::Place{file, 1, "make"}});
  return keeper ? keeper->place.line : 0;
}

}  // namespace

// Catches an unbounded cache left out where the line that grows is in the function that it keeps results of.
TEST_CASE("findings: caches of Python without a bound", "[findings]") {
  const auto cache = [](const std::string& decorators) {
    return findings::keeping_cache(
        {"import functools", "", decorators, "def shaded(x, y):", "    height = tile(x, y)",
         "    if x:", "        return clip(height)", "", "def other():", "    return tile(1, 2)"},
        7);
  };
  CHECK(cache("@functools.lru_cache(maxsize=None)") == 3);
  CHECK(cache("@lru_cache(None)  # all") == 3);
  CHECK(cache("@functools.cache") == 3);
  CHECK(cache("@cache") == 3);
  CHECK(cache("@functools.lru_cache(maxsize=64)") == 0);
  CHECK(cache("@functools.lru_cache") == 0);  // 128 of them
  CHECK(cache("@app.cached") == 0);
  CHECK(cache("@memory.cache") == 0);  // on a disk
  CHECK(findings::keeping_cache({"@cache", "@traced", "def f():", "    return 1"}, 4) == 1);
  CHECK(findings::keeping_cache({"@cache", "def f():", "    return 1", "def g():", "    return 2"}, 5) == 0);
  CHECK(findings::keeping_cache({"@cache", "def f():", "    return 1", "f.cache_clear()"}, 3) == 0);
  CHECK(findings::keeping_cache({"x = 1"}, 1) == 0);
  CHECK(findings::cache_around({"@functools.lru_cache(maxsize=64)", "def f():", "    return 1"}, 3) == 1);
  CHECK(findings::cache_around({"@app.cached", "def f():", "    return 1"}, 3) == 0);
  CHECK(findings::keeping_cache({}, 1) == 0);
}

TEST_CASE("findings: lines of Python that keep more than they should", "[findings]") {
  const auto array = [](const std::string& line) {
    return keeping_line("a.py", "import numpy as np\n\n" + line + "\n");
  };
  CHECK(array("    self.previews.append(frame[:: self.step, ::4])") == 3);
  CHECK(array("    heads[name] = table[:3]") == 3);
  CHECK(array("    self.previews.append(frame[::4, ::4].copy())") == 0);
  CHECK(array("    self.previews.append(np.array(frame[::4]))") == 0);
  CHECK(array("    self.previews.append(frame[4])") == 0);
  CHECK(array("    meter.add(n, frame[::4])") == 0);
  CHECK(keeping_line("a.py", "import json\nparts.append(text[4:])\n") == 0);  // a copy
  CHECK(array("    state[\"last\"] = frame[:3]") == 0);                       // each takes the place of the last
  CHECK(array("    state[0] = frame[:3]") == 0);
  // Bounded, or taken out again.
  CHECK(array("ring = deque(maxlen=4)\nring.append(frame[::16])") == 0);
  CHECK(array("self.rows.append(frame[::16])\nold = self.rows.pop(0)") == 0);
  CHECK(array("rows.append(frame[::16])\nother.pop(0)") == 3);
  CHECK(array("rows.append(frame[::16])\nrows.clear()") == 0);
  CHECK(array("def add(frame):\n    rows.append(frame[::16])\ndef seal():\n    rows.clear()") == 4);
  // Slices that have a name before they are kept, their own or that of what a function returns.
  CHECK(array("look = scene[y:y + 9, ::2]\nlooks[name] = look") == 3);
  CHECK(array("look = scene[y:y + 9]\nlooks[name] = look") == 0);  // of a list?
  CHECK(array("look = scene[y:y + 9, ::2].copy()\nlooks[name] = look") == 0);
  CHECK(array("look = scene[y:y + 9, ::2]\nlooks[name] = look.mean()") == 0);
  const auto returned = [&](const std::string& value, const std::string& names, const std::string& kept) {
    return array("def best(scene):\n    return " + value + "\n" + names + " = best(scene)\nlooks[name] = " + kept);
  };
  CHECK(returned("score, scene[a:b, c:d]", "score, look", "look") == 4);
  CHECK(returned("score, scene[a:b, c:d]", "score, look", "score") == 0);
  CHECK(returned("score, scene[a:b, c:d].sum()", "score, look", "look") == 0);
  CHECK(returned("scene[a:b, c:d]", "look", "(1, look)") == 4);
  CHECK(array("def corner(image):\n    row = image[1:2, 5:8]\ndef add(row):\n    rows.append(row)") == 0);
  // What the growing line makes it keeps by itself.
  const std::string beside = "\nimport numpy as np\nrows.append(frame[::16])\n";
  CHECK(keeping_line("a.py", "results.append(bytearray(400000))" + beside) == 0);
  CHECK(keeping_line("a.py", "results[key] = load(key)" + beside) == 0);
  CHECK(keeping_line("a.py", "frame = load(key)" + beside) == 3);
  const auto given = [](const std::string& line, const std::string& last) {
    return keeping_line(
        "a.py", "class Board:\n    def __init__(self, feed):\n" + line +
                    "\n    def on_price(self, price):\n        self.last = price\n    def close(self):\n" + last +
                    "\n");
  };
  CHECK(given("        feed.subscribe(self.on_price)", "        pass") == 3);
  CHECK(given("        feed.connect(\"price\", self.on_price)", "        pass") == 3);
  CHECK(given("        feed.listeners.append(self.on_price)", "        self.rows = None") == 3);
  CHECK(given("        feed.subscribe(self.on_price)", "        feed.unsubscribe(self.on_price)") == 0);
  CHECK(given("        feed.subscribe(self.name)", "        pass") == 0);  // no method
  CHECK(given("        \"\"\"Calls `feed.subscribe(self.on_price)`\"\"\"", "        pass") == 0);
  const auto caught = [](const std::string& line) {
    return keeping_line("a.py", "def run():\n    try:\n        work()\n    except ValueError as error:\n" + line +
                                    "\n    done.append(error)\n");
  };
  CHECK(caught("        failures.append((number, error))") == 5);
  CHECK(caught("        self.failed[number] = error") == 5);
  CHECK(keeping_line("a.py",
                     "def take(future):\n    problem = future.exception()\n    if problem:\n"
                     "        refused.append((number, problem))\n") == 4);
  CHECK(keeping_line("a.py",
                     "def take(future):\n    problem = future.exception()\n    refused.append(str(problem))\n") == 0);
  CHECK(caught("        failures.append((number, str(error)))") == 0);
  CHECK(caught("        failures.append(f'{number}: {error}')") == 0);
  CHECK(caught("        failures.append(error.args)") == 0);
}

TEST_CASE("findings: lines of C++ that keep their own object", "[findings]") {
  const auto lines = [](const std::string& text) { return keeping_line("a.cpp", "// one\n" + text); };
  CHECK(lines("auto self = shared_from_this();\nconnection->on_close = [self] { self->finish(); };\n") == 3);
  CHECK(lines("timer.set_handler([self = shared_from_this()] { self->tick(); });\n") == 2);
  CHECK(lines("auto self = shared_from_this();\nasync_read_on([this, self] { handle(); });\n") ==
        0);  // let go after it
  CHECK(lines("auto self = shared_from_this();\ndecoder_.listen([self](int r) { self->store(r); });\n") == 3);
  CHECK(lines("auto self = shared_from_this();\npool.post([self] { self->work(); });\n") == 0);
  CHECK(lines("auto self = weak_from_this();\nconnection->on_close = [self] { call(self); };\n") == 0);
  const std::string children = "  std::vector<std::shared_ptr<Node>> children;\n};\n";
  CHECK(lines("struct Node {\n  std::shared_ptr<Node> parent;\n" + children) == 3);
  CHECK(lines("struct Node {\n  std::shared_ptr<Node> next;\n  std::shared_ptr<Node> prev;\n};\n") == 4);
  CHECK(lines("struct Node {\n  std::shared_ptr<Node> parent;\n" + children +
              "void up(Node* n) {\n  for (n = n->parent.get(); n != nullptr; n = n->parent.get()) see(n);\n}\n") == 3);
  CHECK(lines("struct Node {\n  std::weak_ptr<Node> parent;\n" + children) == 0);
  CHECK(lines("struct Node {\n  std::shared_ptr<Node> next;\n};\n") == 0);
  CHECK(lines("struct Node {\n  std::shared_ptr<Node> parent;\n" + children +
              "void close(Node& n) { n.parent.reset(); }\n") == 0);
}

namespace {

constexpr const char* kTable = R"(#include <functional>
#include <unordered_map>
struct Key { int x, y; bool operator==(const Key& o) const { return x == o.x && y == o.y; } };
struct Hash { std::size_t operator()(const Key& k) const { return HASH; } };
std::unordered_map<Key, int, Hash> table;
int look_up(int x, int y) {
  auto found = table.find(Key{x, y});
  if (found == table.end()) table[Key{x, y}] = 1;
  return found == table.end() ? 0 : found->second;
}
)";

// Parts of the time of look-ups, in percent: to compare keys, to go on to the next nodes; the rest is in the loop.
struct Parts {
  std::uint64_t comparing = 2, onwards = 50;
};

std::vector<findings::Finding> hashed_by(const std::string& hash, std::uint64_t ms, Parts parts = {}) {
  std::string text = kTable;
  text.replace(text.find("HASH"), 4, hash);
  const test::NativeLibrary library(text, "libtable.so", "-O1 -g -fno-inline");
  FindingsRun run;
  const std::uint32_t module = run.log.module(library.path());
  const auto below = [&](std::uint32_t above, const char* function, std::uint64_t percent) {
    const std::uint32_t node = run.log.node(above, run.log.native(module, library.in(function)));
    if (percent > 0) run.log.cpu(node, ms * percent / 1'000, ms * percent * kMs / 100);
    return node;
  };
  const std::uint32_t own = run.log.node(0, run.log.native(module, library.in("7look_up")));
  const std::uint32_t loop =
      below(below(own, "4find", 0), "_M_find_before_node", 100 - parts.comparing - parts.onwards);
  below(loop, "_M_equals", parts.comparing);
  below(loop, "15_M_bucket_indexERK", parts.onwards);
  run.log.cpu(own, (1'600 - ms) / 10, (1'600 - ms) * kMs);
  return run.look("equal-hashes");
}

}  // namespace

// Catches a list that is walked along, and a hash that mixes.
TEST_CASE("findings: chained tables of one's own whose keys have the same hash", "[findings]") {
  const auto found = [](const std::string& sum, std::uint64_t ms, const char* start = "slots[at]") {
    const std::string text =
        "struct tag { tag *next; const char *name; };\n"          // 1
        "extern \"C\" int strcmp(const char *, const char *);\n"  // 2
        "tag *slots[64], *head;\n"                                // 3
        "static unsigned name_hash(const char *s)\n{\n"           // 4
        "    unsigned h = 7;\n    for (; *s; s++) {\n        " +  // 6
        sum +                                                     // 8
        ";\n    }\n    return h;\n}\n"                            // 9
        "tag *get_tag(const char *name, unsigned at)\n{\n"        // 12
        "    for (tag *t = " +                                    // 14
        std::string(start) +
        "; t; t = t->next)\n        if (strcmp(t->name, name) == 0)\n            return t;\n    return nullptr;\n}\n"
        "\n\n\n\n\n\nunsigned others(const char *s)\n{\n    return name_hash(s);\n}\n";
    const test::NativeLibrary library(text, "libtags.so", "-O1 -g -fno-inline");
    FindingsRun run(false);
    const std::uint32_t module = run.log.module(library.path());
    run.log.cpu(run.log.node(0, run.log.native(module, library.in("get_tag"))), ms / 10, ms * kMs);
    run.log.cpu(run.log.node(0, run.log.native(module, library.in("others"))), 40, 400 * kMs);
    return run.look("equal-hashes");
  };
  for (const std::uint64_t half : {1, 2}) {
    const auto told = found("h = h + (unsigned char)*s", 1'200 / half);
    REQUIRE(told.size() == 1);
    CHECK(told.front().saves == Approx(0.6 / static_cast<double>(half)));
    REQUIRE(told.front().places.size() == 2);
    CHECK(has(told.front().places[0].function, "get_tag"));
    CHECK(told.front().places[1].line == 8);
  }
  CHECK(found("h += *s", 1'200).size() == 1);
  CHECK(found("h ^= (unsigned char)*s", 1'200).size() == 1);
  for (const char* mixes : {"h = h * 31 + *s", "h = (h << 5) + h + *s", "h = 33*h ^ *s", "h ^= *s; h *= 16777619u"})
    CHECK(found(mixes, 1'200).empty());
  CHECK(found("h += *s", 1'200, "head").empty());
  CHECK(found("h += *s", 90).empty());
}

TEST_CASE("findings: tables of C++ whose keys have the same hash", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = hashed_by("k.x + k.y", 1'200 / half);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.6 / static_cast<double>(half)));
    REQUIRE(found.front().places.size() == 2);
    CHECK(found.front().places[1].line == 4);
    CHECK(has(found.front().advice, "multiply"));
  }
  CHECK(hashed_by("k.x ^ k.y", 1'200).size() == 1);
  CHECK(hashed_by("1", 1'200).size() == 1);
  CHECK(hashed_by("std::hash<int>()(k.x) ^ std::hash<int>()(k.y)", 1'200).size() == 1);
  CHECK(hashed_by("std::hash<double>()(k.x) ^ std::hash<double>()(k.y)", 1'200).empty());
  CHECK(hashed_by("static_cast<std::size_t>(k.x + k.y)", 1'200).size() == 1);
  CHECK(hashed_by("std::hash<int>()(k.x) * 31 + std::hash<int>()(k.y)", 1'200).size() == 1);
  CHECK(hashed_by("17 * k.x + k.y", 1'200).size() == 1);
  CHECK(hashed_by("std::hash<int>{}(k.x) ^ (std::hash<int>{}(k.y) << 1)", 1'200).size() == 1);
  CHECK(hashed_by("k.x * 10007 + k.y", 1'200).empty());
  CHECK(hashed_by("k.x ^ (k.y << 16)", 1'200).empty());
  CHECK(hashed_by("k.x ^ (k.y << k.x)", 1'200).empty());
  CHECK(hashed_by("k.x * 73856093u ^ k.y * 19349663u", 1'200).empty());
  CHECK(hashed_by("std::hash<int>{}(k.x + k.y)", 1'200).size() == 1);
  CHECK(hashed_by("std::hash<double>{}(k.x + k.y)", 1'200).empty());
  CHECK(hashed_by("k.x + k.y", 200).empty());
  // Sums of large numbers are spread: the time goes to the first node of each bucket.
  CHECK(hashed_by("k.x ^ k.y", 1'200, {50, 25}).empty());
  CHECK(hashed_by("k.x ^ k.y", 1'200, {20, 39}).empty());
  CHECK(hashed_by("1", 1'200, {50, 25}).size() == 1);
  // Another class of the file adds up; the table's own hash is sound.
  CHECK(hashed_by("std::hash<int>{}(k.x); } }; struct Sum { std::size_t operator()(int a, int b) const { return a + b;",
                  1'200)
            .empty());
  CHECK(
      hashed_by("std::hash<int>{}(k.x); } }; struct Twice { std::size_t operator()(int a) const { return a + a;", 1'200)
          .empty());
}

TEST_CASE("findings: matches of regular expressions that keep their texts", "[findings]") {
  const auto kept = [](const std::string& lines) {
    return keeping_line("a.py",
                        "import re\nHEAD = re.compile('x')\ndef add(path):\n    text = read(path)\n" + lines + "\n");
  };
  CHECK(kept("    found = HEAD.search(text)\n    self.heads[path] = found") == 6);
  CHECK(kept("    for one in HEAD.finditer(text):\n        rows.append((path, one))") == 6);
  CHECK(kept("    if (found := HEAD.match(text)):\n        rows.append(found)") == 6);
  CHECK(kept("    found = HEAD.search(text)\n    self.heads[path] = found.group(1)") == 0);
  CHECK(kept("    found = HEAD.search(text)\n    self.heads[path] = found[1]") == 0);
  CHECK(kept("    found = HEAD.search(text).group(1)\n    self.heads[path] = found") == 0);
  CHECK(kept("    found = HEAD.search(text)\n    self.last = len(found[1])") == 0);
  CHECK(kept("    found = HEAD.search(text)\ndef other(found):\n    rows.append(found)") == 0);
  CHECK(kept("    found = re.search(HEAD, text)\n    rows.append(found)") == 6);
  CHECK(kept("    found = index.search(text)\n    rows.append(found)") == 0);  // of something else
  CHECK(keeping_line("a.py", "import shop\nfound = shop.search(text)\nrows.append(found)\n") == 0);
}

TEST_CASE("findings: results of steps that are kept with their graphs", "[findings]") {
  const auto kept = [](const std::string& line) {
    return findings::keeping_losses(
        {"for x, y in batches:", "    loss = criterion(net(x), y)", "    loss.backward()", line});
  };
  CHECK(kept("    losses.append(loss)") == 4);
  CHECK(kept("    self.history[step] = loss") == 4);
  CHECK(kept("    losses.append(loss.item())") == 0);
  CHECK(kept("    losses.append(loss.detach())") == 0);
  CHECK(kept("    losses.append(float(loss))") == 0);
  CHECK(kept("    losses.append(other)") == 0);
  CHECK(findings::keeping_losses({"losses.append(loss)"}) == 0);
}

TEST_CASE("findings: elements of XML that are read one by one and kept", "[findings]") {
  const auto kept = [](const std::string& inside) {
    return findings::keeping_trees({"from xml.etree.ElementTree import iterparse",
                                    "def load(path):", "    for _, element in iterparse(path):", inside});
  };
  CHECK(kept("        index.add(element)") == 3);
  CHECK(kept("        element.clear()") == 0);
  CHECK(kept("        del root[:]") == 0);
  CHECK(findings::keeping_trees({"import xml.etree.ElementTree as ET", "tree = ET.parse(path)"}) == 0);
}

TEST_CASE("findings: lines of JavaScript that keep what they are given", "[findings]") {
  const auto kept = [](const std::vector<std::string>& lines) {
    std::vector<std::size_t> out;
    for (const findings::KeptByScript& one : findings::kept_by_script(lines)) out.push_back(one.line);
    return out;
  };
  using Numbers = std::vector<std::size_t>;
  CHECK(kept({"function join(board) {", "  board.on('change', row => show(row));", "}"}) == Numbers{2});
  CHECK(kept({"function join(board) {", "  board.on('change', f);", "  board.off('change', f);", "}"}).empty());
  CHECK(kept({"function join(socket) {", "  socket.on('data', f);", "  socket.on('close', f);", "}"}).empty());
  CHECK(kept({"board.on('change', f);"}).empty());  // once
  // Of an object that is made there, and dies with it.
  CHECK(kept({"function run(n) {", "  const job = new Job(n);", "  job.on('progress', f);", "}"}).empty());
  CHECK(kept({"const ring = [];", "function see(n) {", "  ring[n % 60] = n;", "}"}).empty());
  CHECK(kept({"const seen = new Map();", "function see(id) {", "  seen.set(id, make(id));", "}"}) == Numbers{3});
  CHECK(kept({"const seen = new Map();", "function see(id) {", "  seen.set(id, 1);", "  seen.delete(id - 9);", "}"})
            .empty());
  CHECK(kept({"const log = [];", "function see(id) {", "  log.push(id);", "  if (log.length > 9) log.shift();", "}"})
            .empty());
  CHECK(kept({"function see(ids) {", "  const log = [];", "  log.push(ids);", "}"}).empty());
  CHECK(kept({"class A {", "  constructor() {", "    this.rows = [];", "  }", "  add(row) {",
              "    this.rows.push(row);", "  }", "}"}) == Numbers{6});
  CHECK(kept({"const byId = {};", "function see(row) {", "  byId[row.id] = row;", "}"}) == Numbers{3});
  CHECK(kept({"const byId = {};", "function see(row) {", "  byId[row.id] = row;", "  delete byId[row.old];", "}"})
            .empty());
  // Races with what settles late; a promise of the same turn goes with it.
  CHECK(kept({"async function take(jobs) {", "  await Promise.race([run(jobs.next()), this.closed]);", "}"}) ==
        Numbers{2});
  CHECK(kept({"const stop = signal();", "async function take(job) {", "  await Promise.race([run(job), stop]);",
              "}"}) == Numbers{3});
  CHECK(kept({"async function lane(jobs, end) {", "  while (true) {", "    await Promise.race([run(), end.signal]);",
              "  }", "}"}) == Numbers{3});
  CHECK(kept({"async function lane(jobs) {", "  for (const job of jobs) {",
              "    await Promise.race([run(), job.late]);", "  }", "}"})
            .empty());
  CHECK(kept({"async function take(req) {", "  await Promise.race([run(req), req.aborted]);", "}"}).empty());
  CHECK(kept({"async function take(job) {", "  const late = sleep(9);", "  await Promise.race([run(job), late]);", "}"})
            .empty());
  CHECK(kept({"async function take(job) {", "  await Promise.race([run(job), sleep(this.late)]);", "}"}).empty());
  CHECK(kept({"async function take(a) {", "  await Promise.race([Promise.all([a, b()]), this.closed]);", "}"}) ==
        Numbers{2});
  CHECK(kept({"async function take(a) {", "  await Promise.race([", "    run(a),", "    this.closed,", "  ]);", "}"}) ==
        Numbers{2});
  // Where there are many, none of them stands out.
  CHECK(kept({"const a = [], b = new Set();", "const c = [];", "const d = new Set();", "const e = {};",
              "function f(x) {", "  c.push(x);", "  d.add(x);", "  e[x] = 1;", "}"})
            .empty());
}

TEST_CASE("findings: lines of C++ that put a shared_ptr away", "[findings]") {
  const auto kept = [](const std::string& type, const std::string& body) {
    FindingsRun run;
    const std::string file = run.directory() / "a.cpp";
    std::ofstream(file) << "using BlockPtr = std::shared_ptr<Block>;\nvoid add(const " << type << "& block) {\n"
                        << body << "\n}\n";
    run.log.cpu(run.line(0, run.code("make", file), 1), 10, 100 * kMs);
    run.finish();
    const findings::Evidence evidence(run.run, run.symbols, run.selection);
    const auto keeper = findings::sharer_beside(evidence, {findings::Place{file, 2, "add"}});
    return keeper ? keeper->place.line : 0;
  };
  CHECK(kept("BlockPtr", "  kept_.push_back({block, head(*block)});") == 3);
  CHECK(kept("std::shared_ptr<Block>", "  kept_.push_back({block, 7});") == 3);
  CHECK(kept("Block", "  auto one = std::make_shared<Block>(block);\n  kept_.emplace_back(one, one->head());") == 4);
  CHECK(kept("std::shared_ptr<Block>", "  kept_.push_back(block);") == 0);  // what it is for
  CHECK(kept("Block", "  kept_.push_back(block);") == 0);
  CHECK(kept("BlockPtr", "  kept_.push_back(block->head());\n  kept_.pop_front();") == 0);
  CHECK(kept("BlockPtr", "  kept_.push_back({block, 7});\n  kept_.erase(kept_.begin());") == 0);
  CHECK(kept("BlockPtr", "  names_.push_back(name);") == 0);
}
