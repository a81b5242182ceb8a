#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "report/symbols/call_glue.hpp"
#include "report/symbols/cython_names.hpp"
#include "report/symbols/cython_sources.hpp"
#include "report/symbols/demand.hpp"
#include "report/symbols/demangle.hpp"
#include "report/symbols/function_key.hpp"
#include "report/symbols/java_folders.hpp"
#include "report/symbols/line_table.hpp"
#include "report/symbols/method_source.hpp"
#include "report/symbols/numba_names.hpp"
#include "report/symbols/numbered.hpp"
#include "report/symbols/operator_names.hpp"
#include "report/symbols/perf_map.hpp"
#include "report/symbols/python_class.hpp"
#include "report/symbols/shell_scripts.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::symbols {

using model::Frame;

class SymbolsBuilder {
 public:
  SymbolsBuilder(const model::Run& run, const Options& options)
      : run_(run),
        options_(options),
        demand_(run, !options.hide_agent),
        operators_(run),
        classes_(run),
        numba_(run),
        sources_(run),
        cython_(sources_),
        scripts_(run) {}

  Symbols run() {
    demand_.resolve(options_);
    unsampled_ = special("(unsampled)");
    no_stack_ = special("(no stack)");
    truncated_ = special("(truncated)");
    unknown_ = special("(unknown)");
    unseen_launch_ = special("(launch not seen)");
    unnamed_ = special("(unnamed)");
    unknown_python_ = special("(unknown Python code)", Language::Python);
    symbols_.native_location_ = special("(native)");
    symbols_.python_location_ = special("(Python)", Language::Python);
    const std::string backward = "(backward thread)";
    symbols_.backward_location_ = location({backward, backward, "", 0, "PyTorch", true, Language::Native}, 0, "");
    symbols_.unsampled_ = symbols_.locations_[unsampled_].function;
    symbols_.no_stack_location_ = no_stack_;
    for (const auto& module : demand_.modules()) add_module(module);
    for (std::size_t i = 0; i < run_.processes.size(); ++i) add_process(i);
    return std::move(symbols_);
  }

 private:
  using Chain = Symbols::Chain;

  std::uint32_t special(const std::string& name, Language language = Language::Native) {
    return location({name, name, "", 0, "", true, language}, 0, "");
  }

  // The function of that key; where there is none yet, what `make` gives.
  template <typename Make>
  std::uint32_t function(const FunctionKey& key, Make make) {
    const auto next = static_cast<std::uint32_t>(symbols_.functions_.size());
    const auto [id, is_new] = functions_.find_or_add(
        key.hash(), next, [&](std::uint32_t known) { return FunctionKey(symbols_.functions_[known]) == key; });
    if (is_new) symbols_.functions_.push_back(make());
    return id;
  }

  std::uint32_t location(std::uint32_t function, std::uint32_t line, const std::string& file) {
    const auto next = static_cast<std::uint32_t>(symbols_.locations_.size());
    const std::uint64_t hash = Hash().add(function).add(line).add(file).value();
    const auto [id, is_new] = locations_.find_or_add(hash, next, [&](std::uint32_t known) {
      const Location& other = symbols_.locations_[known];
      return other.function == function && other.line == line && other.file == file;
    });
    if (is_new) symbols_.locations_.push_back({function, line, file});
    return id;
  }

  std::uint32_t location(Function&& in, std::uint32_t line, const std::string& file) {
    return location(function(FunctionKey(in), [&] { return std::move(in); }), line, file);
  }

  Chain chain(std::span<const std::uint32_t> locations) {
    Hash hash;
    for (const std::uint32_t location : locations) hash.add(location);
    const auto [id, is_new] = numbered_chains_.find_or_add(
        hash.value(), static_cast<std::uint32_t>(chains_.size()), [&](std::uint32_t known) {
          return std::ranges::equal(std::span(symbols_.chains_).subspan(chains_[known].first, chains_[known].count),
                                    locations);
        });
    if (is_new) {
      chains_.push_back(
          {static_cast<std::uint32_t>(symbols_.chains_.size()), static_cast<std::uint32_t>(locations.size())});
      symbols_.chains_.insert(symbols_.chains_.end(), locations.begin(), locations.end());
    }
    return chains_[id];
  }

