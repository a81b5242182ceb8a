#include "report/formats/pprof.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/formats/parts.hpp"
#include "report/formats/proto.hpp"
#include "report/show/measure.hpp"
#include "report/show/names.hpp"
#include "report/show/text.hpp"

namespace prof::formats {
namespace {

using model::Measure;

// Field numbers of github.com/google/pprof/proto/profile.proto.
namespace profile {
enum : unsigned { kSampleType = 1, kSample, kMapping, kLocation, kFunction, kString };
enum : unsigned { kTime = 9, kDuration, kPeriodType, kPeriod, kComment, kDefaultSampleType };
}  // namespace profile
namespace sample {
enum : unsigned { kLocation = 1, kValue, kLabel };
}
namespace label {
enum : unsigned { kKey = 1, kText };
}
namespace mapping {
enum : unsigned { kId = 1, kFile = 5, kBuildId, kHasFunctions, kHasFiles, kHasLines, kHasInlines };
}
namespace location {
enum : unsigned { kId = 1, kMapping, kAddress, kLine };
}
namespace line {
enum : unsigned { kFunction = 1, kLine };
}
namespace function {
enum : unsigned { kId = 1, kName, kSystemName, kFile, kStartLine };
}
namespace value_type {
enum : unsigned { kType = 1, kUnit };
}

struct SampleType {
  std::string name;
  const char* unit;
  bool level;  // live bytes or blocks: cannot be told by thread
  std::int64_t (*value)(const model::Metrics& metrics, Measure measure);
};

const char* unit_of(Measure measure) {
  switch (show::names_of(measure).kind) {
    case show::Kind::Time:
      return "nanoseconds";
    case show::Kind::Bytes:
      return "bytes";
    default:
      return "count";
  }
}

// The types of a profile that begins with `measure`, and the place of that one in them.
std::vector<SampleType> sample_types(Measure measure, std::size_t& first) {
  using model::Metrics;
  switch (measure) {
    case Measure::CpuSamples:
    case Measure::CpuTime:
      first = measure == Measure::CpuTime ? 1 : 0;
      return {{"samples", "count", false, [](const Metrics& m, Measure) { return m.cpu.samples; }},
              {"cpu", "nanoseconds", false, [](const Metrics& m, Measure) { return m.cpu.ns; }}};
    case Measure::Allocations:
    case Measure::Allocated:
    case Measure::Live:
      first = measure == Measure::Allocations ? 0 : measure == Measure::Allocated ? 1 : 3;
      return {{"alloc_objects", "count", false, [](const Metrics& m, Measure) { return m.heap.allocations(); }},
              {"alloc_space", "bytes", false, [](const Metrics& m, Measure) { return m.heap.bytes; }},
              {"inuse_objects", "count", true, [](const Metrics& m, Measure) { return m.heap.live_allocations(); }},
              {"inuse_space", "bytes", true, [](const Metrics& m, Measure) { return m.heap.live_bytes(); }}};
    default:
      first = 0;
      return {{show::names_of(measure).name, unit_of(measure), show::is_level(measure), model::value_of}};
  }
}

bool by_thread(Measure measure) {
  return measure == Measure::CpuTime || measure == Measure::CpuSamples || show::is_wait(measure);
}

// Everything that samples refer to by number. Numbers of all tables but the strings' begin with 1.
class Tables {
 public:
  Tables(const symbols::Symbols& symbols, bool whole_names) : symbols_(symbols), whole_names_(whole_names) { text(""); }

  std::uint64_t text(const std::string& value) {
    const auto [found, is_new] = strings_.try_emplace(show::valid_utf8(value), strings_.size());
    if (is_new) out_.text(profile::kString, found->first);
    return found->second;
  }

  std::uint64_t module(const std::string& path, const std::string& build_id) {
    if (path.empty()) return 0;
    const auto [found, is_new] = modules_.try_emplace(path, modules_.size() + 1);
    if (is_new) {
      ProtoMessage message;
      message.integer(mapping::kId, found->second);
      message.integer(mapping::kFile, text(path));
      message.integer(mapping::kBuildId, text(build_id));
      for (const unsigned known :
           {mapping::kHasFunctions, mapping::kHasFiles, mapping::kHasLines, mapping::kHasInlines}) {
        message.flag(known, true);  // or readers would look for symbols themselves
      }
      out_.message(profile::kMapping, message);
    }
    return found->second;
  }

  std::uint64_t place(std::uint32_t id) {
    const auto [found, is_new] = locations_.try_emplace(id, locations_.size() + 1);
    const std::uint64_t number = found->second;
    if (is_new) {
      const symbols::Location& at = symbols_.location(id);
      ProtoMessage line, message;
      line.integer(line::kFunction, function(at.function));
      line.integer(line::kLine, std::uint64_t{at.line});
      message.integer(location::kId, number);
      message.integer(location::kMapping, module(symbols_.function(at.function).module, ""));
      message.message(location::kLine, line);
      out_.message(profile::kLocation, message);
    }
    return number;
  }

