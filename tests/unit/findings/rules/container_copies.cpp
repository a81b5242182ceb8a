// The rule about containers of the C++ library that are copied, on a library that the test compiles for itself, so that
// there are real names.
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char* kContainers = R"(#include <map>
#include <unordered_map>
#include <vector>
std::map<int, int> kept;
std::unordered_map<int, int> hashed;
std::vector<int> numbers;
void by_value(const std::map<int, int>& all) {
  std::map<int, int> copy = all;
  kept.swap(copy);
}
void hash_by_value(const std::unordered_map<int, int>& all) {
  std::unordered_map<int, int> copy = all;
  hashed.swap(copy);
}
void vector_by_value(const std::vector<int>& all) {
  std::vector<int> copy = all;
  copy.swap(numbers);
}
void insert(int key) {
  kept[key] = key;
  kept.insert({key, key});
}
)";

struct Library : test::NativeLibrary {
  Library() : NativeLibrary(kContainers, "libcopies.so") {}
};

// Two seconds of a program of the library's, in functions below one of the user's own; 400 ms in that one itself.
class CopyingRun : public FindingsRun {
 public:
  explicit CopyingRun(const Library& library) : library_(library), module_(log.module(library.path())) {}

  void spend(const std::string& own, const std::vector<std::string>& below, std::uint64_t ms) {
    std::uint32_t at = log.node(0, log.native(module_, library_.in(own)));
    for (const std::string& function : below) at = log.node(at, log.native(module_, library_.in(function)));
    log.cpu(at, ms / 10, ms * kMs);
  }

 private:
  const Library& library_;
  std::uint32_t module_;
};

}  // namespace

TEST_CASE("findings: containers that are copied whole", "[findings]") {
  const Library library;
  for (const std::uint64_t half : {1, 2}) {
    CopyingRun run(library);
    run.spend("8by_value", {"Rb_tree", "7_M_copyILb0"}, 600 / half);
    run.spend("8by_value", {"Rb_tree", "7_M_copyILb0", "_M_clone_node"}, 200 / half);
    run.spend("8by_value", {"8_M_erase"}, 200 / half);  // of the copy
    run.spend("13hash_by_value", {"9_M_assign"}, 200 / half);
    run.spend("8by_value", {}, 400);
    const auto found = run.look("container-copies");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "Containers are copied whole");
    CHECK(found.front().saves == Approx(0.6 / static_cast<double>(half)));
    if (half == 1) CHECK(has(found.front().seen, "1.20 s of CPU time, 75.0 % of all, went by in copying containers"));
    REQUIRE(found.front().places.size() == 2);
    CHECK(has(found.front().places.front().function, "by_value"));
    CHECK(found.front().places.front().file.ends_with("source.cpp"));
    CHECK(has(found.front().places.back().function, "hash_by_value"));
  }
}

TEST_CASE("findings: vectors that are copied whole", "[findings]") {
  const Library library;
  CopyingRun run(library);
  run.spend("15vector_by_value", {"vectorIiSaIiEEC1ERKS1_"}, 600);
  run.spend("15vector_by_value", {}, 400);
  const auto found = run.look("container-copies");
  REQUIRE(found.size() == 1);
  CHECK(found.front().saves == Approx(0.3));
}

// Catches what trees and their nodes do at any time told as copies.
TEST_CASE("findings: containers that are filled and freed", "[findings]") {
  const Library library;
  CopyingRun run(library);
  SECTION("inserted into") { run.spend("6insert", {"_M_insert_"}, 800); }
  SECTION("freed without being copied") { run.spend("6insert", {"8_M_erase"}, 800); }
  SECTION("copied for a short time") {
    run.spend("8by_value", {"7_M_copyILb0"}, 150);
    run.spend("6insert", {}, 1'000);
  }
  SECTION("own code") { run.spend("8by_value", {}, 800); }
  CHECK(run.look("container-copies").empty());
}