  void add_module(const Demand::Module& module) {
    std::vector<Chain>& chains = module_chains_.emplace_back();
    if (module.interpreter) {
      const std::string name = "(interpreter internals)";
      Function internals{name, name, "", 0, module.path};
      internals.interpreter = true;
      internals.named = false;
      symbols_.internals_.emplace(module.path, location(std::move(internals), 0, ""));
    }
    for (const std::vector<SourceFrame>& frames : module.answer.frames) {
      std::vector<std::uint32_t> ids;
      for (const SourceFrame& frame : frames) {
        if (!options_.inlines && &frame != &frames.back()) continue;
        if (!options_.glue && hands_call_on(frame.name, short_name(frame.name))) continue;
        const std::optional<SourceFrame> moved = in_its_source(frame);
        const SourceFrame& at = moved ? *moved : frame;
        const std::string& file = at.at_file.empty() ? at.file : at.at_file;
        const std::uint32_t in = function(FunctionKey(at.name, at.file, module.path, Language::Native, 0), [&] {
          Function named{at.name, short_name(at.name), at.file, at.line, module.path};
          named.interpreter = module.interpreter;
          named.named = !is_address(named);
          named.unoptimised = frame.unoptimised;
          return named;
        });
        ids.push_back(location(in, at.at_line, file));
        add_operator(ids.back());
      }
      chains.push_back(chain(ids));
    }
    if (!module.addresses.empty()) symbols_.modules_.push_back(module.answer.report);
  }

  // What Cython made of a module stands in that module; nothing: it is none of Cython's.
  std::optional<SourceFrame> in_its_source(const SourceFrame& frame) {
    if (frame.name.find("__pyx_") == std::string::npos) return {};
    SourceFrame out = frame;
    if (const auto begins = cython_.place(frame.file, frame.line)) {
      out.file = begins->file;
      out.line = begins->line;
    }
    if (const auto at = cython_.place(frame.at_file.empty() ? frame.file : frame.at_file, frame.at_line)) {
      out.at_file = at->file;
      out.at_line = at->line;
    }
    return out;
  }

  // A function that runs an operator has a second location, as that operator.
  void add_operator(std::uint32_t native) {
    if (native < operators_looked_for_.size() && operators_looked_for_[native]) return;
    operators_looked_for_.resize(symbols_.locations_.size());
    operators_looked_for_[native] = true;
    const Location at = symbols_.locations_[native];
    const std::string name = operators_.of(symbols_.functions_[at.function].short_name);
    if (name.empty()) return;
    Function named = symbols_.functions_[at.function];
    named.name = named.short_name = name;
    named.language = Language::Operator;
    const std::uint32_t as_operator = location(std::move(named), at.line, at.file);
    if (native >= symbols_.operators_.size()) symbols_.operators_.resize(std::size_t{native} + 1, Symbols::kNone);
    symbols_.operators_[native] = as_operator;
  }

  static bool is_address(const Function& function) {
    const std::string module = function.module_name();
    return !module.empty() && function.name.starts_with(module) && function.name.compare(module.size(), 3, "+0x") == 0;
  }

  const std::string& short_name(const std::string& name) {
    const auto [found, is_new] = short_names_.try_emplace(name);
    if (is_new) found->second = cython_name(name).value_or(without_abi_tag(shorten(name)));
    return found->second;
  }

  void add_process(std::size_t index) {
    const model::Process& process = run_.processes[index];
    std::vector<Chain>& chains = symbols_.frames_.emplace_back();
    line_tables_.clear();
    python_functions_.clear();
    made_.reset();
    numba_.begin(process);
    runs_backward_ = std::any_of(process.codes.begin(), process.codes.end(), [](const model::Code& code) {
      return code.file.ends_with("torch/autograd/__init__.py");
    });
    const auto& locks = demand_.locks(index);
    for (std::uint32_t i = 0; i < process.tree.frames.size(); ++i) {
      const bool is_lock = std::binary_search(locks.begin(), locks.end(), i);
      chains.push_back(is_lock ? Chain{0, 0} : chain_of(index, process, process.tree.frames[i]));
    }
    std::map<std::uint32_t, std::string>& names = symbols_.data_names_.emplace_back();
    for (const std::uint32_t frame : locks) names.emplace(frame, demand_.data_name(index, process.tree.frames[frame]));
  }

