#include "agent/jit/line_program.hpp"

#include "agent/core/text.hpp"
#include "agent/unwind/eh_frame.hpp"

namespace prof::jit {
namespace {

using eh::Reader;

std::string_view take_text(Reader& r) {
  const auto* begin = reinterpret_cast<const char*>(r.position());
  while (!r.done()) {
    const auto* at = reinterpret_cast<const char*>(r.position());
    if (r.byte() == 0) return {begin, static_cast<std::size_t>(at - begin)};
  }
  return {};
}

struct Entry {
  std::string_view path;
  std::uint64_t folder = 0;
};

// One unit of the table.
class Unit {
 public:
  Unit(const ElfImage& image, const Elf64_Shdr& section, const std::uint8_t* begin, const std::uint8_t* at,
       const std::uint8_t* end)
      : image_(image), section_(section), begin_(begin), tables_(at, end), program_(at, end) {
    Reader r(at, end);
    version_ = r.fixed<std::uint16_t>();
    if (version_ < 2 || version_ > 5) return;
    if (version_ == 5) r.skip(2);  // sizes of an address and of a segment
    const auto header = r.fixed<std::uint32_t>();
    program_ = Reader(r.position(), end);
    program_.skip(header);
    least_ = r.byte();
    if (version_ >= 4) r.skip(1);
    r.skip(1);
    line_base_ = r.fixed<std::int8_t>();
    line_range_ = r.byte();
    opcode_base_ = r.byte();
    lengths_ = r.position();
    r.skip(opcode_base_ == 0 ? 0 : opcode_base_ - 1U);
    tables_ = r;
    usable_ = line_range_ != 0 && opcode_base_ >= 10 && !r.done();
  }

  // The first row of the function at `address`; false: the unit has none. `budget`: rows that may still be made.
  bool find(std::uintptr_t address, std::uint64_t& file, std::uint32_t& line, std::uint32_t& budget) {
    std::uint64_t at = 0, in = 1;
    std::int64_t now = 1;
    const auto is_it = [&] {
      file = in;
      line = now > 0 && now <= INT32_MAX ? static_cast<std::uint32_t>(now) : 0;
      if (budget != 0) --budget;
      return at == address && line != 0;
    };
    while (usable_ && !program_.done() && budget != 0) {
      const std::uint8_t op = program_.byte();
      if (op >= opcode_base_) {
        at += std::uint64_t{least_} * static_cast<std::uint8_t>((op - opcode_base_) / line_range_);
        now += line_base_ + (op - opcode_base_) % line_range_;
        if (is_it()) return true;
        continue;
      }
      switch (op) {
        case 0: {  // extended
          const std::uint64_t length = program_.uleb();
          Reader operand = program_;
          program_.skip(length);
          const std::uint8_t what = operand.byte();
          if (what == 1) at = 0, in = 1, now = 1;  // end of a sequence
          if (what != 2) break;
          const auto offset = static_cast<std::uint64_t>(operand.position() - begin_);
          at = image_.relocated(section_, offset, operand.fixed<std::uint64_t>());
          break;
        }
        case 1:
          if (is_it()) return true;
          break;
        case 2:
          at += least_ * program_.uleb();
          break;
        case 3:
          now += program_.sleb();
          break;
        case 4:
          in = program_.uleb();
          break;
        case 8:
          at += std::uint64_t{least_} * static_cast<std::uint8_t>((255 - opcode_base_) / line_range_);
          break;
        case 9:
          at += program_.fixed<std::uint16_t>();
          break;
        default:
          for (std::uint8_t i = 0; i < lengths_[op - 1]; ++i) program_.uleb();
          break;
      }
    }
    return false;
  }

