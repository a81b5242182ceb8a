#include "report/formats/speedscope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/formats/json_value.hpp"
#include "report/show/measure.hpp"
#include "report/show/words.hpp"

namespace prof::formats {
namespace {

std::string quoted(const std::string& value) {
  return Json(show::printable(value)).dump(-1, ' ', true, Json::error_handler_t::replace);
}

const char* unit_of(model::Measure measure) {
  switch (show::words_of(measure).kind) {
    case show::Kind::Time:
      return "nanoseconds";
    case show::Kind::Bytes:
      return "bytes";
    default:
      return "none";
  }
}

// A part of the run that becomes a profile.
struct Part {
  std::string name;
  fold::Selection selection;
};

std::string process_name(const model::Process& process) {
  return fmt::format("{} (pid {})", show::command_label(process, false), process.pid);
}

class Parts {
 public:
  Parts(const show::Subject& subject, model::Measure measure)
      : subject_(subject), by_thread_(!show::is_level(measure)) {
    for (const model::Process& process : subject.run.processes) {
      if (subject.selection.includes(process)) add(process);
    }
  }

  std::vector<Part> list() && { return std::move(parts_); }

 private:
  // Images of one process (and its main thread) have one pid: they are one part.
  void add(const model::Process& process) {
    if (!by_thread_) {
      if (seen_.insert({process.pid, 0}).second) add(process, process_name(process), {});
      return;
    }
    for (const model::Thread& thread : process.threads) {
      if (!subject_.selection.includes(thread) || !seen_.insert({process.pid, thread.tid}).second) continue;
      const bool single = process.threads.size() == 1;
      std::string name = process_name(process);
      if (!single) name = fmt::format("{} (tid {}) of {}", thread.display_name(), thread.tid, name);
      add(process, std::move(name), {std::to_string(thread.tid)});
    }
  }

  void add(const model::Process& process, std::string name, std::vector<std::string> threads) {
    Part& part = parts_.emplace_back(Part{std::move(name), subject_.selection});
    part.selection.pids = {process.pid};
    if (!threads.empty()) part.selection.threads = std::move(threads);
  }

  const show::Subject& subject_;
  bool by_thread_;
  std::vector<Part> parts_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen_;
};

struct Profile {
  std::string name;
  std::vector<std::pair<std::vector<std::uint32_t>, std::int64_t>> stacks;  // outermost frame first
  std::int64_t total = 0;
};

// The frames of all profiles: functions, numbered as they are met.
class Frames {
 public:
  std::uint32_t number(std::uint32_t function) {
    const auto [found, is_new] = numbers_.try_emplace(function, static_cast<std::uint32_t>(functions_.size()));
    if (is_new) functions_.push_back(function);
    return found->second;
  }

  void write(const symbols::Symbols& symbols, bool whole_names, const Write& write) const {
    const char* separator = "\n";
    for (const std::uint32_t id : functions_) {
      const symbols::Function& function = symbols.function(id);
      const std::string& file = function.file.empty() ? function.module : function.file;
      std::string out = fmt::format("{}{{\"name\":{}", separator, quoted(show::label(function, whole_names)));
      if (!file.empty()) out += fmt::format(",\"file\":{}", quoted(file));
      if (function.line != 0) out += fmt::format(",\"line\":{}", function.line);
      write(out + '}');
      separator = ",\n";
    }
  }

 private:
  std::vector<std::uint32_t> functions_;
  std::map<std::uint32_t, std::uint32_t> numbers_;
};

Profile profile_of(const show::Subject& subject, const Part& part, model::Measure measure, Frames& frames) {
  Profile profile{part.name, {}, 0};
  const fold::CallTree tree = fold::build_call_tree(subject.run, subject.symbols, part.selection);
  fold::for_each_stack(tree, measure, [&](std::span<const std::uint32_t> functions, std::int64_t value) {
    if (value <= 0) return;
    std::vector<std::uint32_t>& stack = profile.stacks.emplace_back(std::vector<std::uint32_t>(), value).first;
    for (const std::uint32_t function : functions) stack.push_back(frames.number(function));
    profile.total = model::saturated_sum(profile.total, value);
  });
  return profile;
}

void write_profile(const Profile& profile, model::Measure measure, const Write& write) {
  write(fmt::format("{{\"type\":\"sampled\",\"name\":{},\"unit\":\"{}\",\"startValue\":0,\"endValue\":{},\"samples\":[",
                    quoted(profile.name), unit_of(measure), profile.total));
  const char* separator = "\n[";
  for (const auto& [stack, value] : profile.stacks) {
    write(fmt::format("{}{}]", separator, fmt::join(stack, ",")));
    separator = ",\n[";
  }
  write("],\"weights\":[");
  separator = "\n";
  for (const auto& [stack, value] : profile.stacks) {
    write(fmt::format("{}{}", separator, value));
    separator = ",";
  }
  write("]}");
}

}  // namespace

std::size_t speedscope(const show::Subject& subject, const SpeedscopeOptions& options, const Write& write) {
  const std::string run_name =
      subject.run.processes.empty() ? std::string("run") : subject.run.processes.front().command();
  std::vector<Part> parts;
  if (options.merge) {
    parts.push_back({run_name, subject.selection});
  } else {
    parts = Parts(subject, options.measure).list();
  }
  Frames frames;
  std::vector<Profile> profiles;
  for (const Part& part : parts) {
    Profile profile = profile_of(subject, part, options.measure, frames);
    if (!profile.stacks.empty()) profiles.push_back(std::move(profile));
  }
  if (profiles.empty()) return 0;
  std::stable_sort(profiles.begin(), profiles.end(),
                   [](const Profile& a, const Profile& b) { return a.total > b.total; });

  write("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":[");
  frames.write(subject.symbols, options.whole_names, write);
  write("]},\"profiles\":[");
  const char* separator = "\n";
  for (const Profile& profile : profiles) {
    write(separator);
    write_profile(profile, options.measure, write);
    separator = ",\n";
  }
  write(fmt::format("],\"name\":{},\"activeProfileIndex\":0,\"exporter\":\"prof {}\"}}\n", quoted(run_name),
                    PROF_VERSION));
  return profiles.size();
}

}  // namespace prof::formats
