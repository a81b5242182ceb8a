#include "agent/unwind/eh_frame.hpp"

namespace prof::eh {
namespace {

constexpr std::uint8_t kPcRelative = 0x10;
constexpr std::uint8_t kTableEncoding = 0x3b;  // data-relative, signed 4 bytes: the only one that linkers emit

struct TableEntry {
  std::int32_t begin, description;  // relative to the start of .eh_frame_hdr
};

bool parse_common(const std::uint8_t* at, const std::uint8_t* limit, Description& d, std::uint8_t& encoding,
                  bool& has_data) {
  Reader head(at, limit);
  const auto length = head.fixed<std::uint32_t>();
  if (length == 0 || length == 0xffffffff || length > static_cast<std::uint64_t>(limit - head.position())) return false;
  Reader r(head.position(), head.position() + length);
  d.common_program_end = head.position() + length;
  if (r.fixed<std::uint32_t>() != 0) return false;  // a common entry's id
  const std::uint8_t version = r.byte();
  if (version != 1 && version != 3) return false;
  const auto* augmentation = reinterpret_cast<const char*>(r.position());
  while (!r.done() && r.byte() != 0) {
  }
  d.code_align = r.uleb();
  d.data_align = r.sleb();
  const std::uint64_t return_column = version == 1 ? r.byte() : r.uleb();
  if (return_column != 16) return false;
  encoding = 0;
  d.signal = false;
  has_data = augmentation[0] == 'z';
  if (!has_data) {
    d.common_program = r.position();
    return augmentation[0] == '\0';
  }
  const std::uint64_t data_bytes = r.uleb();
  d.common_program = r.position() + data_bytes;
  if (data_bytes > static_cast<std::uint64_t>(d.common_program_end - r.position())) return false;
  for (const char* a = augmentation + 1; *a != '\0'; ++a) {
    switch (*a) {
      case 'R':
        encoding = r.byte();
        break;
      case 'S':
        d.signal = true;
        break;
      case 'P': {
        const std::uint8_t e = r.byte();
        std::uintptr_t ignored = 0;
        if (!r.pointer(e & 0x7f, ignored)) return false;
        break;
      }
      case 'L':
        r.byte();
        break;
      case 'B':
        break;
      default:
        return false;
    }
  }
  return true;
}

}  // namespace

bool Reader::pointer(std::uint8_t encoding, std::uintptr_t& value) {
  const auto here = reinterpret_cast<std::uintptr_t>(at_);
  switch (encoding & 0x0f) {
    case 0x00:
    case 0x04:
    case 0x0c:
      value = fixed<std::uint64_t>();
      break;
    case 0x03:
      value = fixed<std::uint32_t>();
      break;
    case 0x0b:
      value = static_cast<std::uintptr_t>(static_cast<std::int64_t>(fixed<std::int32_t>()));
      break;
    default:
      return false;
  }
  if ((encoding & 0x70) == kPcRelative)
    value += here;
  else if ((encoding & 0x70) != 0)
    return false;
  return true;
}

Search find_description(const Object& object, std::uintptr_t address, Description& d) {
  const std::uint8_t* hdr = object.eh_frame_hdr;
  if (hdr == nullptr) return Search::NoDescription;
  const auto* limit = reinterpret_cast<const std::uint8_t*>(object.end);
  Reader r(hdr, limit);
  const std::uint8_t version = r.byte(), pointer_encoding = r.byte(), count_encoding = r.byte(),
                     table_encoding = r.byte();
  std::uintptr_t ignored = 0, count = 0;
  if (version != 1 || table_encoding != kTableEncoding || !r.pointer(pointer_encoding, ignored) ||
      !r.pointer(count_encoding, count)) {
    return Search::NotUnderstood;
  }
  const auto* table = reinterpret_cast<const TableEntry*>(r.position());
  if (count > static_cast<std::uintptr_t>(limit - r.position()) / sizeof(TableEntry)) return Search::NotUnderstood;
  const auto base = reinterpret_cast<std::uintptr_t>(hdr);
  const auto begin_of = [&](std::uintptr_t i) {
    return base + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(table[i].begin));
  };
  std::uintptr_t low = 0, high = count;  // the last entry that begins at or before the address
  while (low < high) {
    const std::uintptr_t middle = (low + high) / 2;
    if (begin_of(middle) <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return Search::NoDescription;
  const std::uint8_t* entry = hdr + table[low - 1].description;
  Reader head(entry, limit);
  const auto length = head.fixed<std::uint32_t>();
  if (length == 0 || length == 0xffffffff || length > static_cast<std::uint64_t>(limit - head.position()))
    return Search::NotUnderstood;
  const std::uint8_t* common_field = head.position();
  Reader body(common_field, common_field + length);
  const auto common_distance = body.fixed<std::uint32_t>();
  std::uint8_t encoding = 0;
  bool has_data = false;
  if (common_distance == 0 || !parse_common(common_field - common_distance, limit, d, encoding, has_data))
    return Search::NotUnderstood;
  std::uintptr_t range = 0;
  if (!body.pointer(encoding, d.begin) || !body.pointer(encoding & 0x0f, range)) return Search::NotUnderstood;
  d.end = d.begin + range;
  if (address < d.begin || address >= d.end) return Search::NoDescription;
  if (has_data) body.skip(body.uleb());
  d.program = body.position();
  d.program_end = common_field + length;
  return Search::Found;
}

bool Section::next(Description& d) {
  while (end_ - at_ >= 8) {
    Reader head(at_, end_);
    const auto length = head.fixed<std::uint32_t>();
    const std::uint8_t* const field = head.position();
    if (length < 4 || length > static_cast<std::uint64_t>(end_ - field)) break;
    at_ = field + length;
    if (head.fixed<std::uint32_t>() != 0 && read(field, at_, d)) return true;
  }
  at_ = end_;
  return false;
}

// What is relative to its own place is so to that in the section, not to that in the copy.
bool Section::read(const std::uint8_t* common_field, const std::uint8_t* end, Description& d) const {
  Reader body(common_field, end);
  const auto distance = body.fixed<std::uint32_t>();
  std::uint8_t encoding = 0;
  bool has_data = false;
  if (distance > static_cast<std::uint64_t>(common_field - begin_) ||
      !parse_common(common_field - distance, end_, d, encoding, has_data))
    return false;
  std::uintptr_t range = 0;
  if (!body.pointer(encoding, d.begin) || !body.pointer(encoding & 0x0f, range)) return false;
  if ((encoding & 0x70) == kPcRelative) d.begin += moved_;
  d.end = d.begin + range;
  if (has_data) body.skip(body.uleb());
  d.program = body.position();
  d.program_end = end;
  return d.end > d.begin && d.end >> 47 == 0;
}

}  // namespace prof::eh
