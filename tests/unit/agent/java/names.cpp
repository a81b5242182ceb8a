// What Java methods are called.
#include "agent/java/names.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace prof;

namespace {

std::string method(std::string_view signature, std::string_view name) {
  Text<128> text;
  java::write_method(text, signature, name);
  return std::string(text.view());
}

std::string source(std::string_view signature, std::string_view file) {
  Text<128> text;
  java::write_source(text, signature, file);
  return std::string(text.view());
}

}  // namespace

TEST_CASE("java: methods are called by their classes") {
  CHECK(method("LHot;", "main") == "Hot.main");
  CHECK(method("Ljava/util/HashMap$Node;", "<init>") == "java.util.HashMap$Node.<init>");
  CHECK(method("LHot$1;", "run") == "Hot$1.run");
  CHECK(method("", "x") == ".x");
}

// Catches names of which there is another one in each run.
TEST_CASE("java: the numbers of classes that the VM made are left out") {
  CHECK(method("LHot$$Lambda$14.0x0000000800c03000;", "run") == "Hot$$Lambda$14.run");
  CHECK(method("Ljava/lang/invoke/LambdaForm$MH.0x00007fb2f8001000;", "invoke") ==
        "java.lang.invoke.LambdaForm$MH.invoke");
  CHECK(method("LHot$$Lambda$14/1711574013;", "run") == "Hot$$Lambda$14.run");
}

TEST_CASE("java: source files stand in the folder of their package") {
  CHECK(source("LHot;", "Hot.java") == "Hot.java");
  CHECK(source("Ljava/util/HashMap$Node;", "HashMap.java") == "java/util/HashMap.java");
  CHECK(source("Ljava/util/HashMap;", "").empty());
}

TEST_CASE("java: names that are too long are cut") {
  const std::string longest = "L" + std::string(500, 'a') + ";";
  CHECK(method(longest, "x") == std::string(127, 'a'));
}
