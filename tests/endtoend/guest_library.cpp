// What libprof.so is made of, seen from outside: what it needs, what it exports, what it weighs in thread-local
// storage.
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using namespace prof::test;

namespace {

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  std::set<std::string> found;
  const std::regex regex(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) found.insert((*it)[1]);
  return found;
}

std::string output_of(std::vector<std::string> argv) {
  const Outcome outcome = Command(std::move(argv)).run();
  INFO(outcome);
  REQUIRE(outcome.ok());
  return outcome.out;
}

// The names between "global:" and "local:" of a version script.
std::set<std::string> names_in_version_script(const std::filesystem::path& path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text = std::regex_replace(text, std::regex("/\\*[^*]*\\*/|#[^\n]*"), " ");
  std::set<std::string> names;
  std::istringstream words(std::regex_replace(text, std::regex("[{};]"), " $& "));
  bool global = false;
  for (std::string word; words >> word;) {
    if (word == "global:")
      global = true;
    else if (word == "local:")
      global = false;
    else if (global && std::isalnum(static_cast<unsigned char>(word[0])) + (word[0] == '_') > 0)
      names.insert(word);
  }
  return names;
}

}  // namespace

// Catches a NEEDED libstdc++ (breaks hosts that bring a newer one) or libunwind (takes over everybody's exceptions).
TEST_CASE("libprof.so needs nothing but libc and its parts") {
  const std::string dynamic = output_of({"readelf", "-d", "-W", agent_library().string()});
  const std::set<std::string> allowed{"libc.so.6",
                                      "libm.so.6",
                                      "libpthread.so.0",
                                      "libdl.so.2",
                                      "librt.so.1",
                                      "ld-linux-x86-64.so.2",
                                      "ld-linux-aarch64.so.1"};
  for (const std::string& library : matches(dynamic, "\\(NEEDED\\)[^\\[]*\\[([^\\]]+)\\]")) {
    INFO(library);
    CHECK(allowed.count(library) == 1);
  }
  CHECK(matches(dynamic, "\\((TEXTREL)\\)").empty());
  CHECK(matches(dynamic, "\\((RPATH|RUNPATH)\\)").empty());
}

// Catches symbols that leak into the host: any name that two libraries share is resolved to ours.
TEST_CASE("libprof.so exports exactly the names of its version script") {
  const std::set<std::string> listed = names_in_version_script(source_dir() / "agent/exports.map");
  REQUIRE(listed.count("malloc") == 1);
  const std::string symbols = output_of({"nm", "-D", "--defined-only", agent_library().string()});
  const std::set<std::string> exported = matches(symbols, "[0-9a-f]+ [A-Za-z] ([^@\\s]+)");
  for (const std::string& name : exported) {
    INFO("exported: " << name);
    CHECK(listed.count(name) == 1);
  }
  for (const std::string& name : listed) {
    INFO("listed: " << name);
    CHECK(exported.count(name) == 1);
  }
}

// Catches thread-local variables that eat what the loader keeps for libraries opened later (libgomp wants some).
TEST_CASE("libprof.so has 64 bytes of thread-local storage at most and reaches them without a call") {
  const std::string headers = output_of({"readelf", "-l", "-W", agent_library().string()});
  for (const std::string& bytes :
       matches(headers, "TLS +0x[0-9a-f]+ +0x[0-9a-f]+ +0x[0-9a-f]+ +0x[0-9a-f]+ +(0x[0-9a-f]+)")) {
    CHECK(std::stoul(bytes, nullptr, 16) <= 64);
  }
  CHECK(matches(output_of({"nm", "-D", "-u", agent_library().string()}), "(__tls_get_addr)").empty());
}
