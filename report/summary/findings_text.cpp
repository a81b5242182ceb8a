#include "report/summary/findings_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/unread_sources.hpp"
#include "report/fold/own/own_lines.hpp"
#include "report/show/captions.hpp"
#include "report/show/commands.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/text.hpp"
#include "report/show/trees.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::show {
namespace {

using findings::Finding;
using findings::Outcome;
using findings::Rule;

constexpr std::size_t kInSummary = 6;
constexpr double kWorthAnError = 0.02;       // of the amount
constexpr double kExplained = 0.8;           // of a line's share of the time
constexpr double kLeads = 0.25;              // of the CPU time, at one line
constexpr std::size_t kLeastSource = 20;     // columns
constexpr std::size_t kLongestSource = 400;  // bytes, where lines are not cut
constexpr std::size_t kFindingLabel = 10;    // "   where  "

// "from 1.20 s to 3.40 s", "at 1.20 s", "7 times, from 1.20 s to 3.40 s": from the start of the run.
std::string when_text(const model::Run& run, const std::vector<findings::Span>& when) {
  std::int64_t from = INT64_MAX, to = 0;
  for (const findings::Span& span : when) {
    const model::Process& process = run.processes[span.process];
    from = std::min(from, since_start(run, process, span.begin_monotonic_ns));
    to = std::max(to, since_start(run, process, span.end_monotonic_ns));
  }
  const auto time = [](std::int64_t ns) { return ns > 0 ? duration(static_cast<double>(ns)) : std::string("0 s"); };
  if (when.size() == 1 && from == to) return "at " + time(from);
  const std::string times = when.size() > 1 ? fmt::format("{} times, ", grouped(std::ssize(when))) : std::string();
  return fmt::format("{}from {} to {}", times, time(from), time(to));
}

class FindingsWriter {
 public:
  FindingsWriter(const Subject& subject, const ViewOptions& options, const Terminal& terminal,
                 const fold::CallTree* tree = nullptr)
      : run_(subject.run),
        options_(options),
        terminal_(terminal),
        files_(subject.run),
        evidence_(subject.run, subject.symbols, subject.selection, tree),
        outcome_(findings::look_for_all(evidence_)) {}

  const Outcome& outcome() const { return outcome_; }

  void heading(const std::string& text) { out_ += styled(terminal_, Style::Heading, text) + '\n'; }
  void sentence(const std::string& text) { out_ += wrapped(printable(text), terminal_.width) + '\n'; }
  void gap() { out_ += '\n'; }

  enum class Detail { Short, Usual, Times };  // Short: what and where alone; Times: when, too

  void finding(std::size_t number, const Finding& finding, Detail detail) {
    std::string title = fmt::format("{}. {}", number, finding.title);
    const std::string saved = savings_text(finding, evidence_.of_steps());
    if (!saved.empty()) title += fmt::format(": could save {} {}", saved, finding.saves_more ? "and more" : "at most");
    out_ += styled(terminal_, Style::Bold, wrapped(printable(title), terminal_.width, 3)) + '\n';
    const char* label = "where";
    const std::size_t places =
        detail == Detail::Short ? std::min<std::size_t>(2, finding.places.size()) : finding.places.size();
    for (std::size_t i = 0; i < places; ++i) {
      const findings::Place& place = finding.places[i];
      std::string text = place_text(place, options_.wide);
      std::string source = place.line > 0 ? files_.line(place.file, static_cast<std::uint32_t>(place.line)) : "";
      source.erase(0, source.find_first_not_of(' '));
      const std::size_t used = kFindingLabel + display_width(text) + 2;
      if (!source.empty() && (terminal_.width == 0 || used + kLeastSource < terminal_.width)) {
        // A script that was made small is one line of a megabyte.
        const std::size_t room = terminal_.width == 0 ? kLongestSource : terminal_.width - used;
        text += "  " + (terminal_.width == 0 && source.size() <= room ? source : cut_middle(printable(source), room));
      }
      labelled(label, text);
      label = "";
    }
    if (detail == Detail::Short) return;
    if (const std::string callers = callers_text(finding); !callers.empty()) labelled("from", callers);
    labelled("seen", finding.seen);
    if (detail == Detail::Times && !finding.when.empty()) labelled("when", when_text(run_, finding.when));
    labelled("try", finding.advice);
  }

