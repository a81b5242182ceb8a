#include "agent/python/codes.hpp"

#include <atomic>
#include <cstring>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/log/append.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/python/loop_code.hpp"
#include "agent/python/text_object.hpp"
#include "agent/python/thread_scratch.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::python {
namespace {

constexpr std::uint32_t kSlots = 1U << 17;
constexpr std::uint32_t kMostProbes = 64;
constexpr unsigned kIdBits = 28;
constexpr std::uint32_t kLongestTable = 1U << 20;

// Ids by content: hash:36 | id:28, open addressing by further bits of the hash.
struct Codes {
  std::atomic<std::uint64_t> slots[kSlots];
  log::AppendChunk chunk;
};
PROF_WIPED constinit pages::Wiped<Codes> g_codes{};

struct Content {
  log::CodeKind kind = log::CodeKind::Code;
  std::int32_t first_line = 0;
  std::uint32_t flags = 0;
  TextObject name, qualname, file;
  BytesObject line_table;
};

__extension__ using Wide = unsigned __int128;

std::uint64_t mixed(std::uint64_t h, std::uint64_t v) {
  const auto product = static_cast<Wide>(h ^ 0x9e3779b97f4a7c15ULL) * (v ^ 0xe7037ed1a0b428dbULL);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t mixed(std::uint64_t h, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  h = mixed(h, bytes);
  for (; bytes >= 8; bytes -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    h = mixed(h, word);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, at, bytes);
  return mixed(h, rest);
}

std::uint64_t hash_of(const Content& c) {
  std::uint64_t h = mixed(static_cast<std::uint64_t>(c.kind) << 32 | static_cast<std::uint32_t>(c.first_line), c.flags);
  h = mixed(h, c.name.units, c.name.byte_count());
  h = mixed(h, c.qualname.units, c.qualname.byte_count());
  h = mixed(h, c.file.units, c.file.byte_count());
  return mixed(h, c.line_table.data, c.line_table.size);
}

// Writes the record; its id, 0 when there is no room.
std::uint32_t describe(const Content& c) {
  log::Header* h = log::header();
  const Interpreter* python = interpreter();
  if (h == nullptr || python == nullptr || __atomic_load_n(&h->codes, __ATOMIC_RELAXED) >= (1U << kIdBits) - 2)
    return 0;
  const std::uint32_t name = c.name.utf8_bytes(), qualname = c.qualname.utf8_bytes(), file = c.file.utf8_bytes();
  const std::size_t bytes = (sizeof(log::CodeRecord) + name + qualname + file + c.line_table.size + 7) / 8 * 8;
  char* at = log::append_record(g_codes.value.chunk, log::ChunkType::Codes, static_cast<std::uint32_t>(bytes));
  if (at == nullptr) return 0;
  auto* r = reinterpret_cast<log::CodeRecord*>(at);
  r->id = __atomic_add_fetch(&h->codes, 1, __ATOMIC_RELAXED);
  r->kind = c.kind;
  r->major = python->version.major;
  r->minor = python->version.minor;
  r->first_line = c.first_line;
  r->flags = c.flags;
  r->name_bytes = name;
  r->qualname_bytes = qualname;
  r->file_bytes = file;
  r->line_table_bytes = c.line_table.size;
  char* to = c.file.write_utf8(c.qualname.write_utf8(c.name.write_utf8(at + sizeof(*r))));
  std::memcpy(to, c.line_table.data, c.line_table.size);
  __atomic_store_n(&r->bytes, static_cast<std::uint32_t>(bytes), __ATOMIC_RELEASE);
  return r->id;
}

// Two contexts may both find no entry and describe the same code: readers merge codes by content.
std::uint32_t intern(const Content& c) {
  const std::uint64_t hash = hash_of(c);
  const std::uint64_t tag = hash >> kIdBits << kIdBits;
  std::uint32_t mine = 0;
  for (std::uint32_t probe = 0, i = hash % kSlots; probe < kMostProbes; ++probe, i = (i + 1) % kSlots) {
    std::uint64_t slot = g_codes.value.slots[i].load(std::memory_order_acquire);
    if (slot == 0) {
      if (mine == 0) mine = describe(c);
      if (mine == 0) break;
      if (g_codes.value.slots[i].compare_exchange_strong(slot, tag | mine)) return mine;
    }
    if ((slot ^ tag) >> kIdBits == 0) return static_cast<std::uint32_t>(slot & ((1U << kIdBits) - 1));
  }
  if (mine == 0) count_loss(log::Loss::CodeTableFull);
  return mine;
}

// False: what stands there is no code object that holds together.
bool read_code(Memory& memory, const Interpreter& of, const CodeCache::Entry& seen, Content& c) {
  const Offsets& o = of.offsets;
  std::uintptr_t qualname = 0;
  if (!read_text(memory, o, seen.name, of.text_type, c.name) ||
      !read_text(memory, o, seen.file, of.text_type, c.file) ||
      !read_bytes(memory, o, seen.line_table, of.bytes_type, c.line_table) ||
      !memory.load(seen.code + o.flags, c.flags)) {
    return false;
  }
  if (o.qualname != kAbsent && memory.load(seen.code + o.qualname, qualname)) {
    TextObject text;
    if (read_text(memory, o, qualname, of.text_type, text)) c.qualname = text;
  }
  if (c.line_table.size > kLongestTable ||
      !memory.readable(reinterpret_cast<std::uintptr_t>(c.line_table.data), c.line_table.size + 1)) {
    c.line_table.size = 0;
  }
  c.first_line = seen.first_line;
  return true;
}

}  // namespace

std::uint32_t describe_code(const Interpreter& of, CodeCache& cache, Memory& memory, std::uintptr_t code) {
  const Offsets& o = of.offsets;
  if (field<std::uintptr_t>(code, o.type) != of.code_type) return kNotACode;
  CodeCache::Entry found{};
  found.code = code;
  found.name = field<std::uintptr_t>(code, o.name);
  found.file = field<std::uintptr_t>(code, o.file);
  found.line_table = field<std::uintptr_t>(code, o.line_table);
  found.first_line = field<std::int32_t>(code, o.first_line);
  Content content;
  if (!read_code(memory, of, found, content)) return kNotACode;
  found.id = intern(content);
  note_loop_code(found.id, content.name, content.file);
  if (found.id != 0) {
    auto& set = cache.set_of(code);
    for (std::uint32_t way = CodeCache::kWays; --way > 0;) set[way] = set[way - 1];
    set[0] = found;
  }
  return found.id;
}

std::uint32_t code_id(const Guard& guard, const void* code) {
  Scratch* scratch = scratch_of(guard);
  if (scratch == nullptr) return 0;
  Memory memory(Memory::Access::Direct, {});
  const std::uint32_t id = code_id(*interpreter(), scratch->codes, memory, reinterpret_cast<std::uintptr_t>(code));
  return id == kNotACode ? 0 : id;
}

std::uint32_t builtin_id(const Guard&, std::string_view name) {
  Content content;
  content.kind = log::CodeKind::Builtin;
  // Bytes of UTF-8 written as if they were units of Latin-1 would be encoded twice: only ASCII is kept as it is.
  char ascii[512];
  std::uint32_t n = 0;
  for (const char c : first(name, sizeof(ascii))) ascii[n++] = static_cast<unsigned char>(c) < 0x80 ? c : '?';
  content.name.units = ascii;
  content.name.length = n;
  return intern(content);
}

void prepare_codes() { pages::wipe_in_child(g_codes); }

}  // namespace prof::python
