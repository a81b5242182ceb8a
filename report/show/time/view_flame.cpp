#include <fmt/format.h>

#include "report/fold/time/outline.hpp"
#include "report/show/captions.hpp"
#include "report/show/measure.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/table.hpp"
#include "report/show/text.hpp"
#include "report/show/time/icicle.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

constexpr std::size_t kUsualColumns = 100, kUsualLevels = 30;
constexpr std::size_t kNoName = 3;  // columns: a letter or two are no name

// How blocks of one kind look: two shades, by turns, of colours of the usual 256, and what fills them without colour.
struct Paint {
  int even, odd;
  const char *block, *ascii;
};
const Paint& paint_of(const symbols::Function& function) {
  static constexpr Paint kPython{221, 215, "\u2592", "="}, kNative{117, 111, "\u2591", "-"},
      kDevice{120, 114, "\u2593", "#"}, kWaiting{250, 246, "\u2593", "~"}, kOther{182, 176, "\u2592", "+"};
  switch (function.language) {
    case symbols::Language::Python:
    case symbols::Language::Shell:
      return kPython;
    case symbols::Language::Native:
      return kNative;
    case symbols::Language::Gpu:
      return kDevice;
    case symbols::Language::Wait:
      return kWaiting;
    case symbols::Language::Api:
    case symbols::Language::Range:
    case symbols::Language::Operator:
    case symbols::Language::Task:
      break;
  }
  return kOther;
}

// The beginning of a text that is printable.
std::string cut_end(const std::string& text, std::size_t columns) {
  if (display_width(text) <= columns) return text;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    if (display_width(text.substr(0, end)) > columns) break;
    at = end;
    out = text.substr(0, at);
  }
  return out;
}

// A block of so many columns: where it begins, its name as far as there is room for it, and what fills it.
std::string painted(const std::string& name, std::size_t columns, const Paint& paint, bool odd,
                    const Terminal& terminal) {
  if (terminal.colour) {
    const std::string text = columns > kNoName ? cut_end(name, columns - 1) : std::string();
    return fmt::format("\x1b[38;5;16;48;5;{}m{}{:{}}\x1b[0m", odd ? paint.odd : paint.even, text, "",
                       columns - display_width(text));
  }
  std::string out = terminal.unicode ? "\u258f" : "|";
  const std::string text = columns > kNoName ? cut_end(name, columns - 1) : std::string();
  out += text;
  for (std::size_t i = 1 + display_width(text); i < columns; ++i) out += terminal.unicode ? paint.block : paint.ascii;
  return out;
}

struct Flame {
  const MeasureNames& words;
  std::optional<std::string_view> unknown;
  fold::Outline outline;
};

Flame flame_of(const Subject& subject, const ViewOptions& options, double min_fraction) {
  const fold::CallTree& tree = function_tree(subject);
  Flame out{names_of(options.measure), not_known(options.measure, tree), {}};
  fold::OutlineOptions how;
  how.measure = options.measure;
  how.bottom_up = options.bottom_up;
  how.min_fraction = min_fraction;
  if (!out.unknown) out.outline = fold::outline(tree, how);
  return out;
}

std::string amount(const Flame& flame, std::int64_t value) {
  switch (flame.words.kind) {
    case Kind::Time:
      return duration(static_cast<double>(value));
    case Kind::Bytes:
      return bytes(static_cast<double>(value));
    default:
      return grouped(value);
  }
}

Sheet heading(const Subject& subject, const ViewOptions& options) {
  Sheet sheet;
  sheet.title = options.bottom_up ? "Flame graph, bottom-up" : "Flame graph";
  sheet.captions.push_back(fmt::format(
      "{}. Blocks are as wide as their share; {}.", measuring(subject, options.measure),
      options.bottom_up ? "below each function stand its callers" : "below each function stand its callees"));
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));
  return sheet;
}

