#include "report/findings/javascript_loops.hpp"

#include <filesystem>
#include <fstream>

#include "report/findings/javascript.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using findings::Lines;
using findings::lines_that_await;
using test::FindingsRun;

using Found = std::vector<std::size_t>;

TEST_CASE("loops of JavaScript that await an answer for each element", "[findings]") {
  CHECK(lines_that_await({"for (const id of ids) {", "  const user = await get(id);", "  users.push(user);", "}"}) ==
        Found{2});
  CHECK(lines_that_await({"for (const id of ids) users.push(await get(id));"}) == Found{1});
  CHECK(lines_that_await({"async function all() {", "  for (let i = 0; i < ids.length; i++) {",
                          "    total += await price(ids[i]);", "  }", "}"}) == Found{3});
  CHECK(lines_that_await({"for (const [key, { url }] of Object.entries(parts)) {",
                          "  const answer = await fetch(`http://host/${url}`); // one at a time",
                          "  page[key] = await answer.json();", "}"}) == Found{2});
  CHECK(lines_that_await({"for (const row of rows) {", "  const text = row.name.trim();", "", "  await client.query(",
                          "    'INSERT INTO t VALUES ($1)',", "    [text],", "  );", "}"}) == Found{4});
  CHECK(lines_that_await({"for (const team of teams) {", "  for (const member of team.members) {",
                          "    await mail(member);", "  }", "}"}) == Found{3});
}

// Catches loops whose next question needs the answer before, that take their time, and that await no answers.
TEST_CASE("loops of JavaScript that need not be told of", "[findings]") {
  for (const Lines& lines : std::vector<Lines>{
           {"for (const id of ids) {", "  users.push(get(id));", "}"},
           {"for (const id of ids) {", "  await tick();", "}"},
           {"for (const id of ids) {", "  cursor = await next(id, cursor);", "}"},
           {"for (const id of ids) {", "  const page = await next(id, token);", "  token = page.token;", "}"},
           {"for (const id of ids) {", "  if (await has(id)) break;", "}"},
           {"for (const id of ids) {", "  const user = await get(id);", "  if (user) return user;", "}"},
           {"for (const id of ids) {", "  await get(id);", "  await sleep(100);", "}"},
           {"for (const part of parts) {", "  await Promise.all(part.map(get));", "}"},
           {"for (const file of files) {", "  texts.push(await fs.promises.readFile(file));", "}"},
           {"for await (const part of stream) {", "  await put(part);", "}"},
           {"while (cursor) {", "  page = await next(cursor);", "}"},
           {"for (const id of ids) {", "  // await get(id)", "}"},
           {"for (const id of ids) {", "}", "await get(id);"},
           {"for (const id of ids", "await get(id)"},
           {"for (", "for"},
       }) {
    INFO(lines.front() << " " << lines.back());
    CHECK(lines_that_await(lines).empty());
  }
  for (const char* odd :
       {"for (const of of of) await of", "for (;;) await", "for (const) await x", "for () {", "for(let = ="})
    lines_that_await({odd, odd, "  await of.of("});
  CHECK(lines_that_await({}).empty());
}

// Catches modules that are looked for in the folder of the run, and those that load each other.
TEST_CASE("scripts of JavaScript that a script loads", "[findings]") {
  FindingsRun run;
  std::filesystem::create_directories(run.directory() / "lib/db");
  std::ofstream(run.directory() / "main.js") << "const users = require('./lib/users');\nconst pg = require('pg');\n";
  std::ofstream(run.directory() / "lib/users.js") << "import { get } from \"./db\";\nrequire('../main.js');\n";
  std::ofstream(run.directory() / "lib/db/index.js") << "require('./missing');\nrequire('./');\n";
  run.log.info(log::InfoKey::Exe, "/usr/bin/node");
  run.log.info(log::InfoKey::Argv, std::string("node\0", 5) + (run.directory() / "main.js").string());
  std::vector<std::string> found;
  run.finish();
  const findings::Evidence evidence(run.run, run.symbols, run.selection);
  for (const std::string& script : findings::own_scripts(evidence, run.run.processes.front()))
    found.push_back(std::filesystem::path(script).lexically_relative(run.directory()).string());
  CHECK(found == std::vector<std::string>{"main.js", "lib/users.js", "lib/db/index.js"});
}
