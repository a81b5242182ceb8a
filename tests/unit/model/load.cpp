#include <fstream>

#include "report/model/load.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/support/logs_of_processes.hpp"

using namespace prof;
using test::log_of;
using test::LogBuilder;
using test::TempDir;

namespace {

std::string complaint_about(const std::filesystem::path& where) {
  try {
    model::load(where);
  } catch (const model::LoadError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a log that describes its records badly is read, with a warning", "[model]") {
  const TempDir dir;
  LogBuilder log = log_of(1, 11, 0);
  test::ByteVector schema;
  test::append_text(schema, "class 1 cpu: samples\n");
  log.chunk(log::ChunkType::Schema, schema);
  log.cpu(log.node(0, log.native(log.module("/bin/program"), 0x1000)), 3, 30);
  log.write(dir.path() / "1.1.proflog");
  const model::Run run = model::load(dir.path());
  REQUIRE(run.warnings.size() == 1);
  CHECK(
      run.warnings[0].ends_with("1.1.proflog is damaged: it has a description of its records that makes no sense. "
                                "What could be read is in the report"));
  CHECK(test::sampled_cpu_ns(run.processes.at(0)) == 30);
}

TEST_CASE("bad logs become warnings and empty ones are counted", "[model]") {
  TempDir dir;
  log_of(10, 0xa, 0).write(dir / "a.proflog");
  std::ofstream(dir / "b.proflog") << "no log at all";
  std::ofstream(dir / "c.proflog").flush();
  std::filesystem::create_directory(dir / "d.proflog");
  LogBuilder future = log_of(11, 0xb, 0);
  future.header.major = 2;
  future.write(dir / "e.proflog");
  test::ByteVector cut = log_of(12, 0xc, 0).bytes();
  cut.resize(2000);
  LogBuilder::write(dir / "f.proflog", cut);
  const model::Run run = model::load(dir.path());
  CHECK(run.processes.size() == 1);
  CHECK(run.empty_logs == 1);
  CHECK(run.warnings.size() == 4);
  CHECK(run.unreadable_logs == 4);
}

TEST_CASE("a run without any usable log is an error that says why", "[model]") {
  TempDir dir;
  CHECK_THROWS_AS(model::load(dir.path()), model::LoadError);
  CHECK_THROWS_AS(model::load(dir / "missing"), model::LoadError);
  std::ofstream(dir / "c.proflog").flush();
  CHECK(complaint_about(dir.path()).find("every log is empty") != std::string::npos);
  std::ofstream(dir / "d.proflog") << "text";
  CHECK(complaint_about(dir.path()).find("d.proflog is not a log") != std::string::npos);
}
