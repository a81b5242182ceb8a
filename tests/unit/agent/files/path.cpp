// Paths made absolute as text.
#include <string>

#include "agent/files/mounts.hpp"
#include "agent/files/path.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

std::string path_of(std::string_view directory, bool real, std::string_view path, std::size_t room = 4096) {
  char to[4096];
  return {to, files::put_path(to, room, directory, real, path)};
}

std::string mount_of(std::string_view line) {
  Text<200> text;
  return files::put_mount(text, line) ? std::string(text.view()) : "no mount";
}

}  // namespace

TEST_CASE("agent: a path is made absolute without what means nothing in it") {
  CHECK(path_of("", false, "/etc/passwd") == "/etc/passwd");
  CHECK(path_of("", false, "//etc///passwd/") == "/etc/passwd");
  CHECK(path_of("", false, "/./etc/./passwd/.") == "/etc/passwd");
  CHECK(path_of("", false, "/") == "/");
  CHECK(path_of("", false, "/..") == "/");
  CHECK(path_of("", false, "/../../etc") == "/etc");
  CHECK(path_of("/usr/lib", true, "x") == "/usr/lib/x");
  CHECK(path_of("/usr/lib", true, "./x//y") == "/usr/lib/x/y");
  CHECK(path_of("/", true, "x") == "/x");
  CHECK(path_of("/usr/lib", true, ".") == "/usr/lib");
  CHECK(path_of("/", true, ".") == "/");
  CHECK(path_of("/usr/lib", true, "/x") == "/x");
  CHECK(path_of("/usr/lib", true, "...") == "/usr/lib/...");
}

// Catches the folding of "link/..", which is another directory than the one the link lies in.
TEST_CASE("agent: dots are followed only where no symbolic link can be in the way") {
  CHECK(path_of("/usr/lib", true, "../x") == "/usr/x");
  CHECK(path_of("/usr/lib", true, "../../x") == "/x");
  CHECK(path_of("/usr/lib", true, "../../../x") == "/x");
  CHECK(path_of("/usr/lib", true, "..") == "/usr");
  CHECK(path_of("/usr/lib", true, "a/../x") == "/usr/lib/a/../x");
  CHECK(path_of("/usr/lib", true, "../a/../x") == "/usr/a/../x");
  CHECK(path_of("/usr/link", false, "../x") == "/usr/link/../x");
  CHECK(path_of("", false, "/a/../x") == "/a/../x");
}

TEST_CASE("agent: a path that has no room is none") {
  CHECK(path_of("", false, "/etc/passwd", 11) == "/etc/passwd");
  CHECK(path_of("", false, "/etc/passwd", 10).empty());
  CHECK(path_of("/etc", true, "passwd", 4).empty());
  CHECK(path_of("/etc", true, "passwd", 0).empty());
  CHECK(path_of("", false, "/", 0).empty());
}

TEST_CASE("agent: the directory of a path") {
  CHECK(files::directory_of("/usr/lib/x") == "/usr/lib");
  CHECK(files::directory_of("/x") == "/");
  CHECK(files::directory_of("/") == "/");
  CHECK(files::directory_of("x").empty());
  CHECK(files::directory_of("").empty());
}

TEST_CASE("agent: lines of mountinfo, with any number of optional fields") {
  CHECK(mount_of("36 35 98:0 / /mnt2 rw,noatime master:1 shared:7 - ext3 /dev/root rw") == "/mnt2 ext3 /dev/root\n");
  CHECK(mount_of("36 35 98:0 / / rw - tmpfs none rw") == "/ tmpfs none\n");
  CHECK(mount_of("36 35 0:5 / /a\\040b rw - 9p host\\040share rw") == "/a\\040b 9p host\\040share\n");
  CHECK(mount_of("36 35 98:0 / /mnt2 rw,noatime master:1") == "no mount");
  CHECK(mount_of("36 35 98:0 /") == "no mount");
  CHECK(mount_of("") == "no mount");
  std::string long_path = "36 35 98:0 / /";
  long_path.append(300, 'x').append(" rw - ext3 a rw");
  CHECK(mount_of(long_path) == "no mount");
}
