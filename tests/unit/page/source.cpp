#include "report/page/source.hpp"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/support/show_run.hpp"

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

// Catches: a forged log that says that its program was started in somebody's home.
TEST_CASE("page: where a log says that its program was started opens no home, and nothing of the system's") {
  const test::TempDir temp;
  const fs::path file = made(temp / "proj" / "keys.py");
  test::SmallRun small;
  const auto allowed = [&](const fs::path& cwd, const page::SourceOptions& options, const fs::path& what) {
    for (model::Process& process : small.run.processes) process.cwd = cwd.string();
    return page::source_allowed(small.run, options)(what);
  };
  CHECK(allowed(temp / "proj", {}, file));
  CHECK(allowed("/nowhere", {.which = page::SourceChoice::All, .roots = {temp.path()}}, file));
  CHECK_FALSE(allowed(temp / "proj", {.which = page::SourceChoice::None, .roots = {temp.path()}}, file));
  CHECK_FALSE(allowed("/nowhere", {}, file));
  CHECK_FALSE(allowed("/", {}, file));
  CHECK_FALSE(allowed(temp.path().parent_path(), {}, file));  // directly below the root
  const std::string home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "/";
  setenv("HOME", fs::canonical(temp.path()).c_str(), 1);
  const bool in_home = allowed(temp.path(), {}, file), below_home = allowed(temp / "proj", {}, file);
  setenv("HOME", home.c_str(), 1);
  CHECK_FALSE(in_home);
  CHECK(below_home);
}
