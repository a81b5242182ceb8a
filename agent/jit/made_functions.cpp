#include "agent/jit/made_functions.hpp"

#include <algorithm>

#include "agent/jit/line_program.hpp"
#include "agent/jit/names.hpp"
#include "agent/jit/unwind_tables.hpp"
#include "agent/unwind/made_code.hpp"

namespace prof::jit {

void MadeFunctions::add(std::uintptr_t start, std::uint64_t bytes, std::size_t count) {
  const std::uintptr_t low = high_ != 0 ? std::min(low_, start) : start, high = std::max(high_, start + 1);
  if (bytes == 0 || high - low > kMostApart || bytes > bytes_left_) return;
  bytes_left_ -= bytes;
  low_ = low;
  high_ = high;
  const ElfImage::Function* f = image_.at(start);
  const std::uint64_t frame = f != nullptr ? frame_word(*f) : 0;
  made_code::add(start, bytes, frame, room_.rows, count, group_);
}

std::uint64_t MadeFunctions::frame_word(const ElfImage::Function& f) {
  const SourceLine line = first_line(image_, f, line_rows_left_, room_.path, sizeof(room_.path));
  return frame_of(guard_, image_.name(f), line.file, line.line);
}

void MadeFunctions::add_others() {
  for (std::size_t i = 0; i < image_.functions(); ++i) {
    const ElfImage::Function& f = image_.function(i);
    made_code::Code known{};
    const bool is_known = made_code::find(f.address, known) && known.start == f.address &&
                          (known.group == group_ || tables_known(known.group));
    if (!is_known)
      add(f.address, f.bytes, 0);
    else if (known.frame == 0)
      made_code::name(f.address, frame_word(f));
  }
}

}  // namespace prof::jit