  const std::string& bytes() const { return out_.bytes(); }

 private:
  std::uint64_t function(std::uint32_t id) {
    const auto [found, is_new] = functions_.try_emplace(id, functions_.size() + 1);
    if (is_new) {
      const symbols::Function& of = symbols_.function(id);
      ProtoMessage message;
      message.integer(function::kId, found->second);
      message.integer(function::kName, text(show::printable(show::label(of, whole_names_))));
      message.integer(function::kSystemName, text(show::printable(of.name)));
      message.integer(function::kFile, text(of.file));
      message.integer(function::kStartLine, std::uint64_t{of.line});
      out_.message(profile::kFunction, message);
    }
    return found->second;
  }

  const symbols::Symbols& symbols_;
  bool whole_names_;
  ProtoMessage out_;
  std::unordered_map<std::string, std::uint64_t> strings_, modules_;
  std::unordered_map<std::uint32_t, std::uint64_t> locations_, functions_;
};

ProtoMessage type_message(Tables& tables, const std::string& type, const char* unit) {
  ProtoMessage message;
  message.integer(value_type::kType, tables.text(type));
  message.integer(value_type::kUnit, tables.text(unit));
  return message;
}

// The samples of one part of the run; returns their number.
std::size_t add_samples(const show::Subject& subject, const Part& part, Measure measure,
                        const std::vector<SampleType>& types, Tables& tables, const Write& write) {
  const fold::CallTree tree =
      fold::build_call_tree(subject.run, subject.symbols, part.selection, fold::Granularity::Line);
  std::size_t count = 0;
  const auto add_label = [&](ProtoMessage& to, const char* key, const std::string& value) {
    ProtoMessage message;
    message.integer(label::kKey, tables.text(key));
    message.integer(label::kText, tables.text(show::printable(value)));
    to.message(sample::kLabel, message);
  };
  std::vector<std::uint64_t> stack;
  std::vector<std::int64_t> values(types.size());
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const model::Metrics self = tree.self().of(node);
    for (std::size_t i = 0; i < types.size(); ++i) {
      const bool known = tree.live_known() || !types[i].level;
      values[i] = known ? std::max<std::int64_t>(0, types[i].value(self, measure)) : 0;
    }
    if (std::all_of(values.begin(), values.end(), [](std::int64_t value) { return value == 0; })) continue;
    stack.clear();
    for (std::uint32_t at = node; at != 0; at = tree.nodes()[at].parent) {
      stack.push_back(tables.place(tree.nodes()[at].location));
    }
    ProtoMessage message, whole;
    message.packed(sample::kLocation, stack);
    message.packed(sample::kValue, values);
    add_label(message, "process", part.process);
    if (!part.thread.empty()) add_label(message, "thread", part.thread);
    whole.message(profile::kSample, message);
    write(whole.bytes());
    ++count;
  }
  return count;
}

}  // namespace

std::size_t pprof(const show::Subject& subject, const PprofOptions& options, const Write& write) {
  std::size_t first = 0;
  const std::vector<SampleType> types = sample_types(options.measure, first);
  Tables tables(subject.symbols, options.whole_names);
  const model::Process* process = nullptr;
  for (const model::Process& each : subject.run.processes) {
    if (process == nullptr && subject.selection.includes(each)) process = &each;
  }
  if (process == nullptr) return 0;
  for (const model::Module& module : process->modules) {
    if (module.path == process->exe) tables.module(module.path, module.build_id);  // readers take the first for it
  }
  std::size_t samples = 0;
  for (const Part& part : parts_of(subject, by_thread(options.measure))) {
    samples += add_samples(subject, part, options.measure, types, tables, write);
  }
  if (samples == 0) return 0;

  ProtoMessage rest;
  for (const SampleType& type : types) rest.message(profile::kSampleType, type_message(tables, type.name, type.unit));
  rest.integer(profile::kDefaultSampleType, tables.text(types[first].name));
  rest.integer(profile::kTime, subject.run.start_realtime_ns);
  rest.integer(profile::kDuration, subject.run.wall_ns);
  if (by_thread(options.measure)) {
    rest.message(profile::kPeriodType, type_message(tables, "cpu", "nanoseconds"));
    rest.integer(profile::kPeriod, process->sample_period_ns);
  } else if (process->heap_mode == log::HeapMode::Sampled) {
    rest.message(profile::kPeriodType, type_message(tables, "space", "bytes"));
    rest.integer(profile::kPeriod, process->heap_interval);
  }
  rest.integer(profile::kComment, tables.text(show::printable(process->command())));
  write(tables.bytes());
  write(rest.bytes());
  return samples;
}

}  // namespace prof::formats
