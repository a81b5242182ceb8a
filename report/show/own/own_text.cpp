#include "report/show/own/own_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/model/text.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"

namespace prof::show {
namespace {

using fold::OwnLine;

// Below it a part is not worth a word, and a row no line.
constexpr double kWorthAWord = 0.05, kWorthALine = 0.01;

// Of CPU and blocked time together: other shares on the same screen are of wall time.
constexpr const char* kOfBoth = "of both";

std::int64_t weight(const OwnLine& row, OwnOrder order) {
  return order == OwnOrder::Time ? row.ns() : row.memory.peak_bytes;
}

// What a program with steps imports it does once, before they begin: such rows come last, and those for which there is
// no room are told in a sentence.
std::string imports_left_out(const Subject& subject, const ViewOptions& options,
                             const std::vector<const OwnLine*>& rows, std::size_t shown, double whole) {
  const OwnLine* longest = nullptr;
  std::int64_t count = 0, ns = 0;
  for (std::size_t i = shown; i < rows.size(); ++i) {
    if (!mainly_imports(*rows[i])) continue;
    if (longest == nullptr) longest = rows[i];
    ++count;
    ns = model::saturated_sum(ns, rows[i]->ns());
  }
  if (longest == nullptr || real(ns) < kWorthALine * whole) return {};
  return fmt::format("Not in the table: {} ({} %) of imports, at {}{}.", duration(real(ns)), percent(real(ns), whole),
                     own_place(subject, *longest, options),
                     count > 1 ? fmt::format(" and {}", counted(count - 1, "other line", "other lines")) : "");
}

// "numpy 61 %, garbage collector 9 %".
std::string text_of(const std::vector<fold::Part>& parts, double all, std::size_t most) {
  std::string out;
  std::size_t count = 0;
  for (const fold::Part& part : parts) {
    if (count == most || all <= 0 || real(part.amount) < kWorthAWord * all) break;
    if (count == 0 && part.name == "own code" && real(part.amount) > (1 - kWorthAWord) * all) return {};
    out += fmt::format("{}{} {} %", count == 0 ? "" : ", ", part.name.empty() ? "other" : part.name,
                       percent(real(part.amount), all));
    ++count;
  }
  return out;
}

}  // namespace

std::string spent_text(const OwnLine& row, std::size_t most) { return text_of(row.spent, real(row.ns()), most); }

std::string computed_text(const OwnLine& row, std::size_t most) {
  std::vector<fold::Part> computed = row.spent;
  std::erase_if(computed, [](const fold::Part& part) { return part.name.starts_with(fold::kWaiting); });
  return text_of(computed, real(row.cpu.ns), most);
}

bool mainly_imports(const OwnLine& row) {
  constexpr double kMainly = 0.5;
  return !row.spent.empty() && row.spent.front().name == "imports" &&
         real(row.spent.front().amount) >= kMainly * real(row.ns());
}

bool holds_imports(const OwnLine& row) { return !row.held.empty() && row.held.front().name == "imports"; }

std::string held_text(const OwnLine& row, std::size_t most) {
  return text_of(row.held, real(row.memory.peak_bytes), most);
}

std::string own_place(const Subject& subject, const OwnLine& row, const ViewOptions& options) {
  if (!row.own) return "(no code of your own)";
  const std::string file = options.wide ? row.file : short_file(row.file);
  if (!options.by_function && !subject.symbols.function(row.function).listed())
    return fmt::format("{}:{}", file, row.line);
  const std::string place = row.line == 0 ? file : fmt::format("{}:{}", file, row.line);
  return fmt::format("{}({})", place, label(subject.symbols.function(row.function), options.wide));
}

std::string own_source(symbols::SourceFiles& files, const OwnLine& row) {
  if (!row.own) return {};
  std::string text = files.line(row.file, row.line);
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? std::string() : text.substr(begin);
}

Figures<OwnLine> own_figures(const Subject& subject, const fold::OwnLines& lines, const fold::CallTree& tree,
                             const ViewOptions& options) {
  const bool heap = heap_recorded(subject), live = heap && tree.live_known(), waits = tree.waits_known(),
             gpu = tree.device_known(), copies = tree.copies_known();
  const bool cut = !options.wide;
  std::int64_t whole = 0;
  for (const OwnLine& row : lines.rows) whole = model::saturated_sum(whole, row.ns());
  return {
      {{"cpu_ns", "CPU", Kind::Time}, [](auto& row) { return row.cpu.ns; }},
      {data("samples", "samples", Kind::Count), [](auto& row) { return row.cpu.samples; }},
      {{"blocked_ns", "blocked", Kind::Time, "", shown_if(lines.blocked_ns > 0)},
       [=](auto& row) { return known_if(waits, row.blocked_ns); }},
      {{"idle_ns", "idle", Kind::Time, "", shown_if(lines.idle_ns > 0)},
       [=](auto& row) { return known_if(waits, row.idle_ns); }},
      {{"gpu_ns", "GPU", Kind::Time, "", shown_if(gpu)}, [=](auto& row) { return known_if(gpu, row.gpu_ns); }},
      {{"time_share", "%", Kind::Share, kOfBoth, Where::TableOnly},
       [all = real(whole)](auto& row) { return share(real(row.ns()), all); }},
      {{"allocated_bytes", "allocated", Kind::Bytes, "", shown_if(heap)},
       [=](auto& row) { return known_if(heap, row.memory.bytes); }},
      {{"peak_bytes", "peak", Kind::Bytes, "", shown_if(heap)},
       [=](auto& row) { return known_if(live, row.memory.peak_bytes); }},
      {{"live_bytes", "live", Kind::Bytes, "", shown_if(heap && options.memory_columns)},
       [=](auto& row) { return known_if(live, row.memory.live_bytes()); }},
      {data("copied_bytes", "copied", Kind::Bytes), [=](auto& row) { return known_if(copies, row.copied_bytes); }},
      {{"place", "your line", Kind::Text, "", Where::TableOnly, cut},
       [&subject, &options](auto& row) { return own_place(subject, row, options); }},
      {data("file", "file", Kind::Text), [](auto& row) { return row.file; }},
      {data("line", "line", Kind::Plain), [](auto& row) { return row.own ? Cell(std::int64_t{row.line}) : Cell(); }},
      {data("function", "function", Kind::Text),
       [&subject](auto& row) { return row.own ? subject.symbols.function(row.function).name : std::string(); }},
      {data("spent_in", "spent in", Kind::Text), [](auto& row) { return spent_text(row, SIZE_MAX); }, kNotInJson},
      {data("held_by", "held by", Kind::Text), [](auto& row) { return held_text(row, SIZE_MAX); }, kNotInJson}};
}

Sheet own_table(const Subject& subject, const ViewOptions& options, const fold::OwnLines& lines, OwnOrder order,
                std::size_t most) {
  Sheet sheet;
  if (!lines.any_own()) return sheet;
  std::vector<const OwnLine*> rows;
  std::int64_t whole = 0;
  for (const OwnLine& row : lines.rows) {
    whole = model::saturated_sum(whole, weight(row, order));
    rows.push_back(&row);
  }
  // What a program with steps imports it does once, before they begin.
  const bool steps = std::any_of(subject.run.processes.begin(), subject.run.processes.end(),
                                 [](const model::Process& process) { return !process.steps.records.empty(); });
  const auto rank = [&](const OwnLine* row) {
    return std::pair(order == OwnOrder::Time && steps && mainly_imports(*row), -weight(*row, order));
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const OwnLine* a, const OwnLine* b) { return rank(a) < rank(b); });
  const auto matters = [&](const OwnLine* row) { return real(weight(*row, order)) >= kWorthALine * real(whole); };
  const auto worth = std::count_if(rows.begin(), rows.end(), matters);
  if (order == OwnOrder::Time && steps && rows.size() > most) {
    if (std::string note = imports_left_out(subject, options, rows, most, real(whole)); !note.empty())
      sheet.notes.push_back(std::move(note));
  }
  if (rows.size() > most && most > 0) {
    // Where there is room for few, not only for what is nobody's line.
    const auto own = std::find_if(rows.begin(), rows.end(), [](const OwnLine* row) { return row->own; });
    if (own - rows.begin() >= static_cast<std::ptrdiff_t>(most)) std::iter_swap(rows.begin() + most - 1, own);
    rows.resize(most);
  }
  std::erase_if(rows, [&](const OwnLine* row) { return !matters(row); });
  if (std::none_of(rows.begin(), rows.end(), [](const OwnLine* row) { return row->own; })) return sheet;

