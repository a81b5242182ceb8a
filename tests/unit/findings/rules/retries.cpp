// Sleeps between attempts after errors.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

// 40 sleeps of 20 ms in the line of that text.
findings::Finding slept(const std::string& text, const char* call = "sleep(") {
  FindingsRun run;
  const std::string own = (run.directory() / "client.py").string();
  std::ofstream(own) << text;
  const auto before = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(call)), '\n');
  run.wait(run.line(0, run.code("ask", own, 1), static_cast<std::uint32_t>(before)), "clock_nanosleep", "sleep", 40,
           800 * kMs);
  run.log.cpu(run.train(20), 20, 200 * kMs);
  auto found = run.look("sleeping");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.4));
  return found.front();
}

constexpr const char* kTitle = "The program sleeps between attempts, after errors";

std::string attempts(const std::string& head, const std::string& except) {
  return "def ask():\n    " + head + "\n        try:\n            return request()\n        " + except +
         "\n            if last:\n                raise\n            time.sleep(delay)\n";
}

}  // namespace

TEST_CASE("findings: sleeps between attempts", "[findings]") {
  for (const char* head : {"for attempt in range(4):", "while True:"}) {
    for (const char* except : {"except URLError:", "except (OSError, ValueError) as error:  # all", "except:"}) {
      INFO(head << ' ' << except);
      const auto found = slept(attempts(head, except));
      CHECK(found.title == kTitle);
      CHECK(has(found.advice, "404"));
      REQUIRE(found.places.size() == 2);
      CHECK(found.places[0].line == 8);
      CHECK(found.places[1].line == 5);
    }
  }
}

// Catches a program that looks again for what is not there yet, an error that ends what it was about, and a pause
// behind the attempts.
TEST_CASE("findings: sleeps that follow no errors", "[findings]") {
  for (const std::string& text :
       {attempts("while True:", "except queue.Empty:"), attempts("if asked:", "except URLError:"),
        std::string("def ask():\n    while True:\n        try:\n            request()\n        except URLError:\n"
                    "            pass\n        time.sleep(1)\n"),
        std::string("def ask():\n    while not ready():\n        time.sleep(1)\n")}) {
    INFO(text);
    const auto found = slept(text);
    CHECK(found.title == "The program sleeps");
    CHECK(found.places.size() == 1);
  }
}