  Chain chain_of(std::size_t index, const model::Process& process, const Frame& frame) {
    switch (frame.kind) {
      case Frame::Kind::Native: {
        if (options_.hide_agent && process.modules[frame.module].agent) return {0, 0};
        const std::size_t module = demand_.index(index, frame.module);
        const auto& addresses = demand_.modules()[module].addresses;
        const auto at = std::lower_bound(addresses.begin(), addresses.end(), frame.address) - addresses.begin();
        return module_chains_[module][static_cast<std::size_t>(at)];
      }
      case Frame::Kind::Anonymous:
        return frame.name != model::kNoName ? one(made_location(process, process.names[frame.name], frame.number))
                                            : listed(process, frame.address);
      case Frame::Kind::Truncated:
        return one(truncated_);
      case Frame::Kind::NoStack:
        return one(no_stack_);
      case Frame::Kind::Unsampled:
        return one(unsampled_);
      case Frame::Kind::Profiler:
        return one(special("(profiler)"));
      case Frame::Kind::Python:
      case Frame::Kind::PythonLine:
        return one(python_location(process, frame));
      case Frame::Kind::Named:
        if (frame.name == model::kNoName) return one(unnamed_);
        if (process.names[frame.name].kind == log::NameKind::File) return {0, 0};
        if (process.names[frame.name].kind == log::NameKind::Script)
          return one(script_location(process.names[frame.name], frame.number));
        return one(named_location(process.names[frame.name]));
      case Frame::Kind::UnseenLaunch:
        return one(unseen_launch_);
      case Frame::Kind::Unknown:
        break;
      case Frame::Kind::Aside:
      case Frame::Kind::ExactCalls:
      case Frame::Kind::ExactLines:
      case Frame::Kind::NoCaller:
        return {0, 0};
    }
    return one(unknown_);
  }

  std::uint32_t made_location(const model::Process& process, const model::Name& name, std::uint32_t line) {
    if (name.kind == log::NameKind::Method) return method_location(name, line);
    if (name.kind == log::NameKind::LuaTrace) return trace_location(process, name, line);
    if (const auto made = numba_.function(process, name.name, name.group, line))
      return location({made->name, made->name, made->file, made->line, kMadeByNumba, false, Language::Native}, 0,
                      made->file);
    const std::string whole = demangle(name.name);
    // What is no function ("(Java interpreter)") has a name of that form.
    const std::string called = whole.starts_with('(') ? whole : short_name(whole);
    return location({whole, called, name.group, line, kMadeAtRunTime, false, Language::Native}, 0, "");
  }

  std::uint32_t method_location(const model::Name& name, std::uint32_t line) {
    MethodSource source = method_source(name.group);
    if (source.line > 0 && !is_of_java_itself(source.file))
      source.line = declared_line(sources_.file(source.file).lines, source.line, name.name);
    return location({name.name, name.name, source.file, source.line, kMadeByJava, false, Language::Native}, line,
                    source.file);
  }

  std::uint32_t trace_location(const model::Process& process, const model::Name& name, std::uint32_t line) {
    MethodSource source = method_source(name.group);
    // LuaJIT has paths as the program wrote them; what was given as text has none.
    if (!source.file.starts_with('(') && !process.cwd.empty())
      source.file = (std::filesystem::path(process.cwd) / source.file).lexically_normal().string();
    return location({name.name, name.name, source.file, source.line, kMadeByLuajit, false, Language::Native}, line,
                    source.file);
  }

  // Code that was made at run time and not announced: by the list that its maker wrote. Each address by itself would be
  // a function of its own.
  Chain listed(const model::Process& process, std::uint64_t address) {
    if (!made_) made_ = made_by(process);
    const std::span<const MadeFunction> found = made_->at(address);
    if (found.empty()) return one(special(kOutsideAnyFile));
    std::vector<std::uint32_t> ids;
    for (const MadeFunction& made : found) {
      if (!options_.inlines && &made != &found.back()) continue;
      ids.push_back(
          location({made.name, made.short_name, made.file, made.line, std::string(made.maker), false, Language::Native},
                   made.at_line, made.file));
    }
    return chain(ids);
  }

  // What a fork's child made itself comes last, and holds where both have something.
  PerfMap made_by(const model::Process& process) const {
    std::string text = map_text_of(process, next_with_the_pid(process), options_.maps);
    const model::Process* of = &process;
    for (std::size_t i = 0; i < run_.processes.size() && of->origin == log::Origin::Forked && of->parent; ++i) {
      of = &run_.processes[*of->parent];
      text.insert(0, map_text_of(*of, next_with_the_pid(*of), options_.maps));
    }
    return {text, nameless_addresses(process)};
  }

  // When the next image or process of that number began; INT64_MAX: none did.
  std::int64_t next_with_the_pid(const model::Process& process) const {
    std::int64_t next = INT64_MAX;
    for (const model::Process& other : run_.processes) {
      if (other.pid == process.pid && other.start_realtime_ns > process.start_realtime_ns)
        next = std::min(next, model::to_signed(other.start_realtime_ns));
    }
    return next;
  }

  std::uint32_t script_location(const model::Name& name, std::uint32_t line) {
    const std::string called = name.name.empty() ? "<script>" : name.name;
    const ShellScripts::Place place = scripts_.place_of(name.group, name.name, line);
    if (place.file.empty()) return location({called, called, "", 0, "", false, Language::Shell}, 0, "");
    return location({called, called, place.file, place.first, "", false, Language::Shell}, line, place.file);
  }

