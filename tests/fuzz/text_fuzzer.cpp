// What prof makes of text that is not its own: source files of Python, names of functions, and what logs say of their
// records.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "report/read/schema.hpp"
#include "report/symbols/demangle.hpp"
#include "report/symbols/jit_dump.hpp"
#include "report/symbols/perf_map.hpp"
#include "report/symbols/pypy_log.hpp"
#include "report/symbols/python_class.hpp"
#include "report/symbols/source_files.hpp"
#include "tests/fuzz/corpus.hpp"
#include "tests/fuzz/expect.hpp"

namespace {

using namespace prof;
using fuzz::expect;

constexpr std::size_t kMostLines = 500;         // each is looked at with all that are above it
constexpr std::size_t kLongestName = 64 << 10;  // of a function
constexpr std::size_t kMostOfAName = std::size_t{4} << 20;

void read_source(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; lines.size() < kMostLines && std::getline(stream, line);) lines.push_back(line);
  const auto count = static_cast<std::uint32_t>(lines.size());
  for (std::uint32_t line = 0; line <= count + 1; ++line) {
    const std::string name = symbols::enclosing_class(lines, line);
    expect(name.size() <= text.size());
    for (const std::uint32_t known : {0U, line, UINT32_MAX}) {
      expect(symbols::last_line_of_function(lines, line, known) <= count);
    }
  }
}

void read_name(const std::string& text) {
  const std::string name = text.substr(0, kLongestName);
  for (const std::string& whole : {symbols::demangle(name), symbols::demangle("_Z" + name), name}) {
    expect(whole.size() <= kMostOfAName);
    expect(symbols::shorten(whole).size() <= whole.size());
    symbols::without_abi_tag(whole);
  }
}

void read_map(const std::string& text) {
  const std::vector<std::uint64_t> addresses{0, 0x1000, 0x1008, UINT64_MAX};
  expect(symbols::map_of_jit_dump(text).size() < std::size_t{65} << 20);
  const symbols::PerfMap compiled(symbols::map_of_pypy_log(text), addresses);
  for (const std::uint64_t address : addresses) {
    for (const symbols::MadeFunction& made : compiled.at(address)) expect(made.maker == symbols::kMadeByPypy);
  }
  const symbols::PerfMap map(text, addresses);
  for (const std::uint64_t address : addresses) {
    for (const symbols::MadeFunction& made : map.at(address))
      expect(made.name.size() + made.file.size() <= text.size() + sizeof "(anonymous)");
  }
}

void read_schema(const std::string& text) {
  read::Schema schema;
  const bool good = schema.read(text);
  const std::vector<std::byte> record(64, std::byte{1});
  for (const log::RecordFields& known : log::kRecordFields) {
    const read::Layout* layout = schema.layout(known.id);
    expect(good || layout == nullptr);
    if (layout == nullptr) continue;
    expect(!layout->is_own());
    for (const std::size_t bytes : {std::size_t{0}, record.size()}) {
      layout->words<log::SpreadWords>(read::Bytes(record).first(bytes));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_source(text);
  read_name(text);
  read_schema(text);
  read_map(text);
  return 0;
}

std::vector<prof::fuzz::Input> prof::fuzz::seeds() {
  std::vector<Input> inputs;
  for (const std::string_view text :
       {"class Net(Module):\n\n    @property\n    def size(self):\n\treturn (1,\n)\n",
        "async def f(\n  a\n):\n  pass\n#\n", "_ZN2ns5StackIiE4pushERKi", "_ZN3foo3barEvENKUlT_E_clIiEEDaS1_",
        "_ZSt4moveIRSsEONSt16remove_referenceIT_E4typeEOS2_", "_Z1f1AIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_E",
        "_ZN4core3ops8call_one17h0123456789abcdefE", "void (*ns::f<int>(int))(char) [clone .cold]",
        "a::operator()(int)::{lambda(int)#1}::operator()(int) const", "_json.cpython-311-x86_64-linux-gnu.so+0x10",
        "class 5 lines: ns nanoseconds sum; new a:8,b:56; hits count sum\nclass 7 heap_sizes: 3 count sum\n",
        "class 2 heap: bytes bytes sum; 20 count sum; count 1/65536 sum\nclass 3 map: as class 2\n",
        "1000 20 JS:*f /srv/a.js:2:1\n0x0000000000000ff0 0x40 long Work.sum(int)\n1008 8 JS:~ /srv/a.js:1:1\n"}) {
    inputs.emplace_back(text.begin(), text.end());
  }
  return inputs;
}

prof::fuzz::Input prof::fuzz::of_file(Input bytes) { return bytes; }
