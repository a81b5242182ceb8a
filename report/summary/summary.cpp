#include "report/summary/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/fold/own/own_lines.hpp"
#include "report/show/captions.hpp"
#include "report/show/commands.hpp"
#include "report/show/numbers.hpp"
#include "report/show/own/own_text.hpp"
#include "report/show/table.hpp"
#include "report/show/text.hpp"
#include "report/show/trees.hpp"
#include "report/summary/facts.hpp"
#include "report/summary/findings_text.hpp"
#include "report/summary/made_code.hpp"
#include "report/summary/remarks.hpp"
#include "report/summary/top_tables.hpp"
#include "report/summary/views.hpp"

namespace prof::show {
namespace {

// A screen, and the columns of what is no terminal.
constexpr std::size_t kLines = 40;
constexpr std::size_t kColumns = 100;
constexpr std::size_t kOwnRows = 5, kLeastOwnRows = 1, kMemoryRows = 3, kCommands = 3;
constexpr std::int64_t kWorthATable = 8 << 20;   // bytes at the peak
constexpr std::int64_t kMemoryFirst = 64 << 20;  // that its table has room first
constexpr std::size_t kIndent = 2;               // of a table and what is said below it
constexpr std::size_t kHeading = 4;              // of a table: an empty line, its title, two lines of column headings

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

class SummaryWriter {
 public:
  SummaryWriter(const Subject& subject, const ViewOptions& options, const Terminal& terminal)
      : subject_(subject),
        options_(options),
        terminal_(terminal),
        tree_(mixed_line_tree(subject)),
        own_(fold::own_lines(tree_)) {
    if (terminal_.width == 0 && !options.wide) terminal_.width = kColumns;
  }

  std::string write() {
    out_ = facts(subject_, options_, terminal_, tree_) + reservations(subject_, terminal_, tree_);
    const std::string next = next_commands();
    const std::size_t end = lines_of(next);
    const std::string kernels = part("Kernels by time on GPUs (exact)", top_kernels(subject_, options_));
    const std::size_t taken = lines_of(out_) + end + lines_of(kernels);
    const std::size_t least = kHeading + 2 * kLeastOwnRows;
    out_ +=
        findings_in_summary(subject_, options_, terminal_, tree_, taken + least < kLines ? kLines - taken - least : 0,
                            remarks(subject_, options_, tree_, own_));
    out_ += kernels;
    lines_beside_memory(end);
    memory(end);
    const std::size_t over = std::max(lines_of(out_) + end, kLines) - kLines;
    return out_ + (over == 0 ? next : next_commands(kCommands - std::min(over, kCommands)));
  }

 private:
  std::string part(const std::string& title, const Sheet& sheet) const {
    if (sheet.rows.empty()) return {};
    std::string out = '\n' + styled(terminal_, Style::Heading, wrapped(title, terminal_.width)) + '\n' +
                      table_body(sheet, terminal_, kIndent);
    for (const std::string& note : sheet.notes)
      out += std::string(kIndent, ' ') +
             styled(terminal_, Style::Dim, hanging(printable(note), terminal_.width, kIndent)) + '\n';
    return out;
  }

  // As many rows as there is room for. Where there is no code of the user's own, functions are what there is.
  void lines(std::size_t end) {
    if (own_table(subject_, options_, own_, OwnOrder::Time, kOwnRows).rows.empty()) {
      if (Sheet commands = top_commands(subject_); !own_.any_own() && !commands.rows.empty()) {
        if (std::string note = script_without_lines(subject_.run); !note.empty())
          commands.notes.push_back(std::move(note));
        out_ += fitting("Commands by CPU time", commands, end);
        return;
      }
      if (!own_.any_own() && too_few_samples(subject_)) return;
      Sheet functions = top_functions(subject_, options_);
      const std::string spent = spent_text(own_.rows.back());
      if (!own_.any_own() && !spent.empty())
        functions.notes.push_back((!nameless_made_code(subject_, tree_).empty()
                                       ? "Your own code has no names here. In: "
                                       : "No code of your own was seen. In: ") +
                                  spent);
      out_ += fitting("Functions by CPU time of their own (tottime, sampled)", functions, end);
      return;
    }
    out_ += own(OwnOrder::Time, kOwnRows, end);
  }

