// Bytes packed by xz.
#pragma once

#include <string_view>
#include <vector>

namespace prof::symbols {

// Empty: they are damaged, unpack to more than 256 MiB or want as much memory; or prof was built without liblzma.
std::vector<char> unpacked_xz(std::string_view packed);
bool unpacks_xz();  // whether it was built with it

}  // namespace prof::symbols