  // False, and nothing written, where all would be more than so many lines then, one for what is left out included.
  bool finding_within(std::size_t number, const Finding& one, Detail detail, std::size_t lines) {
    const std::string before = out_;
    finding(number, one, detail);
    if (lines == SIZE_MAX || static_cast<std::size_t>(std::count(out_.begin(), out_.end(), '\n')) < lines) return true;
    out_ = before;
    return false;
  }

  void rest() {
    if (!outcome_.clear.empty()) {
      std::vector<std::string> names;
      for (const Rule* rule : outcome_.clear) names.emplace_back(rule->name);
      sentence(fmt::format("Looked for, and not found or too small to tell: {}.", fmt::join(names, ", ")));
    }
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons;  // in the order of the rules
    for (const auto& [rule, why] : outcome_.unknown) {
      const auto known =
          std::find_if(reasons.begin(), reasons.end(), [why = why](const auto& entry) { return entry.first == why; });
      auto& names =
          known != reasons.end() ? known->second : reasons.emplace_back(why, std::vector<std::string>{}).second;
      names.emplace_back(rule->name);
    }
    for (const auto& [why, names] : reasons) {
      sentence(fmt::format("Not known, because {}: {}.", why, fmt::join(names, ", ")));
    }
  }

  std::string take() { return std::move(out_); }

 private:
  // "report (app.py:38) <- main (app.py:51)": how the first place is called, as far as one line goes.
  std::string callers_text(const Finding& finding) const {
    std::string out;
    if (finding.places.empty()) return out;
    for (const findings::Place& place : finding.places.front().callers) {
      if (place.function == "<module>" && !out.empty()) break;
      const std::string next = (out.empty() ? "" : " <- ") + place_text(place, options_.wide);
      if (!out.empty() && terminal_.width > 0 && kFindingLabel + display_width(out + next) > terminal_.width) break;
      out += next;
    }
    return out;
  }

  void labelled(const char* label, const std::string& text) {
    out_ += styled(terminal_, Style::Dim, fmt::format("   {:<{}}", label, kFindingLabel - 3)) +
            hanging(printable(text), terminal_.width, kFindingLabel) + '\n';
  }

  const model::Run& run_;
  const ViewOptions& options_;
  const Terminal& terminal_;
  symbols::SourceFiles files_;
  findings::Evidence evidence_;
  Outcome outcome_;
  std::string out_;
};

std::vector<std::string> said_beside(const std::vector<Finding>& found, const std::vector<Remark>& remarks) {
  std::vector<std::string> out;
  for (const Remark& remark : remarks) {
    const bool told = std::any_of(found.begin(), found.end(), [&](const Finding& finding) {
      if (remark.share > 0 && finding.saves <= 0) return false;  // of its memory: its time is another matter
      const auto is_place = [&](const findings::Place& place) {
        return place.file == remark.place.file &&
               (place.line == remark.place.line || place.function == remark.place.function);
      };
      return std::any_of(finding.places.begin(), finding.places.end(), is_place) ||
             std::any_of(finding.instead_of.begin(), finding.instead_of.end(), is_place);
    });
    // Nor where one explains as much: what it names may be another line, that called this one.
    const bool explained = remark.share > 0 && std::any_of(found.begin(), found.end(), [&](const Finding& finding) {
                             return finding.saves >= kExplained * remark.share;
                           });
    if (remark.always && !told && !explained) out.push_back(remark.text);
  }
  return out;
}

std::vector<std::string> in_place_of_findings(const Outcome& outcome, const std::vector<Remark>& remarks) {
  std::vector<std::string> out;
  // What most of the time is comes first: that no fault is known of it is no all-clear.
  const auto leads = [](const Remark& one) { return one.share >= kLeads; };
  for (const Remark& one : remarks) {
    if (leads(one)) out.push_back(one.text);
  }
  out.push_back(none_found(outcome));
  for (const Remark& one : remarks) {
    if (!leads(one)) out.push_back(one.text);
  }
  return out;
}

}  // namespace

std::vector<std::string> beside_findings(const Outcome& outcome, const std::vector<Remark>& remarks) {
  return outcome.findings.empty() ? in_place_of_findings(outcome, remarks) : said_beside(outcome.findings, remarks);
}

std::string place_text(const findings::Place& place, bool wide) {
  std::string where = wide ? place.file : short_file(place.file);
  if (place.line > 0) where += fmt::format(":{}", place.line);
  if (place.function.empty()) return where;
  return where.empty() ? place.function : fmt::format("{} ({})", place.function, where);
}