  // Where much memory lives, the lines by time leave room for those by memory, if two of them stay.
  void lines_beside_memory(std::size_t end) {
    const std::size_t before = out_.size();
    const std::size_t memory = kHeading + 2 * kLeastOwnRows, least = kHeading + 2 * 2 * kLeastOwnRows;
    if (own_peak(false) >= kMemoryFirst) {
      lines(end + memory);
      if (lines_of(out_.substr(before)) >= least && lines_of(out_) + memory + end <= kLines) return;
      out_.resize(before);
    }
    lines(end);
  }

  // The table without the last rows that would not leave so many lines of the screen; the first one stays.
  std::string fitting(const std::string& title, Sheet sheet, std::size_t end) const {
    std::string text = part(title, sheet);
    while (sheet.rows.size() > kLeastOwnRows && lines_of(out_) + lines_of(text) + end > kLines) {
      sheet.rows.pop_back();
      text = part(title, sheet);
    }
    return text;
  }

  // The table that has most rows of those that leave so many lines of the screen; of one row where none does.
  std::string own(OwnOrder order, std::size_t most, std::size_t end) const {
    std::string text;
    for (std::size_t rows = most; rows >= kLeastOwnRows; --rows) {
      const Sheet sheet = own_table(subject_, options_, own_, order, rows);
      text = part(sheet.title, sheet);
      if (lines_of(out_) + lines_of(text) + end <= kLines) return text;
    }
    if (lines_of(out_) + lines_of(text) <= kLines) return text;
    Sheet sheet = own_table(subject_, options_, own_, order, kLeastOwnRows);
    sheet.notes.clear();
    return part(sheet.title, sheet);
  }

  // What all lines held when their processes held the most; 0 where that is not known.
  std::int64_t own_peak(bool with_imports = true) const {
    if (!own_.any_own() || !tree_.live_known()) return 0;
    std::int64_t peak = 0;
    for (const fold::OwnLine& row : own_.rows) {
      if (with_imports || !holds_imports(row)) peak = model::saturated_sum(peak, row.memory.peak_bytes);
    }
    return peak;
  }

  void memory(std::size_t end) {
    if (own_peak() < kWorthATable || lines_of(out_) + end + kHeading + 2 * kLeastOwnRows > kLines) return;
    const std::string text = own(OwnOrder::Memory, kMemoryRows, end);
    if (lines_of(out_) + lines_of(text) + end <= kLines) out_ += text;
  }

  // Where there is room for few, the first ones.
  std::string next_commands(std::size_t most = kCommands) const {
    std::vector<std::string> commands;
    const std::string command = report_command(subject_.run);
    if (own_.any_own())
      commands.push_back(command + " --view own" + (own_peak() < kWorthATable ? "" : "   # by memory: --sort peak"));
    for (std::string& view : next_views(subject_)) {
      if (commands.size() + 1 < kCommands) commands.push_back(std::move(view));
    }
    commands.push_back("prof report --list-views");
    commands.resize(std::min(commands.size(), most));
    if (commands.empty()) return {};
    std::string out = "\n";
    const char* label = "Next";
    for (const std::string& one : commands) {
      out += labelled(terminal_, label, one);
      label = "";
    }
    return out;
  }

  const Subject& subject_;
  const ViewOptions& options_;
  Terminal terminal_;
  const fold::CallTree& tree_;
  fold::OwnLines own_;
  std::string out_;
};

}  // namespace

std::string summary(const Subject& subject, const ViewOptions& options, const Terminal& terminal) {
  return SummaryWriter(subject, options, terminal).write();
}

static Sheet summary_sheet_of(const Subject& subject, const ViewOptions&) { return summary_sheet(subject); }

extern const View kSummaryView{.name = "summary",
                               .help = "the first screen: what is wrong, and where the time and memory went",
                               .topic = Topic::Run,
                               .sheets = one_sheet<summary_sheet_of>,
                               .text = summary};

}  // namespace prof::show
