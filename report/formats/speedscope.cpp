#include "report/formats/speedscope.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "report/formats/json_value.hpp"
#include "report/formats/parts.hpp"
#include "report/show/measure.hpp"
#include "report/show/names.hpp"

namespace prof::formats {
namespace {

std::string json_text(const std::string& value) {
  return Json(show::printable(value)).dump(-1, ' ', true, Json::error_handler_t::replace);
}

const char* speedscope_unit(model::Measure measure) {
  switch (show::names_of(measure).kind) {
    case show::Kind::Time:
      return "nanoseconds";
    case show::Kind::Bytes:
      return "bytes";
    default:
      return "none";
  }
}

std::string name_of(const Part& part) {
  return part.thread.empty() ? part.process : fmt::format("{} of {}", part.thread, part.process);
}

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
      std::string out = fmt::format("{}{{\"name\":{}", separator, json_text(show::label(function, whole_names)));
      if (!file.empty()) out += fmt::format(",\"file\":{}", json_text(file));
      if (function.line != 0) out += fmt::format(",\"line\":{}", function.line);
      write(out + '}');
      separator = ",\n";
    }
  }

 private:
  std::vector<std::uint32_t> functions_;
  std::map<std::uint32_t, std::uint32_t> numbers_;
};

Profile profile_of(const show::Subject& subject, const std::string& name, const fold::Selection& selection,
                   model::Measure measure, Frames& frames) {
  Profile profile{name, {}, 0};
  const fold::CallTree tree = fold::build_call_tree(subject.run, subject.symbols, selection);
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
                    json_text(profile.name), speedscope_unit(measure), profile.total));
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
  Frames frames;
  std::vector<Profile> profiles;
  const auto add = [&](const std::string& name, const fold::Selection& selection) {
    Profile profile = profile_of(subject, name, selection, options.measure, frames);
    if (!profile.stacks.empty()) profiles.push_back(std::move(profile));
  };
  if (options.merge) {
    add(run_name, subject.selection);
  } else {
    for (const Part& part : parts_of(subject, !show::is_level(options.measure))) add(name_of(part), part.selection);
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
  write(fmt::format("],\"name\":{},\"activeProfileIndex\":0,\"exporter\":\"prof {}\"}}\n", json_text(run_name),
                    PROF_VERSION));
  return profiles.size();
}

}  // namespace prof::formats
