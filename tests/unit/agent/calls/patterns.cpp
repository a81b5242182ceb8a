#include "agent/calls/patterns.hpp"
#include "tests/support/catch.hpp"

using prof::python::calls::is_own_file;
using prof::python::calls::matches;

TEST_CASE("patterns of files match the end of a path") {
  CHECK(matches("train.py", "/home/u/train.py", "f"));
  CHECK(matches("train.py", "train.py", "f"));
  CHECK_FALSE(matches("train.py", "/home/u/pretrain.py", "f"));
  CHECK(matches("pkg/*.py", "/x/pkg/mod.py", "f"));
  CHECK_FALSE(matches("pkg/*.py", "/x/other/mod.py", "f"));
  CHECK(matches("/x/*", "/x/pkg/mod.py", "f"));
}

TEST_CASE("patterns of names match functions, classes and modules") {
  CHECK(matches("load", "/x/pkg/reader.py", "Reader.load"));
  CHECK(matches("Reader.load", "/x/pkg/reader.py", "Reader.load"));
  CHECK(matches("reader.*", "/x/pkg/reader.py", "Reader.load"));
  CHECK(matches("pkg.reader", "/x/pkg/reader.py", "Reader.load"));
  CHECK(matches("pkg.*", "/x/pkg/__init__.py", "f"));
  CHECK(matches("Reader.*", "/x/pkg/reader.py", "Reader.load"));
  CHECK(matches("l??d", "/x/pkg/reader.py", "Reader.load"));
  CHECK(matches("inner", "a.py", "outer.<locals>.inner"));
  CHECK_FALSE(matches("oad", "/x/pkg/reader.py", "Reader.load"));
  CHECK_FALSE(matches("loa", "/x/pkg/reader.py", "Reader.load"));
  CHECK_FALSE(matches("reade.*", "/x/pkg/reader.py", "Reader.load"));
}

TEST_CASE("one of several patterns is enough, and empty ones match nothing") {
  CHECK(matches("a,load,b", "/x/reader.py", "load"));
  CHECK(matches(",load", "/x/reader.py", "load"));
  CHECK_FALSE(matches(",", "/x/reader.py", "load"));
  CHECK_FALSE(matches("a,b", "/x/reader.py", "load"));
  CHECK(matches("*", "<string>", "<module>"));
}

TEST_CASE("patterns survive the longest names") {
  const std::string file(5000, 'd'), name(5000, 'n');
  CHECK(matches("*", file, name));
  CHECK_FALSE(matches("*x", file, name));
  CHECK(matches("end.py", file + "/end.py", name));
}

TEST_CASE("the program's own files are those below its directory, without what is installed") {
  CHECK(is_own_file("/home/me/a.py", "/home/me"));
  CHECK(is_own_file("/home/me/pkg/a.py", "/home/me"));
  CHECK(is_own_file("a.py", "/home/me"));
  CHECK(is_own_file("/a.py", "/"));
  CHECK_FALSE(is_own_file("/home/meshop/a.py", "/home/me"));
  CHECK_FALSE(is_own_file("/home/me/venv/lib/python3.11/site-packages/m.py", "/home/me"));
  CHECK_FALSE(is_own_file("/usr/lib/python3.11/json/decoder.py", "/"));
  CHECK_FALSE(is_own_file("<frozen importlib._bootstrap>", "/home/me"));
  CHECK_FALSE(is_own_file("", "/home/me"));
}
