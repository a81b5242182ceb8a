// The rows of code that was made at run time and came with call frame information: made once, when it is registered,
// since nobody says how long what they are made of stays. A bounded table that is never moved.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/unwind/rows.hpp"

namespace prof::made_rows {

// Keeps rows that ascend by their offsets; by which number. 0: there is no room, or there are none. Ordinary code.
std::uint32_t keep(const RowAt* rows, std::size_t count);
// Nobody asks for them any more, or believes the answer. Ordinary code.
void give_back(std::uint32_t number);

// The row that holds at an offset; false: none does. What was given back meanwhile yields anything: who asks makes sure
// afterwards that it was not. Any context.
bool find(std::uint32_t number, std::uint32_t offset, Row& row);

// Once at start.
void prepare();

}  // namespace prof::made_rows
