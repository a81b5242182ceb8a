// The rule about containers of the C++ library that are copied, on a library that the test compiles for itself, so that
// there are real names.
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/native_library.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;

namespace {

constexpr const char* kContainers = R"(#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
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
template std::string::basic_string(const std::string&);
template std::string::~basic_string();
std::map<std::string, double> weights;
std::vector<std::string> names;
volatile int steps;
double weigh() {
  double all = 0;
  for (const std::pair<std::string, double>& e : weights) all += e.second;
  steps = 1;
  steps = 2;
  steps = 3;
  steps = 4;
  steps = 5;
  steps = 6;
  return all;
}
void fill(const std::string& name) {
  names.push_back(name);
  weights[name] = 1;
}
bool shorter(std::string a, std::string b) { return a.size() < b.size(); }
void order() { std::sort(names.begin(), names.end(), shorter); }
)";

// Parts of mangled names: what a loop over a map makes of each entry, where its variable has another type.
constexpr const char* kPair = "St4pairINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEdEC";
constexpr const char* kCopy = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC";
constexpr const char* kEnd = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED";

struct Library : test::NativeLibrary {
  // Not known to be unoptimised, which would be told in place of the copies.
  Library() : NativeLibrary(kContainers, "libcopies.so", "-O0 -g -gno-record-gcc-switches") {}
};

// Two seconds of a program of the library's, in functions below one of the user's own; 400 ms in that one itself.
class CopyingRun : public FindingsRun {
 public:
  explicit CopyingRun(const Library& library) : library_(library), module_(log.module(library.path())) {}

  // `further`: that many bytes behind the middle of the user's function, on another line of it.
  void spend(const std::string& own, const std::vector<std::string>& below, std::uint64_t ms,
             std::uint64_t further = 0) {
    std::uint32_t at = log.node(0, log.native(module_, library_.in(own) + further));
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

// Catches a type of a loop's variable that is nearly that of the elements: each is converted, which copies its string.
TEST_CASE("findings: strings that a loop over a map copies", "[findings]") {
  const Library library;
  for (const std::uint64_t half : {1, 2}) {
    CopyingRun run(library);
    run.spend("5weigh", {kPair, kCopy}, 500 / half);
    run.spend("5weigh", {kEnd}, 100 / half);
    run.spend("5weigh", {kEnd}, 200 / half, 30);  // the entry ends on another line
    run.spend("4fill", {kEnd}, 200);              // of no copy that is meant
    run.spend("5weigh", {}, 400);
    const auto found = run.look("container-copies");
    REQUIRE(found.size() == 1);
    CHECK(found.front().title == "Strings are copied where a reference would do");
    CHECK(has(found.front().seen, "went by in copying strings of the C++ library and in freeing the copies."));
    CHECK(found.front().saves == Approx(0.4 / static_cast<double>(half)));
    CHECK(has(found.front().places.front().function, "weigh"));
  }
}

// Catches arguments of a comparison, which an algorithm of the library copies for each call, taken for what it keeps.
TEST_CASE("findings: strings that a comparison takes by value", "[findings]") {
  const Library library;
  for (const bool compared : {false, true}) {
    CopyingRun run(library);
    if (compared)
      run.spend("5order", {"St6__sortI", "_ZN9__gnu_cxx5__ops15_Iter_comp_iterIPFb", kCopy}, 600);
    else
      run.spend("5order", {"St6__sortI", kCopy}, 600);  // what it puts in order
    run.spend("5weigh", {}, 400);
    const auto found = run.look("container-copies");
    REQUIRE(found.size() == (compared ? 1 : 0));
    if (compared) CHECK(found.front().saves == Approx(0.3));
  }
}

// Catches what a container has to hold told as needless copies of it.
TEST_CASE("findings: strings that are put into containers", "[findings]") {
  const Library library;
  CopyingRun run(library);
  SECTION("a vector") { run.spend("4fill", {"9push_back", kCopy}, 800); }
  SECTION("a map") {
    run.spend("4fill",
              {"mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEdSt4lessIS5_"
               "ESaISt4pairIKS5_dEEEix",
               "17_M_construct_node", kCopy},
              800);
  }
  SECTION("and freed") {
    run.spend("4fill", {"9push_back", kCopy}, 400);
    run.spend("4fill", {kEnd}, 400);
  }
  SECTION("copied for a short time") {
    run.spend("5weigh", {kPair, kCopy}, 150);
    run.spend("4fill", {}, 1'000);
  }
  CHECK(run.look("container-copies").empty());
}
