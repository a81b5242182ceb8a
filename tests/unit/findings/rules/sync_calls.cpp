// Calls of Node that end when all is done, in a server's loop.
#include <fstream>
#include <string>

#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char* kNode = R"(
extern "C" int uv_run(int x) { return x; }
extern "C" int Builtins_JSEntry(int x) { return x + 1; }
namespace node { namespace crypto { int CryptoJob(int x) { return x + 2; } }
namespace fs { int ReadFileUtf8(int x) { return x + 3; } }
namespace other { int Join(int x) { return x + 4; } } }
)";

struct Server {
  std::string text =
      "function seed() {\n  crypto.pbkdf2Sync('a');\n}\nasync function login() {\n"
      "  crypto.pbkdf2Sync('b');\n}\n";
  const char* function = "CryptoJob";
  bool in_loop = true, below_script = true, accepts = true;
  std::uint64_t ms = 800;
  const char* exe = "/usr/bin/node";
  const char* cpus = nullptr;
  std::uint64_t events = 30;  // after ten long turns
};

std::vector<findings::Finding> look(const Server& server) {
  static const test::NativeLibrary library(kNode, "node", "-O0");
  FindingsRun run;
  const std::string file = run.directory() / "server.js";
  std::ofstream(file) << server.text;
  run.log.info(log::InfoKey::Exe, server.exe);
  run.log.info(log::InfoKey::Argv, std::string("node\0", 5) + file);
  if (server.cpus != nullptr) run.log.info(log::InfoKey::Cpus, server.cpus);
  const std::uint32_t module = run.log.module(library.path());
  const auto in = [&](std::uint32_t above, const char* name) {
    return run.log.node(above, run.log.native(module, library.in(name)));
  };
  std::uint32_t at = server.in_loop ? in(0, "uv_run") : 0;
  if (server.below_script) at = in(at, "Builtins_JSEntry");
  const auto work = in(at, server.function);
  run.log.cpu(work, server.ms / 10, server.ms * kMs);
  run.log.record(log::RecordClass::Hold, work,
                 log::HoldWords{10, server.ms * kMs, server.ms / 5 * kMs, server.events, server.ms * kMs});
  run.log.cpu(run.train(4), (1'600 - server.ms) / 10, (1'600 - server.ms) * kMs);
  if (server.accepts) run.wait(run.train(5), "accept4", "network", 8, 0);
  run.log.header.cpu_ns = 1'600 * kMs;
  return run.look("sync-calls");
}

}  // namespace

TEST_CASE("findings: synchronous calls in a server's loop", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    Server server;
    server.ms /= half;
    const auto found = look(server);
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(found.front().places.front().line == 5);  // who is called for others, and not at the start
    CHECK(has(found.front().seen, "in cryptography"));
  }
}

// Catches more saved than other threads can do meanwhile, with as many processors as there are.
TEST_CASE("findings: synchronous calls that other threads would compute", "[findings]") {
  Server server;
  server.cpus = "allowed=2";
  const auto found = look(server);
  REQUIRE(found.size() == 1);
  // Between one at a time, and both processors all the time.
  CHECK(found.front().saves == Approx(0.31).margin(0.02));
  CHECK(found.front().error_ns > 0);
}

TEST_CASE("findings: synchronous calls by their kind", "[findings]") {
  Server server;
  server.function = "ReadFileUtf8";
  server.text = "http.createServer((req, res) => {\n  res.end(fs.readFileSync('a'));\n});\n";
  const auto found = look(server);
  REQUIRE(found.size() == 1);
  CHECK(found.front().places.front().line == 2);
  CHECK(has(found.front().seen, "in files"));
}

// Catches what the loop's threads do, what is done before it begins, and scripts that serve nobody.
TEST_CASE("findings: synchronous calls that keep nobody waiting", "[findings]") {
  Server server;
  SECTION("one after the other") { server.events = 10; }
  SECTION("before the loop") { server.in_loop = false; }
  SECTION("in a thread of Node's") { server.below_script = false; }
  SECTION("no server") { server.accepts = false; }
  SECTION("little") { server.ms = 100; }
  SECTION("something else") { server.function = "Join"; }
  SECTION("another program") { server.exe = "/usr/bin/other"; }
  CHECK(look(server).empty());
}
