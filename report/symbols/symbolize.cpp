#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "report/symbols/demand.hpp"
#include "report/symbols/demangle.hpp"
#include "report/symbols/line_table.hpp"
#include "report/symbols/operator_names.hpp"
#include "report/symbols/python_class.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::symbols {

using model::Frame;

class SymbolsBuilder {
 public:
  SymbolsBuilder(const model::Run& run, const Options& options)
      : run_(run), options_(options), demand_(run, !options.hide_agent), operators_(run), classes_(run) {
    for (const model::Process& process : run.processes) {
      if (process.python && !process.python->path.empty()) interpreters_.insert(process.python->path);
    }
  }

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

  std::uint32_t function(const Function& wanted) {
    // Python knows many functions of one name in a file (<lambda>); of native code the line is not always known.
    const std::uint32_t line = wanted.language == Language::Python ? wanted.line : 0;
    const auto key = std::tuple(wanted.name, wanted.file, wanted.module, wanted.language, line);
    const auto [found, is_new] = functions_.try_emplace(key, static_cast<std::uint32_t>(symbols_.functions_.size()));
    if (is_new) symbols_.functions_.push_back(wanted);
    return found->second;
  }

  std::uint32_t location(const Function& in, std::uint32_t line, const std::string& file) {
    const std::uint32_t id = function(in);
    const auto key = std::tuple(id, line, file);
    const auto [found, is_new] = locations_.try_emplace(key, static_cast<std::uint32_t>(symbols_.locations_.size()));
    if (is_new) symbols_.locations_.push_back({id, line, file});
    return found->second;
  }

  Chain chain(const std::vector<std::uint32_t>& locations) {
    const auto first = static_cast<std::uint32_t>(symbols_.chains_.size());
    const auto [found, is_new] =
        chains_.try_emplace(locations, Chain{first, static_cast<std::uint32_t>(locations.size())});
    if (is_new) symbols_.chains_.insert(symbols_.chains_.end(), locations.begin(), locations.end());
    return found->second;
  }

  void add_module(const Demand::Module& module) {
    std::vector<Chain>& chains = module_chains_.emplace_back();
    if (interpreters_.contains(module.path)) {
      const std::string name = "(interpreter internals)";
      Function internals{name, name, "", 0, module.path};
      internals.interpreter = true;
      internals.named = false;
      symbols_.internals_.emplace(module.path, location(internals, 0, ""));
    }
    for (const std::vector<SourceFrame>& frames : module.answer.frames) {
      std::vector<std::uint32_t> ids;
      for (const SourceFrame& frame : frames) {
        if (!options_.inlines && &frame != &frames.back()) continue;
        Function named{frame.name, short_name(frame.name), frame.file, frame.line, module.path};
        named.interpreter = interpreters_.contains(module.path);
        named.named = !is_address(named);
        named.unoptimised = frame.unoptimised;
        const std::string& file = frame.at_file.empty() ? frame.file : frame.at_file;
        ids.push_back(location(named, frame.at_line, file));
        add_operator(ids.back(), std::move(named), frame.at_line, file);
      }
      chains.push_back(chain(ids));
    }
    if (!module.addresses.empty()) symbols_.modules_.push_back(module.answer.report);
  }

  // A function that runs an operator has a second location, as that operator.
  void add_operator(std::uint32_t native, Function named, std::uint32_t line, const std::string& file) {
    const std::string name = operators_.of(named.short_name);
    if (name.empty()) return;
    named.name = named.short_name = name;
    named.language = Language::Operator;
    symbols_.operators_.insert_or_assign(native, location(named, line, file));
  }

  static bool is_address(const Function& function) {
    const std::string module = function.module_name();
    return !module.empty() && function.name.starts_with(module) && function.name.compare(module.size(), 3, "+0x") == 0;
  }

  const std::string& short_name(const std::string& name) {
    const auto [found, is_new] = short_names_.try_emplace(name);
    if (is_new) found->second = without_abi_tag(shorten(name));
    return found->second;
  }

  void add_process(std::size_t index) {
    const model::Process& process = run_.processes[index];
    std::vector<Chain>& chains = symbols_.frames_.emplace_back();
    line_tables_.clear();
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
      // Code that was made at run time has no file; each address by itself would be a function of its own.
      case Frame::Kind::Anonymous:
        return one(special("(code outside any file)"));
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
      case log::NameKind::Stream:
      case log::NameKind::File:
        break;
    }
    return unknown_;
  }

  std::uint32_t python_location(const model::Process& process, const Frame& frame) {
    if (frame.code == model::kNoCode) return unknown_python_;
    const model::Code& code = process.codes[frame.code];
    const std::string name = name_of(process, code);
    const auto first_line = static_cast<std::uint32_t>(std::max(0, code.first_line));
    const Function in{name, name, code.file, first_line, "", false, Language::Python};
    if (frame.kind == Frame::Kind::PythonLine) return location(in, frame.line, code.file);
    return location(in, line_table(frame.code, code).line_at(frame.place), code.file);
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

  Chain one(std::uint32_t location) { return chain({location}); }

  const model::Run& run_;
  const Options& options_;
  Demand demand_;
  OperatorNames operators_;
  PythonClasses classes_;
  std::set<std::string> interpreters_;  // their files
  Symbols symbols_;
  std::vector<std::vector<Chain>> module_chains_;  // [module][address]
  std::map<std::tuple<std::string, std::string, std::string, Language, std::uint32_t>, std::uint32_t> functions_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, std::uint32_t> locations_;
  std::unordered_map<std::string, std::string> short_names_;
  std::unordered_map<std::uint32_t, LineTable> line_tables_;  // of the process in hand, by code
  std::map<std::vector<std::uint32_t>, Chain> chains_;
  std::uint32_t unsampled_ = 0, no_stack_ = 0, truncated_ = 0, unknown_ = 0, unknown_python_ = 0, unseen_launch_ = 0,
                unnamed_ = 0;
};

std::span<const std::uint32_t> Symbols::locations(std::size_t process, std::uint32_t frame) const {
  const auto [first, count] = frames_[process][frame];
  return std::span(chains_).subspan(first, count);
}

Symbols symbolize(const model::Run& run, const Options& options) { return SymbolsBuilder(run, options).run(); }

}  // namespace prof::symbols
