#include "report/symbols/jit_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "report/symbols/perf_map.hpp"

namespace prof::symbols {
namespace {

constexpr std::uint32_t kJitMagic = 0x4a695444;
constexpr std::size_t kJitHeader = 40, kJitPrefix = 16;
enum JitRecord : std::uint32_t { kJitLoad = 0, kJitMove = 1, kJitLines = 2 };

constexpr std::size_t kLongestJitMap = std::size_t{64} << 20;

// What stands at the front, which is taken away.
class JitReader {
 public:
  explicit JitReader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  std::optional<T> number() {
    if (rest_.size() < sizeof(T)) return {};
    T value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::optional<std::string_view> text() {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) return {};
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return found;
  }
  bool skip(std::size_t bytes) {
    if (rest_.size() < bytes) return false;
    rest_.remove_prefix(bytes);
    return true;
  }

 private:
  std::string_view rest_;
};

// A line of a map is one line.
std::string on_one_line(std::string_view name) {
  std::string out(name.substr(0, kLongestMadeName));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return out;
}

class JitListing {
 public:
  void read(std::uint32_t id, std::string_view record) {
    if (id == kJitLoad) load(JitReader(record));
    if (id == kJitMove) move(JitReader(record));
    if (id == kJitLines) lines(JitReader(record));
  }
  std::string take() { return std::move(out_); }

 private:
  static constexpr std::size_t kProcessAndThread = 8;

  void load(JitReader reader) {
    if (!reader.skip(kProcessAndThread + sizeof(std::uint64_t))) return;
    const auto address = reader.number<std::uint64_t>(), size = reader.number<std::uint64_t>(),
               index = reader.number<std::uint64_t>();
    const auto name = reader.text();
    if (!name || name->empty()) return;
    std::string whole = on_one_line(*name);
    if (const auto line = lines_.find(*address); line != lines_.end()) {
      // V8's names end with the place already, and what it says of lines may be of a file whose name it did not end.
      if (made_function(whole).line == 0) whole = fmt::format("Function:{} {}:1", whole, line->second);
      lines_.erase(line);
    }
    add(*address, *size, whole);
    names_[*index] = std::move(whole);
  }

  void move(JitReader reader) {
    if (!reader.skip(kProcessAndThread + 2 * sizeof(std::uint64_t))) return;
    const auto address = reader.number<std::uint64_t>(), size = reader.number<std::uint64_t>(),
               index = reader.number<std::uint64_t>();
    if (!index) return;
    if (const auto name = names_.find(*index); name != names_.end()) add(*address, *size, name->second);
  }

  // Of the code that is loaded next at that address: the place of the first entry.
  void lines(JitReader reader) {
    const auto address = reader.number<std::uint64_t>(), entries = reader.number<std::uint64_t>();
    if (!entries || *entries == 0 || !reader.skip(sizeof(std::uint64_t))) return;
    const auto line = reader.number<std::uint32_t>();
    if (!reader.skip(sizeof(std::uint32_t))) return;
    const auto file = reader.text();
    if (file && !file->empty() && *line != 0) lines_[*address] = fmt::format("{}:{}", on_one_line(*file), *line);
  }

  void add(std::uint64_t address, std::uint64_t size, std::string_view name) {
    if (out_.size() > kLongestJitMap) return;  // what moves often repeats its name
    fmt::format_to(std::back_inserter(out_), "{:x} {:x} {}\n", address, size, name);
  }

  std::string out_;
  std::map<std::uint64_t, std::string> names_;  // by number
  std::map<std::uint64_t, std::string> lines_;  // by address
};

}  // namespace

bool is_jit_dump(std::string_view bytes) {
  const auto magic = JitReader(bytes).number<std::uint32_t>();
  return magic && *magic == kJitMagic;
}

std::string map_of_jit_dump(std::string_view bytes) {
  JitReader header(bytes);
  if (!is_jit_dump(bytes) || !header.skip(2 * sizeof(std::uint32_t))) return {};
  const auto own = header.number<std::uint32_t>();
  if (!own || *own < kJitHeader || *own > bytes.size()) return {};
  bytes.remove_prefix(*own);
  JitListing listing;
  for (;;) {
    JitReader prefix(bytes);
    const auto id = prefix.number<std::uint32_t>(), size = prefix.number<std::uint32_t>();
    if (!size || *size < kJitPrefix || *size > bytes.size()) break;
    listing.read(*id, bytes.substr(kJitPrefix, *size - kJitPrefix));
    bytes.remove_prefix(*size);
  }
  return listing.take();
}

}  // namespace prof::symbols
