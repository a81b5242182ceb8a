#include "report/page/source.hpp"

#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
namespace fs = std::filesystem;

namespace {

fs::path made(const fs::path& file) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "text\n";
  return file;
}

}  // namespace

// Catches: a page that takes what a crafted log names: keys, files elsewhere, by links too.
TEST_CASE("page: source is taken from below the user's folders alone") {
  const test::TempDir temp;
  const fs::path project = temp / "project", other = temp / "other";
  const std::vector<fs::path> roots{project};
  CHECK(page::may_show(made(project / "train.py"), roots));
  CHECK(page::may_show(made(project / "src" / "a.cpp"), roots));
  CHECK(page::may_show(project / "src" / ".." / "train.py", roots));
  CHECK_FALSE(page::may_show(made(other / "train.py"), roots));
  CHECK_FALSE(page::may_show(project / ".." / "other" / "train.py", roots));
  CHECK_FALSE(page::may_show(made(temp / "project2" / "train.py"), roots));
  CHECK_FALSE(page::may_show(made(project / "id_rsa"), roots));
  CHECK_FALSE(page::may_show(made(project / "secrets.txt"), roots));
  CHECK_FALSE(page::may_show(made(project / ".ssh" / "config.py"), roots));
  CHECK_FALSE(page::may_show(made(project / "src" / ".hidden.py"), roots));
  CHECK_FALSE(page::may_show(project / "missing.py", roots));
  fs::create_symlink(other / "train.py", project / "link.py");
  CHECK_FALSE(page::may_show(project / "link.py", roots));
  fs::create_directory_symlink(other, project / "linked");
  CHECK_FALSE(page::may_show(project / "linked" / "train.py", roots));
  fs::create_symlink(made(project / "src" / "key"), project / "named.py");
  CHECK_FALSE(page::may_show(project / "named.py", roots));
  // A log that says that the program was started in / means the whole file system.
  CHECK_FALSE(page::may_show(other / "train.py", {"/"}));
  CHECK_FALSE(page::may_show(other / "train.py", {}));
  CHECK(page::may_show(other / "train.py", {"/", other}));
}
