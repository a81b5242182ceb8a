#include "report/page/stack_columns.hpp"

#include <unordered_map>

#include "report/model/wait_class.hpp"
#include "report/show/measure.hpp"
#include "report/show/names.hpp"

namespace prof::page {
namespace {

using Column = std::vector<std::int64_t>;

// Of a frame; web/stacks.js has the same numbers.
constexpr std::int64_t kOwn = 1, kInlined = 2, kSpecial = 4, kInterpreter = 8;

// "libc (file)": which of log::kWaitClassNames a blocking call waits for; -1: it is none.
std::int64_t wait_class(const symbols::Function& function) {
  if (function.language != symbols::Language::Wait) return -1;
  for (std::size_t i = 0; i < log::kWaitClasses; ++i) {
    if (function.module == symbols::wait_module(log::kWaitClassNames[i])) return static_cast<std::int64_t>(i);
  }
  return static_cast<std::int64_t>(log::WaitClass::Other);
}

// By location: whether it was only ever seen inlined into another function.
std::vector<bool> inlined_locations(const show::Subject& subject) {
  const symbols::Symbols& symbols = subject.symbols;
  std::vector<bool> inlined(symbols.location_count()), whole(symbols.location_count());
  for (std::size_t process = 0; process < subject.run.processes.size(); ++process) {
    for (std::uint32_t frame = 0; frame < subject.run.processes[process].tree.frames.size(); ++frame) {
      const auto chain = symbols.locations(process, frame);
      for (std::size_t i = 0; i < chain.size(); ++i) (i + 1 < chain.size() ? inlined : whole)[chain[i]] = true;
    }
  }
  for (std::size_t i = 0; i < inlined.size(); ++i) inlined[i] = inlined[i] && !whole[i];
  return inlined;
}

// Each function and each place in one once, as columns.
class Places {
 public:
  Places(const show::Subject& subject, Bundle& bundle)
      : symbols_(subject.symbols),
        own_(subject.run, subject.symbols, subject.selection),
        inlined_(inlined_locations(subject)),
        bundle_(bundle) {}

  std::int64_t number(std::uint32_t location) {
    const auto [found, is_new] = ids_.try_emplace(location, std::ssize(function_));
    if (is_new) {
      const symbols::Location& at = symbols_.location(location);
      function_.push_back(function_number(at.function));
      line_.push_back(at.line);
      const bool elsewhere = !at.file.empty() && at.file != symbols_.function(at.function).file;
      file_.push_back(elsewhere ? text(at.file) : -1);
      inlined_here_.push_back(inlined_[location] ? kInlined : 0);
    }
    return found->second;
  }

  Json json() {
    return {{"function", bundle_.add(function_)},
            {"line", bundle_.add(line_)},
            {"file", bundle_.add(file_)},
            {"flags", bundle_.add(inlined_here_)},
            {"functions",
             {{"name", bundle_.add(name_)},
              {"whole", bundle_.add(whole_)},
              {"file", bundle_.add(declared_)},
              {"line", bundle_.add(first_)},
              {"module", bundle_.add(module_)},
              {"language", bundle_.add(language_)},
              {"wait", bundle_.add(wait_)},
              {"flags", bundle_.add(flags_)}}}};
  }

 private:
  std::int64_t text(const std::string& words) { return static_cast<std::int64_t>(bundle_.text(words)); }

  std::int64_t function_number(std::uint32_t id) {
    const auto [found, is_new] = functions_.try_emplace(id, std::ssize(name_));
    if (is_new) {
      const symbols::Function& function = symbols_.function(id);
      name_.push_back(text(show::label(function, false)));
      whole_.push_back(text(show::label(function, true)));
      declared_.push_back(text(function.file));
      first_.push_back(function.line);
      module_.push_back(text(function.module));
      language_.push_back(static_cast<std::int64_t>(function.language));
      wait_.push_back(wait_class(function));
      flags_.push_back((own_.function(id) ? kOwn : 0) | (function.special ? kSpecial : 0) |
                       (function.interpreter ? kInterpreter : 0));
    }
    return found->second;
  }

  const symbols::Symbols& symbols_;
  fold::OwnCode own_;
  std::vector<bool> inlined_;
  Bundle& bundle_;
  std::unordered_map<std::uint32_t, std::int64_t> ids_, functions_;
  Column function_, line_, file_, inlined_here_;                               // of places
  Column name_, whole_, declared_, first_, module_, language_, wait_, flags_;  // of functions
};

Json part_json(const StackPart& part, Bundle& bundle) {
  Json own = Json::array();
  for (const Sparse& column : part.own) {
    Column steps, values;  // from node to node: those are small numbers
    std::int64_t last = 0;
    for (const auto& [node, value] : column) {
      steps.push_back(node - last);
      values.push_back(value);
      last = node;
    }
    own.push_back(column.empty() ? Json() : Json{bundle.add(steps), bundle.add(values)});
  }
  return {{"thread", part.thread},
          {"process", bundle.text(part.process)},
          {"name", bundle.text(part.name)},
          {"pid", part.pid},
          {"tid", part.tid},
          {"rank", formats::or_null(part.rank)},
          {"own", std::move(own)}};
}

const char* kind_name(show::Kind kind) {
  switch (kind) {
    case show::Kind::Time:
      return "time";
    case show::Kind::Bytes:
      return "bytes";
    default:
      return "count";
  }
}

}  // namespace

Json stacks_json(const show::Subject& subject, const StackTree& tree, Bundle& bundle) {
  Places places(subject, bundle);
  Column parents, locations, left_out;
  for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
    const StackNode& at = tree.nodes[node];
    parents.push_back(static_cast<std::int64_t>(node) - at.parent);
    locations.push_back(node == 0 || at.location == kOthers ? -1 : places.number(at.location));
    left_out.push_back(tree.left_out[node]);
  }
  Json measures = Json::array(), classes = Json::array(), parts = Json::array();
  for (const model::Measure measure : tree.measures) {
    const show::MeasureNames& words = show::names_of(measure);
    measures.push_back({{"name", words.name},
                        {"noun", words.noun},
                        {"kind", kind_name(words.kind)},
                        {"level", show::is_level(measure)}});
  }
  for (const char* name : log::kWaitClassNames) classes.push_back(name);
  for (const StackPart& part : tree.parts) parts.push_back(part_json(part, bundle));
  return {{"parent", bundle.add(parents)}, {"place", bundle.add(locations)},  {"left_out", bundle.add(left_out)},
          {"places", places.json()},       {"measures", std::move(measures)}, {"waits", std::move(classes)},
          {"parts", std::move(parts)},     {"threads", tree.threads},         {"all_nodes", tree.all_nodes}};
}

}  // namespace prof::page