  std::uint32_t named_location(const model::Name& name) {
    switch (name.kind) {
      case log::NameKind::Api:
        return location({name.name, name.name, "", 0, name.group, false, Language::Api}, 0, "");
      case log::NameKind::Kernel: {
        const std::string whole = demangle(name.name);
        return location({whole, short_name(whole), "", 0, "GPU", false, Language::Gpu}, 0, "");
      }
      case log::NameKind::Copy:
        return location({copy_label(name), copy_label(name), "", 0, "GPU", false, Language::Gpu}, 0, "");
      case log::NameKind::Range:
        return location(
            {name.name, name.name, "", 0, name.group.empty() ? "range" : name.group, false, Language::Range}, 0, "");
      case log::NameKind::Operator:
        return location({name.name, name.name, "", 0, name.group, false, Language::Operator}, 0, "");
      case log::NameKind::Wait:
        return location({name.name, name.name, "", 0, wait_module(name.group), false, Language::Wait}, 0, "");
      case log::NameKind::Task:
        return location({name.name, name.name, "", 0, name.group.empty() ? "task" : name.group, false, Language::Task},
                        0, "");
      case log::NameKind::Stream:
      case log::NameKind::File:
      case log::NameKind::MadeCode:
      case log::NameKind::Script:
      case log::NameKind::Method:
      case log::NameKind::LuaTrace:
        break;
    }
    return unknown_;
  }

  std::uint32_t python_location(const model::Process& process, const Frame& frame) {
    if (frame.code == model::kNoCode) return unknown_python_;
    const model::Code& code = process.codes[frame.code];
    const auto [found, is_new] = python_functions_.try_emplace(frame.code);
    if (is_new) {
      const std::uint32_t made = found->second = python_function(process, code);
      if (runs_backward_)
        symbols_.whole_locations_.try_emplace(made, location(made, symbols_.functions_[made].line, code.file));
    }
    if (frame.kind == Frame::Kind::PythonLine) return location(found->second, frame.line, code.file);
    return location(found->second, line_table(frame.code, code).line_at(frame.place), code.file);
  }

  std::uint32_t python_function(const model::Process& process, const model::Code& code) {
    const std::string name = name_of(process, code);
    Function in{name, name,  code.file,       static_cast<std::uint32_t>(std::max(0, code.first_line)),
                "",   false, Language::Python};
    return function(FunctionKey(in), [&] { return std::move(in); });
  }

  // A module of PyTorch is known by the class of its forward().
  std::string name_of(const model::Process& process, const model::Code& code) {
    if (!code.qualname.empty() || code.name != "forward") return code.display_name();
    const std::string in = classes_.class_of(process, code);
    return in.empty() ? code.name : in + '.' + code.name;
  }

  const LineTable& line_table(std::uint32_t index, const model::Code& code) {
    const auto found = line_tables_.find(index);
    return found != line_tables_.end() ? found->second : line_tables_.try_emplace(index, code).first->second;
  }

  Chain one(std::uint32_t location) { return chain({&location, 1}); }

  const model::Run& run_;
  const Options& options_;
  Demand demand_;
  OperatorNames operators_;
  PythonClasses classes_;
  NumbaNames numba_;
  SourceFiles sources_;
  CythonSources cython_;
  ShellScripts scripts_;
  Symbols symbols_;
  std::vector<std::vector<Chain>> module_chains_;  // [module][address]
  Numbered functions_, locations_, numbered_chains_;
  std::vector<Chain> chains_;               // by number
  std::vector<bool> operators_looked_for_;  // by location
  std::unordered_map<std::string, std::string> short_names_;
  std::unordered_map<std::uint32_t, LineTable> line_tables_;           // of the process in hand, by code
  std::unordered_map<std::uint32_t, std::uint32_t> python_functions_;  // of the process in hand, by code
  bool runs_backward_ = false;                                         // the process in hand
  std::optional<PerfMap> made_;  // of the process in hand; none: not asked for yet
  std::uint32_t unsampled_ = 0, no_stack_ = 0, truncated_ = 0, unknown_ = 0, unknown_python_ = 0, unseen_launch_ = 0,
                unnamed_ = 0;
};

std::span<const std::uint32_t> Symbols::locations(std::size_t process, std::uint32_t frame) const {
  const auto [first, count] = frames_[process][frame];
  return std::span(chains_).subspan(first, count);
}

Symbols symbolize(const model::Run& run, const Options& options) { return SymbolsBuilder(run, options).run(); }

}  // namespace prof::symbols