std::string drawn(const Flame& flame, const Subject& subject, const ViewOptions& options, const Icicle& blocks,
                  std::size_t columns, const Terminal& terminal) {
  constexpr Paint kAll{253, 253, " ", " "};
  std::string out = painted(fmt::format("all: {}, {}", amount(flame, flame.outline.total), flame.words.noun), columns,
                            kAll, false, terminal) +
                    '\n';
  for (const std::vector<IcicleBlock>& level : blocks.levels) {
    std::string line;
    std::size_t at = 0;
    for (std::size_t i = 0; i < level.size(); ++i) {
      const IcicleBlock& block = level[i];
      const symbols::Function& function = subject.symbols.function(flame.outline.rows[block.row].function);
      line.append(block.first - at, ' ');
      line +=
          painted(printable(label(function, options.wide)), block.columns, paint_of(function), i % 2 == 1, terminal);
      at = block.first + block.columns;
    }
    out += line + '\n';
  }
  return out;
}

std::string flame_text(const Subject& subject, const ViewOptions& options, const Terminal& terminal) {
  const std::size_t columns = terminal.width == 0 ? kUsualColumns : terminal.width;
  const Flame flame = flame_of(subject, options, 1.0 / static_cast<double>(columns));
  Sheet sheet = heading(subject, options);
  std::string out = table(sheet, terminal);
  std::vector<std::string> notes;
  if (flame.unknown) notes.emplace_back(*flame.unknown);
  if (!flame.unknown && flame.outline.total <= 0) notes.emplace_back("No stack has that metric.");
  if (flame.outline.total > 0) {
    const Icicle blocks = icicle(flame.outline, columns, options.limit.value_or(kUsualLevels));
    out += '\n' + drawn(flame, subject, options, blocks, columns, terminal) + '\n';
    if (blocks.narrow > 0) {
      notes.push_back(fmt::format(
          "{} narrower than a column left out: {} ({:.1f} %).",
          counted(static_cast<std::int64_t>(blocks.narrow), "block", "blocks"), amount(flame, blocks.narrow_total),
          100.0 * static_cast<double>(blocks.narrow_total) / static_cast<double>(flame.outline.total)));
    }
    if (blocks.deeper > 0) {
      notes.push_back(fmt::format("{} more below; --limit 0 shows all.",
                                  counted(static_cast<std::int64_t>(blocks.deeper), "level", "levels")));
    }
  }
  for (const std::string& note : notes) out += wrapped(note, terminal.width) + '\n';
  return out;
}

}  // namespace

// The blocks, each before those below it.
static Sheet flame_view(const Subject& subject, const ViewOptions& options) {
  const Flame flame = flame_of(subject, options, options.everything ? 0 : 1.0 / kUsualColumns);
  Sheet sheet = heading(subject, options);
  const std::string unit = flame.words.kind == Kind::Time ? "_ns" : flame.words.kind == Kind::Bytes ? "_bytes" : "";
  sheet.columns = {{"depth", "depth", Kind::Plain},
                   {"begin" + unit, "from", flame.words.kind},
                   {flame.words.key, "total", flame.words.kind},
                   {flame.words.self_key, "self", flame.words.kind},
                   {"function", "function", Kind::Text},
                   {"file", "file", Kind::Text},
                   {"line", "line", Kind::Plain},
                   {"module", "module", Kind::Text},
                   {"language", "language", Kind::Text}};
  std::vector<std::int64_t> next{0};  // by depth: where the next block begins
  const std::size_t shown = options.rows_of(flame.outline.rows.size(), flame.outline.rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const fold::OutlineRow& row = flame.outline.rows[i];
    const symbols::Function& function = subject.symbols.function(row.function);
    next.resize(row.depth + 1);
    const std::int64_t begin = next[row.depth];
    next[row.depth] = model::saturated_sum(begin, row.total);
    next.push_back(begin);
    sheet.add({std::int64_t{row.depth}, begin, row.total, row.self, function.name, function.file,
               function.line == 0 ? Cell() : Cell(std::int64_t{function.line}), function.module,
               std::string(to_string(function.language))});
  }
  if (flame.unknown) sheet.notes.emplace_back(*flame.unknown);
  return sheet;
}

extern const View kFlameView{.name = "flame",
                             .help = "the call tree as a flame graph in the terminal, by any metric",
                             .topic = Topic::Time,
                             .sheets = one_sheet<flame_view>,
                             .text = flame_text,
                             .options = "--metric --bottom-up"};

}  // namespace prof::show
