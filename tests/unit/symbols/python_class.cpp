// The class of a method by its source, for interpreters that do not tell.
#include "report/symbols/python_class.hpp"

#include <fstream>
#include <sstream>

#include "report/model/load.hpp"
#include "report/symbols/symbols.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using symbols::enclosing_class;

namespace {

// Line 1 is the first behind the R"(.
constexpr const char* kClassSource = R"(class Outer(Base):
    """Says
no indent:
class of nothing
    """
    class Inner:
        @decorated(
    "a"
)
        def forward(self):
            def forward(x):
                pass
            return forward

    # a remark
    if True:
        @property
        def forward(self):
            pass

	def tabbed(self): pass
def forward(): pass
class Last (Base): 
    def forward(self): pass
class Generic[T]:
    def forward(self): pass
)";

std::vector<std::string> lines() {
  std::vector<std::string> out;
  std::istringstream text(kClassSource);
  for (std::string line; std::getline(text, line);) out.push_back(line);
  return out;
}

}  // namespace

TEST_CASE("the class of a method is the one around its def", "[symbols]") {
  const auto all = lines();
  CHECK(enclosing_class(all, 7) == "Inner");  // by its decorator
  CHECK(enclosing_class(all, 10) == "Inner");
  CHECK(enclosing_class(all, 11).empty());  // a function's
  CHECK(enclosing_class(all, 17) == "Outer");
  CHECK(enclosing_class(all, 21) == "Outer");
  CHECK(enclosing_class(all, 22).empty());
  CHECK(enclosing_class(all, 24) == "Last");
  CHECK(enclosing_class(all, 26) == "Generic");
  CHECK(enclosing_class(all, 0).empty());
  CHECK(enclosing_class(all, 1000).empty());
  CHECK(enclosing_class(all, 15).empty());  // a remark is no def
}

// Catches names from a file that is not the one that ran.
TEST_CASE("a forward() of Python 3.8 to 3.10 has its class, while its file is the one that ran", "[symbols]") {
  test::TempDir temp;
  std::ofstream(temp / "net.py") << kClassSource;
  const auto name_in = [&](std::uint64_t started, const std::string& qualname, const char* function = "forward") {
    test::TempDir logs;
    test::LogBuilder log;
    log.thread(0);
    log.header.start_realtime_ns = started;
    log.info(log::InfoKey::Cwd, temp.path().string());
    const auto code = log.code(function, qualname, "net.py", 10, "", log::CodeKind::Code, 8);
    log.cpu(log.node(0, log.python_line(code, 13)), 1, 1000);
    log.write(logs / "100.1.proflog");
    const model::Run run = model::load(logs.path());
    const auto symbols = symbols::symbolize(run);
    for (std::uint32_t i = 0; i < symbols.function_count(); ++i) {
      if (symbols.function(i).file == "net.py") return symbols.function(i).name;
    }
    return std::string();
  };
  constexpr std::uint64_t kLater = 4'000'000'000'000'000'000;
  CHECK(name_in(kLater, "") == "Inner.forward");
  CHECK(name_in(1'000'000'000, "") == "forward");
  CHECK(name_in(kLater, "Told.forward") == "Told.forward");
  CHECK(name_in(kLater, "", "backward") == "backward");
}