  const bool heap = heap_recorded(subject), time = order == OwnOrder::Time;
  sheet.title = time ? "Your lines: CPU + blocked time of all threads by the innermost line of your own code"
                     : "Memory by the innermost line of your own code";
  if (std::ssize(rows) < worth) sheet.title += fmt::format(" ({} of {})", rows.size(), worth);
  const auto any = [&](auto has) { return std::any_of(rows.begin(), rows.end(), has); };
  const bool blocked =
      time && any([&](const OwnLine* row) { return real(row->blocked_ns) >= kWorthALine * real(whole); });
  const bool gpu = time && any([](const OwnLine* row) { return row->gpu_ns > 0; });
  sheet.one_time_unit = true;
  symbols::SourceFiles files(subject.run, options.source_allowed);
  const Figures<OwnLine> figures = {
      {{"cpu_ns", "CPU", Kind::Time, "", shown_if(time)}, [](auto& row) { return row.cpu.ns; }},
      {{"blocked_ns", "blocked", Kind::Time, "", shown_if(blocked)}, &OwnLine::blocked_ns},
      {{"gpu_ns", "GPU", Kind::Time, "", shown_if(gpu)}, &OwnLine::gpu_ns},
      {{"peak_bytes", "peak", Kind::Bytes, "", shown_if(!time)}, [](auto& row) { return row.memory.peak_bytes; }},
      {{"share", "%", Kind::Share,
        !time     ? "of peaks"
        : blocked ? kOfBoth
                  : "of all"},
       [=](auto& row) { return share(real(weight(row, order)), real(whole)); }},
      {{"live_bytes", "live", Kind::Bytes, "", shown_if(!time)}, [](auto& row) { return row.memory.live_bytes(); }},
      {{"allocated_bytes", "allocated", Kind::Bytes, "", shown_if(heap)}, [](auto& row) { return row.memory.bytes; }},
      {{"place", "your line", Kind::Text, "", Where::Everywhere, !options.wide},
       [&](auto& row) { return own_place(subject, row, options); }},
      {{"source", "source", Kind::Text, "", Where::Everywhere, !options.wide},
       [&](auto& row) { return own_source(files, row); }},
      {data("file", "file", Kind::Text), [](auto& row) { return row.file; }},
      {data("line", "line", Kind::Plain), [](auto& row) { return row.own ? Cell(std::int64_t{row.line}) : Cell(); }}};
  sheet.columns = columns_of(figures);
  for (const OwnLine* row : rows) {
    Row& added = sheet.add(cells_of(figures, *row), row->own ? Emphasis::None : Emphasis::Faint);
    if (const std::string in = time ? spent_text(*row) : held_text(*row); !in.empty()) added.below = "in: " + in;
  }
  return sheet;
}

}  // namespace prof::show
