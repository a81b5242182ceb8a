#include "report/symbols/frame_table.hpp"

#include <dwarf.h>

#include <algorithm>
#include <cstring>

namespace prof::symbols {
namespace {

// The one layout that linkers write: a search table of 4-byte pairs, relative to the section.
constexpr unsigned char kTableEncoding = DW_EH_PE_datarel | DW_EH_PE_sdata4;
constexpr std::size_t kHeaderBytes = 12;

std::int32_t word_at(const unsigned char* bytes) {
  std::int32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

FrameTable::FrameTable(const ElfFile& file) {
  const ElfFile::Section* section = file.section(".eh_frame_hdr");
  const Elf_Data* data = section != nullptr ? file.data(*section) : nullptr;
  if (data == nullptr || data->d_size < kHeaderBytes) return;
  const auto* bytes = static_cast<const unsigned char*>(data->d_buf);
  const unsigned char pointer_format = bytes[1] & 0x0f;
  const bool known = bytes[0] == 1 && bytes[2] == DW_EH_PE_udata4 && bytes[3] == kTableEncoding &&
                     (pointer_format == DW_EH_PE_sdata4 || pointer_format == DW_EH_PE_udata4);
  if (!known) return;
  const auto claimed = static_cast<std::uint32_t>(word_at(bytes + 8));
  const std::size_t count = std::min<std::size_t>(claimed, (data->d_size - kHeaderBytes) / 8);
  starts_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t offset = word_at(bytes + kHeaderBytes + i * 8);
    starts_.push_back(section->header.sh_addr + static_cast<std::uint64_t>(offset));
  }
  std::sort(starts_.begin(), starts_.end());
}

std::uint64_t FrameTable::function_start(std::uint64_t address) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), address);
  return after == starts_.begin() ? address : *(after - 1);
}

}  // namespace prof::symbols