  // The path of a file by its number, in `room`. `budget`: files and folders that may still be passed.
  std::string_view path(std::uint64_t number, char* room, std::size_t bytes, std::uint32_t& budget) {
    Entry file, folder;
    if (version_ == 5) {
      Reader r = tables_;
      if (!pass_list(r, UINT64_MAX, folder, budget) || !pass_list(r, number, file, budget)) return {};
      r = tables_;
      if (!pass_list(r, file.folder, folder, budget)) return {};
    } else {
      Reader r = tables_;
      while (!take_text(r).empty()) {
        if (!afford(budget)) return {};
      }
      for (std::uint64_t i = 1; i <= number && !r.done(); ++i) {
        if (!afford(budget)) return {};
        file.path = take_text(r);
        if (file.path.empty()) return {};
        file.folder = r.uleb();
        r.uleb();
        r.uleb();
      }
      r = tables_;
      for (std::uint64_t i = 1; i <= file.folder; ++i) {
        if (!afford(budget)) return {};
        folder.path = take_text(r);
        if (folder.path.empty()) break;
      }
    }
    if (file.path.empty()) return {};
    TextBuilder text(room, bytes);
    if (file.path[0] != '/' && !folder.path.empty()) text << folder.path << '/';
    text << file.path;
    return text.cut() ? std::string_view() : std::string_view(room, text.size());
  }

 private:
  static bool afford(std::uint32_t& budget) { return budget != 0 && --budget != 0; }

  // Reads a list of DWARF 5 to its end; entry `wanted` of it. False: it is not understood.
  bool pass_list(Reader& r, std::uint64_t wanted, Entry& entry, std::uint32_t& budget) {
    Reader formats = r;
    const unsigned parts = r.byte();
    for (unsigned i = 0; i < 2 * parts; ++i) r.uleb();
    const std::uint64_t count = r.uleb();
    if (parts == 0) return count == 0;
    for (std::uint64_t i = 0; i < count && !r.done(); ++i) {
      if (!afford(budget)) return false;
      Reader f = formats;
      f.skip(1);
      Entry read;
      for (unsigned k = 0; k < parts; ++k) {
        const std::uint64_t what = f.uleb(), form = f.uleb();
        std::string_view text;
        std::uint64_t value = 0;
        if (!take(r, form, text, value)) return false;
        if (what == 1) read.path = text;
        if (what == 2) read.folder = value;
      }
      if (i == wanted) entry = read;
    }
    return true;
  }

  bool take(Reader& r, std::uint64_t form, std::string_view& text, std::uint64_t& value) {
    switch (form) {
      case 0x05:  // data2
        value = r.fixed<std::uint16_t>();
        return true;
      case 0x08:  // string
        text = take_text(r);
        return true;
      case 0x0b:  // data1
        value = r.byte();
        return true;
      case 0x0e:    // strp
      case 0x1f: {  // line_strp
        const auto offset = static_cast<std::uint64_t>(r.position() - begin_);
        const std::uint64_t at = image_.relocated(section_, offset, r.fixed<std::uint32_t>());
        const Elf64_Shdr* strings = image_.section(form == 0x0e ? ".debug_str" : ".debug_line_str");
        if (strings != nullptr) text = image_.text(*strings, at - strings->sh_addr);
        return true;
      }
      case 0x0f:  // udata
        value = r.uleb();
        return true;
      case 0x1e:  // data16: a checksum
        r.skip(16);
        return true;
      default:
        return false;
    }
  }

  const ElfImage& image_;
  const Elf64_Shdr& section_;
  const std::uint8_t* const begin_;  // of the section
  Reader tables_, program_;
  const std::uint8_t* lengths_ = nullptr;  // of the operands of standard opcodes
  std::uint16_t version_ = 0;
  std::uint8_t least_ = 1, line_range_ = 0, opcode_base_ = 0;
  std::int8_t line_base_ = 0;
  bool usable_ = false;
};

}  // namespace

SourceLine first_line(const ElfImage& image, const ElfImage::Function& function, std::uint32_t& budget, char* room,
                      std::size_t bytes) {
  const Elf64_Shdr* const section = image.section(".debug_line");
  if (section == nullptr || (section->sh_flags & SHF_COMPRESSED) != 0) return {};
  const std::string_view all = image.content(*section);
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(all.data());
  Reader r(begin, begin + all.size());
  while (!r.done() && budget != 0) {
    const auto length = r.fixed<std::uint32_t>();
    const std::uint8_t* const at = r.position();
    if (length == 0 || length > static_cast<std::uint64_t>(begin + all.size() - at)) break;
    r.skip(length);
    Unit unit(image, *section, begin, at, at + length);
    std::uint64_t file = 0;
    std::uint32_t line = 0;
    if (unit.find(function.address, file, line, budget)) return {unit.path(file, room, bytes, budget), line};
  }
  return {};
}

}  // namespace prof::jit
