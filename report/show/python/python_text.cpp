#include "report/show/python/python_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "report/show/numbers.hpp"

namespace prof::show {
namespace {

struct Group {
  std::size_t processes = 0;
  std::uint64_t stacks = 0;
};

std::string sentence(const model::PythonInfo& python, const Group& group, bool of_several) {
  if (!python.frames && python.version.empty() && python.reason.starts_with("PyPy:")) return python.reason + '.';
  std::string text = python.version.empty() ? std::string("of unknown version") : python.version;
  if (of_several) text += fmt::format(" in {}", counted(model::to_signed(group.processes), "process", "processes"));
  if (python.frames) {
    text += fmt::format(": Python frames in {}", counted(model::to_signed(group.stacks), "stack", "stacks"));
  } else {
    text += ": no Python frames, native ones alone";
    if (!python.reason.empty()) text += " (" + python.reason + ")";
  }
  if (python.mode == "calls") text += "; exact calls: --view calls";
  if (python.mode == "lines") text += "; exact calls and lines: --view calls, --view line-hits";
  text += '.';
  if (!python.note.empty()) text += ' ' + python.note + (python.note.ends_with('.') ? "" : ".");
  return text;
}

}  // namespace

std::vector<std::string> python_sentences(const Subject& subject) {
  using Key = std::tuple<std::string, bool, std::string, std::string, std::string>;
  std::map<Key, std::pair<model::PythonInfo, Group>> groups;
  for (const model::Process& process : subject.run.processes) {
    if (!process.python || !subject.selection.includes(process)) continue;
    const model::PythonInfo& python = *process.python;
    auto& [info, group] = groups[{python.version, python.frames, python.reason, python.mode, python.note}];
    info = python;
    ++group.processes;
    for (const model::Thread& thread : process.threads) {
      if (subject.selection.includes(thread)) group.stacks = model::saturated_sum(group.stacks, thread.python_stacks);
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [key, entry] : groups) sentences.push_back(sentence(entry.first, entry.second, groups.size() > 1));
  return sentences;
}

std::vector<std::string> python_remarks(const Subject& subject) {
  const bool any =
      std::any_of(subject.run.processes.begin(), subject.run.processes.end(), [&](const model::Process& p) {
        return subject.selection.includes(p) && p.python &&
               (!p.python->frames || !p.python->note.empty() || p.python->mode == "calls" || p.python->mode == "lines");
      });
  return any ? python_sentences(subject) : std::vector<std::string>{};
}

}  // namespace prof::show
