#include "report/symbols/name_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

namespace prof::symbols {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are taken as they stand");

constexpr std::uint64_t kNumber = sizeof(std::uint32_t), kAddress = sizeof(std::uint64_t);
constexpr std::uint64_t kRow = 3 * kNumber, kFrame = 6 * kNumber;
constexpr std::uint64_t kSumAt = NameFile::kMagic.size();
constexpr std::uint64_t kCountsAt = kSumAt + sizeof(std::uint64_t);
constexpr std::uint64_t kAddressesAt = kCountsAt + 5 * kNumber;

template <typename T>
T load(const std::string& bytes, std::uint64_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::uint32_t narrow(std::uint64_t value) {
  if (value > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("too many names for one file");
  return static_cast<std::uint32_t>(value);
}

// Texts once each: a file of a module's debug information is that of a thousand addresses.
class Texts {
 public:
  std::uint32_t operator()(const std::string& text) {
    const auto [found, is_new] = numbers_.try_emplace(text, narrow(numbers_.size()));
    if (is_new) {
      bytes += text;
      append(ends, narrow(bytes.size()));
    }
    return found->second;
  }
  std::uint32_t count() const { return narrow(numbers_.size()); }
  std::string bytes, ends;

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace

std::uint64_t NameFile::sum_of(std::string_view bytes) {
  // As FNV-1a, by eight bytes at a time.
  std::uint64_t sum = 0xcbf29ce484222325 ^ bytes.size();
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t taken = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), taken);
    sum = std::rotl((sum ^ word) * 0x100000001b3, 29);
    bytes.remove_prefix(taken);
  }
  return sum;
}

NameFile::NameFile(std::string bytes, std::string_view key) {
  if (bytes.size() < kAddressesAt || !bytes.starts_with(kMagic)) return;
  if (load<std::uint64_t>(bytes, kSumAt) != sum_of(std::string_view(bytes).substr(kCountsAt))) return;
  const auto count = [&](int i) {
    return load<std::uint32_t>(bytes, kCountsAt + static_cast<std::uint64_t>(i) * kNumber);
  };
  // Sums of products of 32 bits: none is too large for 64.
  const std::uint64_t rows_at = kAddressesAt + count(1) * kAddress;
  const std::uint64_t frames_at = rows_at + count(1) * kRow;
  const std::uint64_t ends_at = frames_at + count(2) * kFrame;
  const std::uint64_t texts_at = ends_at + count(3) * kNumber;
  const std::uint64_t key_at = texts_at + count(4);
  if (key_at + count(0) != bytes.size() || std::string_view(bytes).substr(key_at) != key) return;
  addresses_ = count(1);
  frames_ = count(2);
  texts_ = count(3);
  text_bytes_ = count(4);
  rows_at_ = rows_at;
  frames_at_ = frames_at;
  ends_at_ = ends_at;
  texts_at_ = texts_at;
  bytes_ = std::move(bytes);
}

std::uint32_t NameFile::number(std::uint64_t at) const { return load<std::uint32_t>(bytes_, at); }

std::uint64_t NameFile::address_at(std::uint32_t index) const {
  return load<std::uint64_t>(bytes_, kAddressesAt + index * kAddress);
}

std::optional<std::string> NameFile::text(std::uint32_t index) const {
  if (index >= texts_) return std::nullopt;
  const std::uint32_t begin = index == 0 ? 0 : number(ends_at_ + (index - 1) * kNumber);
  const std::uint32_t end = number(ends_at_ + index * kNumber);
  if (begin > end || end > text_bytes_) return std::nullopt;
  return bytes_.substr(texts_at_ + begin, end - begin);
}

std::optional<AddressNames> NameFile::names_at(std::uint32_t index) const {
  const std::uint64_t row = rows_at_ + index * kRow;
  const std::uint32_t first = number(row), source = number(row + kNumber);
  const std::uint32_t end = index + 1 == addresses_ ? frames_ : number(row + kRow);
  if (first >= end || end > frames_ || source > static_cast<std::uint32_t>(SymbolSource::None)) return std::nullopt;
  AddressNames names;
  names.source = static_cast<SymbolSource>(source);
  names.unresolved = number(row + 2 * kNumber);
  names.frames.reserve(end - first);
  for (std::uint32_t i = first; i < end; ++i) {
    const std::uint64_t at = frames_at_ + i * kFrame;
    auto name = text(number(at)), file = text(number(at + kNumber)), at_file = text(number(at + 3 * kNumber));
    if (!name || !file || !at_file) return std::nullopt;
    names.frames.push_back({std::move(*name), std::move(*file), number(at + 2 * kNumber), std::move(*at_file),
                            number(at + 4 * kNumber), number(at + 5 * kNumber) != 0});
  }
  return names;
}

std::optional<AddressNames> NameFile::find(std::uint64_t address) const {
  std::uint32_t low = 0, high = addresses_;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (address_at(middle) < address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == addresses_ || address_at(low) != address) return std::nullopt;
  return names_at(low);
}

KnownNames NameFile::all() const {
  KnownNames names;
  for (std::uint32_t i = 0; i < addresses_; ++i) {
    if (auto found = names_at(i)) names.try_emplace(address_at(i), std::move(*found));
  }
  return names;
}

std::string NameFile::encode(const KnownNames& names, std::string_view key) {
  std::vector<std::uint64_t> addresses;
  for (const auto& row : names) {
    if (!row.second.frames.empty()) addresses.push_back(row.first);
  }
  std::sort(addresses.begin(), addresses.end());
  Texts texts;
  std::string rows, frames;
  for (const std::uint64_t address : addresses) {
    const AddressNames& known = names.at(address);
    for (const std::uint32_t value :
         {narrow(frames.size() / kFrame), static_cast<std::uint32_t>(known.source), known.unresolved})
      append(rows, value);
    for (const SourceFrame& frame : known.frames) {
      for (const std::uint32_t value : {texts(frame.name), texts(frame.file), frame.line, texts(frame.at_file),
                                        frame.at_line, std::uint32_t{frame.unoptimised}})
        append(frames, value);
    }
  }
  std::string behind;
  for (const std::uint64_t count :
       {key.size(), addresses.size(), frames.size() / kFrame, std::uint64_t{texts.count()}, texts.bytes.size()})
    append(behind, narrow(count));
  for (const std::uint64_t address : addresses) append(behind, address);
  behind.append(rows).append(frames).append(texts.ends).append(texts.bytes).append(key);
  std::string all(kMagic);
  append(all, sum_of(behind));
  return all + behind;
}

}  // namespace prof::symbols
