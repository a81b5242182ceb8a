// The lines of code that was made at run time, and the functions that were compiled into it: what an address of the
// code belongs to, from its maker's own record. A stack shows such functions as frames of their own. They have no code,
// so that what stands for them where addresses stand is a number of its own, at which nothing is.
//
// A bounded table that is never moved, as made_rows is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::made_inlines {

// From an offset on the code belongs to `node`, up to the next one; 0: nothing is known of it.
struct Span {
  std::uint32_t offset, node;
};
// A function at one of its lines: that of the whole code, if `parent` is 0; else one that was compiled into `parent`,
// which calls it there.
struct Node {
  std::uint32_t parent;
  std::uint32_t token;
};
inline constexpr std::uint32_t kMostNodes = 4095, kMostSpans = 2048;

// What stands for a frame word, for ever. 0: there is no room, or what is left is kept for functions without lines.
// Ordinary code.
enum class Of { Function, Line };
std::uint32_t token_of(std::uint64_t frame, Of what = Of::Function);
// Whether there is no room for anything more. Any context.
bool is_full();
// The frame word that it stands for; false: it is none. Any context.
bool frame_of(std::uint32_t token, std::uint64_t& frame);
// The frame word of what stands at `address`; false: no such thing does. Any context.
bool frame_at(std::uintptr_t address, std::uint64_t& frame);

// Keeps the record of one piece of code: spans that ascend, and nodes that are numbered from 1 on, parents first; by
// which number. 0: there is no room, or nothing to keep. Ordinary code.
std::uint32_t keep(const Span* spans, std::size_t span_count, const Node* nodes, std::size_t node_count);
// Nobody asks for it any more, or believes the answer. Ordinary code.
void give_back(std::uint32_t number);

// Writes the addresses that stand for what was compiled into the code at an offset, the innermost one first; how many.
// What was given back meanwhile yields anything, here and below. Any context.
std::uint32_t find(std::uint32_t number, std::uint32_t offset, std::uintptr_t* to, std::uint32_t room);
// The frame word of the code's own function at the line that holds at an offset; 0: not known. Any context.
std::uint64_t own_frame(std::uint32_t number, std::uint32_t offset);

// Whether anything was ever kept. Any context.
bool any();

// Once at start.
void prepare();

}  // namespace prof::made_inlines
