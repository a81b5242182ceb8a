#include "report/symbols/data_words.hpp"

#include <algorithm>
#include <cstring>

namespace prof::symbols {
namespace {

constexpr unsigned kRelativeOfArm64 = 1027;  // R_AARCH64_RELATIVE

bool is_relative(int machine, std::uint64_t type) {
  if (machine == EM_X86_64) return type == R_X86_64_RELATIVE;
  return machine == EM_AARCH64 && type == kRelativeOfArm64;
}

}  // namespace

DataWords::DataWords(const ElfFile& file) {
  if (file.machine() != EM_X86_64 && file.machine() != EM_AARCH64) return;
  for (const ElfFile::Section& section : file.sections()) {
    const GElf_Shdr& header = section.header;
    if ((header.sh_flags & SHF_ALLOC) == 0 || header.sh_type == SHT_NOBITS) continue;
    const Elf_Data* data = file.data(section);
    if (data == nullptr || data->d_buf == nullptr || data->d_size > UINT64_MAX - header.sh_addr) continue;
    parts_.push_back({header.sh_addr, header.sh_addr + data->d_size, static_cast<const char*>(data->d_buf),
                      section.executable(), (header.sh_flags & SHF_WRITE) != 0});
  }
  std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.begin < b.begin; });
  read_relocations(file);
}

void DataWords::read_relocations(const ElfFile& file) {
  for (const ElfFile::Section& section : file.sections()) {
    if (section.header.sh_type != SHT_RELA || section.header.sh_entsize == 0) continue;
    Elf_Data* data = file.data(section);
    if (data == nullptr) continue;
    const std::size_t count = data->d_size / section.header.sh_entsize;
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Rela relocation;
      if (gelf_getrela(data, static_cast<int>(i), &relocation) == nullptr) break;
      if (!is_relative(file.machine(), GELF_R_TYPE(relocation.r_info))) continue;
      relocated_.emplace_back(relocation.r_offset, static_cast<std::uint64_t>(relocation.r_addend));
    }
  }
  std::sort(relocated_.begin(), relocated_.end());
}

const DataWords::Part* DataWords::part_of(std::uint64_t address) const {
  auto after = std::upper_bound(parts_.begin(), parts_.end(), address,
                                [](std::uint64_t a, const Part& part) { return a < part.begin; });
  if (after == parts_.begin()) return nullptr;
  --after;
  return address < after->end ? &*after : nullptr;
}

std::string_view DataWords::bytes(std::uint64_t address) const {
  const Part* part = part_of(address);
  if (part == nullptr) return {};
  return {part->data + (address - part->begin), static_cast<std::size_t>(part->end - address)};
}

std::optional<std::uint64_t> DataWords::word(std::uint64_t address) const {
  const std::string_view there = bytes(address);
  std::uint64_t word = 0;
  if (there.size() < sizeof word) return std::nullopt;
  const auto found = std::lower_bound(relocated_.begin(), relocated_.end(), std::pair{address, std::uint64_t{0}});
  if (found != relocated_.end() && found->first == address) return found->second;
  std::memcpy(&word, there.data(), sizeof word);
  return word;
}

std::string_view DataWords::text(std::uint64_t address, std::size_t longest) const {
  const std::string_view there = bytes(address).substr(0, longest + 1);
  const std::size_t end = there.find('\0');
  return end == std::string_view::npos ? std::string_view() : there.substr(0, end);
}

bool DataWords::is_code(std::uint64_t address) const {
  const Part* part = part_of(address);
  return part != nullptr && part->code;
}

std::vector<DataWords::Range> DataWords::writable() const {
  std::vector<Range> out;
  for (const Part& part : parts_) {
    if (part.writable) out.emplace_back(part.begin, part.end);
  }
  return out;
}

}  // namespace prof::symbols