std::string none_found(const Outcome& outcome) {
  const std::size_t looked = outcome.clear.size();
  if (looked == 0) return "Nothing could be looked for in this run.";
  const auto cannot_tell = [&](const char* why) {
    return std::any_of(outcome.unknown.begin(), outcome.unknown.end(),
                       [why](const auto& entry) { return std::string_view(entry.second) == why; });
  };
  std::vector<std::string> reasons;
  if (cannot_tell(findings::kStripped)) reasons.emplace_back("this Python is stripped");
  if (cannot_tell(findings::kUnread)) reasons.emplace_back(findings::kUnread);
  return fmt::format("None of the {} that this run can show was found{}.",
                     counted(static_cast<std::int64_t>(looked), "fault", "faults"),
                     reasons.empty()
                         ? "; there may be others"
                         : fmt::format(", but {}, so that some cannot be seen", fmt::join(reasons, " and ")));
}

std::string savings_text(const Finding& finding, bool of_steps) {
  std::vector<std::string> parts;
  if (finding.saves > 0) {
    std::string time = duration(static_cast<double>(finding.saves_ns));
    if (static_cast<double>(finding.error_ns) >= kWorthAnError * static_cast<double>(finding.saves_ns))
      time += fmt::format(", give or take {}", duration(static_cast<double>(finding.error_ns)));
    parts.push_back(finding.of_processors ? fmt::format("{} of CPU time", time)
                                          : fmt::format("{} % of the {} time ({})", percent(finding.saves, 1),
                                                        of_steps && !finding.of_run ? "steps'" : "run's", time));
  }
  if (finding.saves_bytes > 0) {
    std::string size = bytes(static_cast<double>(finding.saves_bytes));
    if (static_cast<double>(finding.error_bytes) >= kWorthAnError * static_cast<double>(finding.saves_bytes))
      size += fmt::format(", give or take {}", bytes(static_cast<double>(finding.error_bytes)));
    parts.push_back(std::move(size));
  }
  return fmt::format("{}", fmt::join(parts, " and "));
}

std::string findings_text(const Subject& subject, const ViewOptions& options, const Terminal& terminal) {
  FindingsWriter writer(subject, options, terminal);
  const std::vector<Finding>& found = writer.outcome().findings;
  writer.heading("Findings");
  for (const std::string& filter : filters(subject, options)) writer.sentence(filter);
  for (const std::string& caption : loss_captions(subject.run)) writer.sentence(caption);
  if (found.empty()) writer.sentence(none_found(writer.outcome()));
  const std::size_t shown = options.rows_of(found.size(), found.size());
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) writer.gap();
    writer.finding(i + 1, found[i], FindingsWriter::Detail::Times);
  }
  const fold::CallTree& tree = mixed_line_tree(subject);
  for (const std::string& one : said_beside(found, remarks(subject, options, tree, fold::own_lines(tree))))
    writer.sentence(one);
  writer.gap();
  for (const std::string& note : left_out(shown, found.size(), "findings")) writer.sentence(note);
  writer.rest();
  return writer.take();
}

std::string findings_in_summary(const Subject& subject, const ViewOptions& options, const Terminal& terminal,
                                const fold::CallTree& tree, std::size_t lines, const std::vector<Remark>& remarks) {
  FindingsWriter writer(subject, options, terminal, &tree);
  const std::vector<Finding>& found = writer.outcome().findings;
  writer.gap();
  writer.heading("Findings");
  const std::vector<std::string> beside = beside_findings(writer.outcome(), remarks);
  using Detail = FindingsWriter::Detail;
  const std::size_t room = lines - std::min(lines, 2 * beside.size());
  std::size_t shown = 0;
  bool shortened = false;
  // Where there is no room for all of one, what it is and where it stands is worth more than nothing.
  for (; shown < std::min(found.size(), kInSummary); ++shown) {
    if (!shortened && writer.finding_within(shown + 1, found[shown], Detail::Usual, shown == 0 ? SIZE_MAX : room))
      continue;
    if (!writer.finding_within(shown + 1, found[shown], Detail::Short, room)) break;
    shortened = true;
  }
  const std::string view = report_command(subject.run) + " --view findings";
  if (shown < found.size()) {
    writer.sentence(fmt::format("{} more: {}", found.size() - shown, view));
  } else if (shortened) {
    writer.sentence(fmt::format("In full: {}", view));
  }
  for (const std::string& one : beside) writer.sentence(one);
  return writer.take();
}

}  // namespace prof::show
