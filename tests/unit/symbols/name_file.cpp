#include "report/symbols/name_file.hpp"

#include <algorithm>
#include <cstring>

#include "tests/support/catch.hpp"

using namespace prof::symbols;

namespace {

// A file of one address with one frame, and two texts, "a" and "bc".
struct Parts {
  std::uint32_t key_bytes = 3, addresses = 1, frames = 1, texts = 2, text_bytes = 3;
  std::uint64_t address = 0x40;
  std::uint32_t first = 0, source = 0, unresolved = 0;
  std::uint32_t name = 0, file = 1, line = 7, at_file = 1, at_line = 9, unoptimised = 0;
  std::uint32_t ends[2] = {1, 3};
  std::string tail = "abckey";

  std::string bytes() const {
    std::string behind;
    const auto add = [&](const auto& value) { behind.append(reinterpret_cast<const char*>(&value), sizeof value); };
    for (const std::uint32_t count : {key_bytes, addresses, frames, texts, text_bytes}) add(count);
    add(address);
    for (const std::uint32_t value : {first, source, unresolved, name, file, line, at_file, at_line, unoptimised})
      add(value);
    add(ends);
    behind += tail;
    std::string all(NameFile::kMagic);
    const std::uint64_t sum = NameFile::sum_of(behind);
    all.append(reinterpret_cast<const char*>(&sum), sizeof sum);
    return all + behind;
  }
};

const NameFile file_of(const Parts& parts) { return {parts.bytes(), "key"}; }

template <typename Change>
bool finds(Change change) {
  Parts parts;
  change(parts);
  const NameFile file = file_of(parts);
  return file.find(0x40).has_value() || !file.all().empty();
}

}  // namespace

TEST_CASE("name file: the layout is what its header says") {
  const auto names = file_of({}).find(0x40);
  REQUIRE(names);
  CHECK(names->source == SymbolSource::Dwarf);
  REQUIRE(names->frames.size() == 1);
  const SourceFrame& frame = names->frames[0];
  CHECK((frame.name == "a" && frame.file == "bc" && frame.at_file == "bc"));
  CHECK((frame.line == 7 && frame.at_line == 9 && !frame.unoptimised));
  CHECK(NameFile::encode(file_of({}).all(), "key") == Parts().bytes());
  CHECK_FALSE(file_of({}).find(0x41));
  CHECK_FALSE(file_of({}).find(0x3f));
}

TEST_CASE("name file: of many addresses each is found with its own names, and no other") {
  KnownNames names;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    AddressNames& known = names[i * i * 3 + 1];
    known.unresolved = static_cast<std::uint32_t>(i % 2);
    for (std::uint64_t k = 0; k <= i % 3; ++k)
      known.frames.push_back({"f" + std::to_string(i + k), i % 5 == 0 ? "" : "file", 1, "x.cpp", 2, k == 1});
  }
  const NameFile file(NameFile::encode(names, ""), "");
  CHECK(file.all().size() == 1000);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto found = file.find(i * i * 3 + 1);
    if (!found || found->frames.size() != i % 3 + 1 || found->frames.back().name != "f" + std::to_string(i + i % 3))
      FAIL("address " << i);
    if (file.find(i * i * 3 + 2)) FAIL("beside address " << i);
  }
}

// Catches a sum that is believed, and numbers that lead out of their part.
TEST_CASE("name file: what somebody made up leads nowhere") {
  REQUIRE(finds([](Parts&) {}));
  CHECK_FALSE(finds([](Parts& p) { p.addresses = 0xffffffff; }));
  CHECK_FALSE(finds([](Parts& p) { p.frames = 0xffffffff; }));
  CHECK_FALSE(finds([](Parts& p) { p.frames = 0; }));
  CHECK_FALSE(finds([](Parts& p) { p.texts = 0xffffffff; }));
  CHECK_FALSE(finds([](Parts& p) { p.text_bytes = 4; }));
  CHECK_FALSE(finds([](Parts& p) { p.key_bytes = 2; }));
  CHECK_FALSE(finds([](Parts& p) { p.tail = "abcyek"; }));
  CHECK_FALSE(finds([](Parts& p) { p.first = 1; }));
  CHECK_FALSE(finds([](Parts& p) { p.source = 100; }));
  CHECK_FALSE(finds([](Parts& p) { p.name = 2; }));
  CHECK_FALSE(finds([](Parts& p) { p.file = 0xffffffff; }));
  CHECK_FALSE(finds([](Parts& p) { p.ends[1] = 4; }));
  CHECK_FALSE(finds([](Parts& p) { p.ends[0] = 0xffffffff; }));
  CHECK_FALSE(finds([](Parts& p) { std::swap(p.ends[0], p.ends[1]); }));
}

TEST_CASE("name file: what has no frames is no row") {
  KnownNames names;
  names[5];
  names[6].frames.emplace_back();
  const NameFile file(NameFile::encode(names, "key"), "key");
  CHECK(file.all().size() == 1);
  CHECK(file.find(6)->frames[0].name.empty());
}
