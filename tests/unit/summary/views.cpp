#include <set>
#include <string>

#include "report/summary/views.hpp"
#include "tests/support/catch.hpp"

using namespace prof::show;

TEST_CASE("each view has a name of its own, words, and a place in the list", "[show]") {
  std::set<std::string_view> names;
  const std::string list = list_of_views();
  REQUIRE(views().size() > 30);
  CHECK(views().front()->name == "summary");
  for (const View* view : views()) {
    INFO(view->name);
    CHECK(names.insert(view->name).second);
    CHECK(view->sheets != nullptr);
    CHECK(view->help.size() > 10);
    CHECK(view_named(view->name) == view);
    const std::size_t at = list.find("  " + std::string(view->name) + " ");
    CHECK(at != std::string::npos);
    CHECK(list.find(std::string(view->help)) != std::string::npos);
  }
  CHECK(view_named("nothing of the kind") == nullptr);
}
