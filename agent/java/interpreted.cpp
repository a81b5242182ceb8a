#include "agent/java/interpreted.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <utility>

#include "agent/core/hash_tree.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/text.hpp"
#include "agent/java/names.hpp"
#include "agent/java/packed_lines.hpp"
#include "agent/java/vm_layout.hpp"
#include "agent/jit/names.hpp"
#include "agent/python/frames.hpp"
#include "agent/python/memory.hpp"
#include "agent/stack/lent_names.hpp"
#include "agent/unwind/lent_frames.hpp"

namespace prof::java {
namespace {

using Address = std::uintptr_t;
using python::Memory;

constexpr Address kMethodWord = 3 * 8, kPlaceWord = 8 * 8;  // below the frame pointer
constexpr std::uint32_t kNoPlace = UINT16_MAX;              // of a bytecode: the longest has 65,535 bytes
constexpr std::uint32_t kMostPlaces = 1 << 16;
constexpr std::uint64_t kWithoutZeros = 20;  // the first JDK of which no number has a byte of 0

struct Interpreted {
  VmLayout layout;
  // Name and line of what was met.
  HashTree known;
  std::atomic<std::uint32_t> count;
};
PROF_WIPED constinit pages::Wiped<Interpreted> g_interpreted{};

const VmLayout& layout() { return g_interpreted.value.layout; }

// What stands in the VM's memory of one method.
struct Method {
  Address constant = 0;               // ConstMethod
  Address pool = 0;                   // ConstantPool
  Address name = 0, class_name = 0;   // Symbols
  std::uint32_t bytes = 0, code = 0;  // of the ConstMethod, and of its bytecode
  std::uint32_t place = kNoPlace;     // in the bytecode

  Address code_begin() const { return constant + layout().const_method_bytes; }
  bool holds(Address at) const { return at >= code_begin() && at - code_begin() < code; }
};

bool read_method(Memory& memory, Address method, Method& m) {
  const VmLayout& l = layout();
  std::uint16_t code = 0, name_index = 0;
  std::int32_t words = 0;
  Address holder = 0;
  if (!memory.load(method + l.const_method, m.constant) || !memory.load(m.constant + l.constants, m.pool) ||
      !memory.load(m.constant + l.method_bytes, words) || !memory.load(m.constant + l.code_size, code) ||
      !memory.load(m.constant + l.name_index, name_index) || !memory.load(m.pool + l.pool_holder, holder) ||
      !memory.load(m.pool + l.constant_pool_bytes + Address{name_index} * 8, m.name) ||
      !memory.load(holder + l.class_name, m.class_name))
    return false;
  constexpr std::int32_t kMostWords = 1 << 20;
  if (words <= 0 || words > kMostWords) return false;
  m.bytes = static_cast<std::uint32_t>(words) * 8;
  m.code = code;
  return l.const_method_bytes + code <= m.bytes;
}

// The place in the bytecode: that of the processor, where it is one, or the one that is kept for after a call.
bool find_place(const ucontext_t* registers, Address kept, Method& m) {
  if (m.code == 0) return kept == 0;
  const Address now = registers != nullptr ? static_cast<Address>(registers->uc_mcontext.gregs[REG_R13]) : kept;
  const Address at = m.holds(now) ? now : kept;
  if (!m.holds(at)) return false;
  m.place = static_cast<std::uint32_t>(at - m.code_begin());
  return true;
}

// What runs in the frame with that frame pointer; false: nobody knows.
bool find_method(Memory& memory, const lent_names::Frames& frames, Address bp, const ucontext_t* registers,
                 bool interrupted, Method& m) {
  const auto word = [&](Address below) { return *reinterpret_cast<const Address*>(bp - below); };
  const bool whole = bp >= frames.low + kPlaceWord && bp < frames.high && (bp & 7) == 0;
  if (whole && read_method(memory, word(kMethodWord), m) && find_place(registers, word(kPlaceWord), m)) return true;
  if (!interrupted || registers == nullptr) return false;
  // The frame is being made: a method begins with itself in rbx.
  m = {};
  if (!read_method(memory, static_cast<Address>(registers->uc_mcontext.gregs[REG_RBX]), m)) return false;
  m.place = m.code != 0 ? 0 : kNoPlace;
  return true;
}

class Hash {
 public:
  void add(std::uint64_t part) {
    h_ = (h_ ^ part) * 0xd6e8feb86659fd93ULL;
    h_ ^= h_ >> 32;
  }
  // What stands there, as far as it can be read: some words of it.
  void add(Memory& memory, Address at, Address bytes) {
    constexpr Address kMost = 64;
    std::uint64_t words[kMost / 8] = {};
    const Address part = bytes < kMost ? bytes : kMost;
    if (!memory.copy(words, at, part)) return;
    for (const std::uint64_t word : words) add(word);
  }
  std::uint64_t value() const { return h_ | 1; }

