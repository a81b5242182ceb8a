#include "report/symbols/unpacked_xz.hpp"

#if PROF_LZMA
#include <lzma.h>

#include <cstdint>
#endif

namespace prof::symbols {

#if PROF_LZMA

std::vector<char> unpacked_xz(std::string_view packed) {
  constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;
  constexpr std::size_t kMostBytes = std::size_t{256} << 20, kPiece = std::size_t{256} << 10;
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMostMemory, LZMA_CONCATENATED) != LZMA_OK) return {};
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::vector<char> out;
  lzma_ret result = LZMA_OK;
  while (result == LZMA_OK && out.size() < kMostBytes) {
    const std::size_t before = out.size();
    out.resize(before + kPiece);
    stream.next_out = reinterpret_cast<std::uint8_t*>(out.data() + before);
    stream.avail_out = kPiece;
    result = lzma_code(&stream, LZMA_FINISH);
    out.resize(before + kPiece - stream.avail_out);
  }
  lzma_end(&stream);
  if (result != LZMA_STREAM_END) out.clear();
  return out;
}
bool unpacks_xz() { return true; }

#else

std::vector<char> unpacked_xz(std::string_view) { return {}; }
bool unpacks_xz() { return false; }

#endif

}  // namespace prof::symbols
