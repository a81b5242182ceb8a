#include "report/show/numbers.hpp"

#include "tests/support/catch.hpp"

using namespace prof::show;

TEST_CASE("columns take the unit of their largest figure") {
  CHECK(std::string(time_unit(2.5e9).name) == "s");
  CHECK(std::string(time_unit(2.5e6).name) == "ms");
  CHECK(std::string(time_unit(999).name) == "us");
  CHECK(std::string(byte_unit(100).name) == "B");
  CHECK(std::string(byte_unit(5 << 20).name) == "MiB");
  CHECK(std::string(byte_unit(20.0 * (1 << 30)).name) == "GiB");
}

TEST_CASE("what is not zero never reads as zero") {
  const Unit seconds = time_unit(1e9);
  CHECK(in_unit(0, seconds) == "0.000");
  CHECK(in_unit(1, seconds) == "<0.001");
  CHECK(in_unit(-1, seconds) == ">-0.001");
  CHECK(in_unit(1'500'000'000, seconds) == "1.500");
  CHECK(percent(1, 1e9) == "<0.1");
  CHECK(percent(0, 1e9) == "0.0");
}

TEST_CASE("a share of nothing is not known") {
  CHECK(percent(0, 0) == "-");
  CHECK(percent(5, 0) == "-");
  CHECK(percent(1, 8) == "12.5");
}

TEST_CASE("durations and sizes in sentences") {
  CHECK(duration(0) == "0.00 us");
  CHECK(duration(1'234) == "1.23 us");
  CHECK(duration(45'600'000) == "45.6 ms");
  CHECK(duration(1.5e9) == "1.50 s");
  CHECK(duration(125e9) == "2 min 5 s");
  CHECK(duration(3 * 3600e9) == "3 h 0 min");
  CHECK(duration(50 * 3600e9) == "2 d 2 h");
  CHECK(bytes(0) == "0 B");
  CHECK(bytes(1023) == "1023 B");
  CHECK(bytes(1536) == "1.50 KiB");
  CHECK(bytes(1.5 * (1 << 30)) == "1.50 GiB");
}

TEST_CASE("counts are grouped") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(-1234567) == "-1,234,567");
  CHECK(counted(1, "log", "logs") == "1 log");
  CHECK(counted(2000, "log", "logs") == "2,000 logs");
}
