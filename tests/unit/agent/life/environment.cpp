// What is put back into the environments that a program passes to its children.
#include <cstring>
#include <string>
#include <vector>

#include "agent/core/process.hpp"
#include "agent/life/environment.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

struct Environment {
  explicit Environment(std::vector<std::string> entries) : text(std::move(entries)) {
    for (std::string& e : text) pointers.push_back(e.data());
    pointers.push_back(nullptr);
  }
  std::vector<std::string> text;
  std::vector<char*> pointers;
};

std::vector<std::string> passed_on(char* const* environment) {
  const std::size_t bytes = child_environment_bytes(environment);
  std::vector<std::string> result;
  std::vector<std::max_align_t> room(bytes / sizeof(std::max_align_t) + 1);
  char* const* child = bytes == 0 ? environment : child_environment(environment, room.data());
  for (; child != nullptr && *child != nullptr; ++child) result.emplace_back(*child);
  return result;
}

std::size_t count(const std::vector<std::string>& entries, const std::string& prefix) {
  std::size_t n = 0;
  for (const std::string& e : entries) n += e.compare(0, prefix.size(), prefix) == 0;
  return n;
}

bool has(const std::vector<std::string>& entries, const std::string& entry) { return count(entries, entry) == 1; }

}  // namespace

TEST_CASE("agent: children's environments are completed and nothing is doubled") {
  Process& p = process();
  std::strcpy(p.agent_path, "/opt/lib/libprof.so");
  std::strcpy(p.run_dir, "/runs/one");
  p.run_id = 0x1234;
  p.options.children = true;
  Environment own({"PATH=/bin", "LD_PRELOAD=/opt/lib/libprof.so", "PROF_CPU=500", "PROF_OUT=/runs/one"});
  remember_environment(own.pointers.data());
  const std::string run = "PROF_RUN=0000000000001234:/runs/one";

  SECTION("none at all") {
    Environment empty({});
    for (char* const* nothing :
         {static_cast<char* const*>(nullptr), static_cast<char* const*>(empty.pointers.data())}) {
      const auto child = passed_on(nothing);
      CHECK(has(child, "LD_PRELOAD=/opt/lib/libprof.so"));
      CHECK(has(child, "PROF_CPU=500"));
      CHECK(has(child, "PROF_OUT=/runs/one"));
      CHECK(has(child, run));
      CHECK(child.size() == 4);
    }
  }
  SECTION("another preload keeps its place behind ours; our own relative name goes") {
    Environment e({"LD_PRELOAD=/x/libjemalloc.so:build/libprof.so", "HOME=/h"});
    const auto child = passed_on(e.pointers.data());
    CHECK(has(child, "LD_PRELOAD=/opt/lib/libprof.so:/x/libjemalloc.so"));
    CHECK(count(child, "LD_PRELOAD=") == 1);
    CHECK(has(child, "HOME=/h"));
  }
  SECTION("what the program changed stays changed") {
    Environment e({"LD_PRELOAD=/opt/lib/libprof.so", "PROF_CPU=off", run});
    const auto child = passed_on(e.pointers.data());
    CHECK(has(child, "PROF_CPU=off"));
    CHECK(count(child, "PROF_CPU=") == 1);
  }
  SECTION("a complete one is passed on as it is") {
    Environment e({"LD_PRELOAD=/opt/lib/libprof.so", "PROF_CPU=500", "PROF_OUT=/runs/one", run});
    CHECK(child_environment_bytes(e.pointers.data()) == 0);
  }
  SECTION("another run's mark is replaced") {
    Environment e({"PROF_RUN=ffffffffffffffff:/elsewhere", "LD_PRELOAD=/opt/lib/libprof.so"});
    const auto child = passed_on(e.pointers.data());
    CHECK(has(child, run));
    CHECK(count(child, "PROF_RUN=") == 1);
  }
}
