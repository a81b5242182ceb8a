// Texts of a fixed room, without malloc, locale or stdio. Usable in every context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/contract/text_builder.hpp"
#include "agent/contract/text_parts.hpp"

namespace prof {

template <std::size_t N>
class Text : public TextBuilder {
 public:
  Text() : TextBuilder(storage_, N) {}

 private:
  char storage_[N];
};

}  // namespace prof
