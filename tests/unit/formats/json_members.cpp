#include "report/formats/json_members.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using prof::formats::Json;

TEST_CASE("members of a JSON object keep their order, and none is there twice") {
  Json object;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("name " + std::to_string(40 - i));
  for (const std::string& name : names) object[name] = name;
  object[names[3]] = "new";
  CHECK(object.size() == 40);
  std::vector<std::string> found;
  for (const auto& [name, value] : object.items()) found.push_back(name);
  CHECK(found == names);
  CHECK(object.at(names[3]) == "new");
  CHECK(Json{{"b", 1}, {"a", 2}}.dump() == R"({"b":1,"a":2})");
}

// Catches objects that copy what they hold when they grow.
TEST_CASE("a JSON object that grows leaves what it holds where it is") {
  Json object;
  object["rows"] = Json::array({1, 2, 3});
  const Json* const first = &object["rows"][0];
  for (int i = 0; i < 100; ++i) object[std::to_string(i)] = i;
  CHECK(&object["rows"][0] == first);
}