 private:
  std::uint64_t h_ = 0x9e3779b97f4a7c15ULL;
};

void add_symbol(Hash& hash, Memory& memory, Address symbol) {
  std::uint16_t length = 0;
  if (symbol == 0 || !memory.load(symbol + layout().symbol_length, length)) return;
  hash.add(length);
  hash.add(memory, symbol + layout().symbol_text, length);
}

// By where it stands and by what stands there, names and lines: at the place of a class that the VM dropped it puts the
// next one of the same shape.
std::uint64_t hash_of(Memory& memory, const Method& m) {
  Hash hash;
  hash.add(m.constant);
  hash.add(std::uint64_t{m.place} << 32 | m.bytes);
  add_symbol(hash, memory, m.class_name);
  add_symbol(hash, memory, m.name);
  const Address lines = m.code_begin() + m.code;
  hash.add(memory, lines, m.constant + m.bytes - lines);
  return hash.value();
}

// A Symbol's text. False: there is none, or it is not one.
template <std::size_t N>
bool write_symbol(Memory& memory, Address symbol, Text<N>& to) {
  std::uint16_t length = 0;
  if (symbol == 0 || !memory.load(symbol + layout().symbol_length, length) || length == 0) return false;
  char bytes[64];
  Address at = symbol + layout().symbol_text;
  for (std::size_t left = length < N / 2 ? length : N / 2; left > 0;) {
    const std::size_t part = left < sizeof(bytes) ? left : sizeof(bytes);
    if (!memory.copy(bytes, at, part)) return false;
    for (std::size_t i = 0; i < part; ++i) {
      if (static_cast<unsigned char>(bytes[i]) < ' ') return false;
      to << bytes[i];
    }
    at += part;
    left -= part;
  }
  return true;
}

PackedLines read_lines(Memory& memory, const Method& m) {
  const VmLayout& l = layout();
  PackedLines lines(m.place, l.major_version >= kWithoutZeros);
  std::uint32_t flags = 0;
  std::uint16_t short_flags = 0;
  if (l.flags_bytes == 4 ? !memory.load(m.constant + l.flags, flags) : !memory.load(m.constant + l.flags, short_flags))
    return lines;
  if (((flags | short_flags) & l.has_lines) == 0) return lines;
  std::uint8_t bytes[64];
  const Address end = m.constant + m.bytes;
  for (Address at = m.code_begin() + m.code; at < end; at += sizeof(bytes)) {
    const Address part = end - at < sizeof(bytes) ? end - at : sizeof(bytes);
    if (!memory.copy(bytes, at, part)) return lines;
    for (Address i = 0; i < part; ++i) {
      if (!lines.take(bytes[i])) return lines;
    }
  }
  return lines;
}

// Its name's id and line, as they are kept; 0: it has no name.
std::uint32_t describe(const Guard& guard, Memory& memory, const Method& m) {
  Text<512> class_name, method_name, source_name, shown, source;
  class_name << 'L';  // a class may be called so itself
  if (!write_symbol(memory, m.class_name, class_name) || !write_symbol(memory, m.name, method_name)) return 0;
  // "Hot$$Lambda+0x00007f", whose numbers come and go.
  const std::string_view called = class_name.view();
  const std::string_view signature = first(called, std::min(called.find("+0x"), called.size()));
  write_method(shown, signature, method_name.view());
  std::uint16_t index = 0;
  Address file = 0;
  if (memory.load(m.pool + layout().source_file_index, index) && index != 0 &&
      memory.load(m.pool + layout().constant_pool_bytes + Address{index} * 8, file) &&
      write_symbol(memory, file, source_name))
    write_source(source, signature, source_name.view());
  const PackedLines lines = read_lines(memory, m);
  const std::uint64_t word = jit::method_frame_of(guard, shown.view(), source.view(), lines.first_line());
  if (word == 0) return 0;
  const std::uint32_t line = log::frame_number(jit::at_line(word, lines.line()));
  const std::uint32_t id = log::frame_name(word);
  return id > UINT16_MAX ? 0 : id << 16 | (line <= UINT16_MAX ? line : 0);
}

// The entry of a method, which may have none: 0.
std::uint64_t entry_of(const Guard& guard, Memory& memory, const Method& m) {
  Interpreted& all = g_interpreted.value;
  const std::uint64_t hash = hash_of(memory, m);
  std::uint32_t found = all.known.find(hash);
  if (found == 0) {
    if (all.count.load(std::memory_order_relaxed) >= kMostPlaces) return 0;
    found = describe(guard, memory, m);
    if (found == 0) return 0;
    all.count.fetch_add(1, std::memory_order_relaxed);
    all.known.insert(hash, found);
  }
  return python::named_entry(found >> 16, found & UINT16_MAX);
}

void name_all(const Guard& guard, const lent_names::Frames& frames) {
  // What stands in frames is the VM's, but in one that is just being made.
  Memory memory(Memory::Access::Probed, {});
  bool innermost = true;  // native code that it calls without a word in its frame keeps its registers as a rule
  for (std::uint32_t i = 0; i < frames.count; ++i) {
    if (!lent_frames::is_marked(frames.entries[i])) continue;
    Method m;
    const Address bp = lent_frames::frame_pointer(frames.entries[i]);
    const ucontext_t* const registers = std::exchange(innermost, false) ? frames.registers : nullptr;
    if (!find_method(memory, frames, bp, registers, i == 0, m)) continue;
    if (const std::uint64_t entry = entry_of(guard, memory, m); entry != 0) frames.entries[i] = entry;
  }
}

}  // namespace

void name_interpreted(const Object& vm, Address code) {
  if (read_layout(vm, g_interpreted.value.layout)) lent_names::name_by(name_all, code);
}

void prepare_interpreted() {
  pages::wipe_in_child(g_interpreted);
  lent_names::prepare();
}

}  // namespace prof::java
