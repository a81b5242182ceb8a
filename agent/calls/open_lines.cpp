#include "agent/calls/open_lines.hpp"

#include "agent/calls/shadow.hpp"
#include "agent/core/process.hpp"
#include "agent/log/conditions.hpp"
#include "agent/python/codes.hpp"
#include "agent/tree/context.hpp"

namespace prof::python::calls {

// The counters of a code object's lines, by line.
struct LineTable {
  std::uint32_t code;  // its id in the log
  std::uint32_t room;
  log::LineWords** lines;  // from line `first` on; null: not seen yet
  std::uint32_t first;
  LineTable* next;
};

struct OpenLine {
  const void* frame;
  LineTable* table;
  log::LineWords* words;  // null: no line yet
  std::uint64_t start;    // ticks
};

struct OpenLines {
  static constexpr std::uint32_t kMost = 4096;  // frames: the lines of deeper ones are not counted
  static constexpr std::uint32_t kTables = 256;
  OpenLine frames[kMost];
  std::uint32_t count;
  LineTable* tables[kTables];  // by code
};

namespace {

log::LineWords* words_of(const Guard& guard, std::uint32_t code, std::uint32_t line) {
  const std::uint64_t root =
      log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(log::SpecialFrame::ExactLines));
  std::uint32_t node = tree::child_of(guard, 0, root);
  if (node != 0) node = tree::child_of(guard, node, log::python_line_frame(code, line));
  if (node == 0) return nullptr;
  return reinterpret_cast<log::LineWords*>(tree::record_of(guard, node, log::RecordClass::Lines, log::kLineWordCount));
}

LineTable* table_of(Kept& k, std::uint32_t code) {
  LineTable*& list = k.lines->tables[code % OpenLines::kTables];
  for (LineTable* t = list; t != nullptr; t = t->next) {
    if (t->code == code) return t;
  }
  auto* made = static_cast<LineTable*>(k.arena.take(sizeof(LineTable)));
  if (made == nullptr) return nullptr;
  made->code = code;
  made->next = list;
  return list = made;
}

// The place of a line in the table, which grows in both directions; null: no memory.
log::LineWords** place_of(Kept& k, LineTable& t, std::uint32_t line) {
  if (line - t.first < t.room) return &t.lines[line - t.first];
  constexpr std::uint32_t kSpare = 16;
  const std::uint32_t low = t.room == 0 || line < t.first ? line : t.first;
  const std::uint32_t high = t.room == 0 || line >= t.first + t.room ? line + kSpare : t.first + t.room;
  const std::uint32_t room = high - low > 2 * t.room ? high - low : 2 * t.room;
  if (room > 1U << 20) return nullptr;
  auto** wider = static_cast<log::LineWords**>(k.arena.take(room * sizeof(log::LineWords*)));
  if (wider == nullptr) return nullptr;
  for (std::uint32_t i = 0; i < t.room; ++i) wider[t.first - low + i] = t.lines[i];
  t.lines = wider;
  t.first = low;
  t.room = room;
  return &t.lines[line - low];
}

log::LineWords* make_words(LineTable& t, std::uint32_t line) {
  const HookGuard guard;
  if (!guard) return nullptr;
  log::LineWords** place = place_of(shadow().kept, t, line);
  if (place == nullptr) {
    count_loss(log::Loss::CallTableFull);
    return nullptr;
  }
  if (*place == nullptr) *place = words_of(guard, t.code, line);
  if (*place == nullptr) count_loss(log::Loss::CallTableFull);
  return *place;
}

OpenLine* innermost() {
  const Shadow& s = shadow();
  if (s.fresh.rate == 0 || s.kept.lines == nullptr || s.kept.lines->count == 0) return nullptr;
  return &s.kept.lines->frames[s.kept.lines->count - 1];
}

void book(OpenLine& open, std::uint64_t at) {
  if (open.words != nullptr && at > open.start) open.words->ns += nanoseconds(at - open.start, shadow().fresh.rate);
}

}  // namespace

void frame_begins(const void* frame, const void* code) {
  const HookGuard guard;
  Shadow* s = guard ? own_shadow(guard) : nullptr;
  if (s == nullptr) return;
  Kept& k = s->kept;
  if (k.lines == nullptr) k.lines = static_cast<OpenLines*>(k.arena.take(sizeof(OpenLines)));
  if (k.lines == nullptr || k.lines->count == OpenLines::kMost) return count_loss(log::Loss::CallTableFull);
  LineTable* table = table_of(k, code_id(guard, code));
  if (table == nullptr) return count_loss(log::Loss::CallTableFull);
  k.lines->frames[k.lines->count++] = {frame, table, nullptr, 0};
}

void line_begins(const void* frame, const void* code, std::uint32_t line) {
  const std::uint64_t at = now();
  OpenLine* open = innermost();
  if (open == nullptr || open->frame != frame) {
    if (code == nullptr) return;
    frame_begins(frame, code);
    open = innermost();
    if (open == nullptr || open->frame != frame) return;
  }
  book(*open, at);
  const LineTable& t = *open->table;
  open->words = line - t.first < t.room ? t.lines[line - t.first] : nullptr;
  if (open->words == nullptr) open->words = make_words(*open->table, line);
  if (open->words != nullptr) ++open->words->hits;
  open->start = now();
}

void frame_ends(const void* frame) {
  const std::uint64_t at = now();
  OpenLine* open = innermost();
  if (open == nullptr) return;
  OpenLines& lines = *shadow().kept.lines;
  // Frames above it that did not end belong to a stack that was switched away.
  constexpr std::uint32_t kMostSearched = 64;
  for (std::uint32_t above = 0; above < lines.count && above < kMostSearched; ++above) {
    OpenLine& candidate = lines.frames[lines.count - 1 - above];
    if (candidate.frame != frame) continue;
    book(candidate, at);
    lines.count -= above + 1;
    return;
  }
}

bool is_innermost(const void* frame) {
  const OpenLine* open = innermost();
  return open != nullptr && open->frame == frame;
}

}  // namespace prof::python::calls
