#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <unordered_map>

#include "report/symbols/demangle.hpp"
#include "report/symbols/line_table.hpp"
#include "report/symbols/module_symbols.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::symbols {
namespace {

using model::Frame;

// Every distinct module of a run with the addresses that occur in it. The same library in a hundred processes is one.
class Demand {
 public:
  struct Module {
    std::string path, build_id;
    std::vector<std::uint64_t> addresses;  // ascending, unique
    ModuleSymbols answer;
  };

  Demand(const model::Run& run, bool with_agent) {
    for (const model::Process& process : run.processes) {
      std::vector<std::size_t>& indices = of_process_.emplace_back();
      for (const model::Module& module : process.modules) indices.push_back(index_of(module));
      for (const Frame& frame : process.tree.frames) {
        if (frame.kind != Frame::Kind::Native || (process.modules[frame.module].agent && !with_agent)) continue;
        modules_[indices[frame.module]].addresses.push_back(frame.address);
      }
    }
    for (Module& module : modules_) {
      std::sort(module.addresses.begin(), module.addresses.end());
      module.addresses.erase(std::unique(module.addresses.begin(), module.addresses.end()), module.addresses.end());
    }
  }

  void resolve(const Options& options) {
    std::vector<std::size_t> work;
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      if (!modules_[i].addresses.empty()) work.push_back(i);
    }
    std::atomic<std::size_t> next = 0;
    std::size_t done = 0;
    std::mutex lock;
    const auto worker = [&] {
      for (std::size_t i = 0; (i = next.fetch_add(1)) < work.size();) {
        Module& module = modules_[work[i]];
        module.answer = resolve_module(module.path, module.build_id, module.addresses, options.search);
        const std::lock_guard guard(lock);
        ++done;
        if (options.progress) options.progress(done, work.size());
      }
    };
    const std::size_t wanted =
        options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(wanted, work.size()); ++i) others.emplace_back(worker);
    worker();
  }

  std::size_t index(std::size_t process, std::uint32_t module) const { return of_process_[process][module]; }
  const std::vector<Module>& modules() const { return modules_; }

 private:
  std::size_t index_of(const model::Module& module) {
    // Without a build id only the path tells what it is.
    const auto key = std::pair(module.build_id.empty() ? module.path : std::string(), module.build_id);
    const auto [found, is_new] = by_key_.try_emplace(key, modules_.size());
    if (is_new) modules_.push_back({module.path, module.build_id, {}, {}});
    return found->second;
  }

  std::vector<Module> modules_;
  std::vector<std::vector<std::size_t>> of_process_;
  std::map<std::pair<std::string, std::string>, std::size_t> by_key_;
};

}  // namespace

class SymbolsBuilder {
 public:
  SymbolsBuilder(const model::Run& run, const Options& options)
      : run_(run), options_(options), demand_(run, !options.hide_agent) {
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
    symbols_.chains_.insert(symbols_.chains_.end(), locations.begin(), locations.end());
    return {first, static_cast<std::uint32_t>(locations.size())};
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
        ids.push_back(location(named, frame.at_line, frame.at_file.empty() ? frame.file : frame.at_file));
      }
      chains.push_back(chain(ids));
    }
    if (!module.addresses.empty()) symbols_.modules_.push_back(module.answer.report);
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
    for (const Frame& frame : process.tree.frames) chains.push_back(chain_of(index, process, frame));
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
      case Frame::Kind::Python:
      case Frame::Kind::PythonLine:
        return one(python_location(process, frame));
      case Frame::Kind::Named:
        return one(frame.name == model::kNoName ? unnamed_ : named_location(process.names[frame.name]));
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
      case log::NameKind::Stream:
        break;
    }
    return unknown_;
  }

  std::uint32_t python_location(const model::Process& process, const Frame& frame) {
    if (frame.code == model::kNoCode) return unknown_python_;
    const model::Code& code = process.codes[frame.code];
    const std::string& name = code.display_name();
    const auto first_line = static_cast<std::uint32_t>(std::max(0, code.first_line));
    const Function in{name, name, code.file, first_line, "", false, Language::Python};
    if (frame.kind == Frame::Kind::PythonLine) return location(in, frame.line, code.file);
    return location(in, line_table(frame.code, code).line_at(frame.place), code.file);
  }

  const LineTable& line_table(std::uint32_t index, const model::Code& code) {
    const auto found = line_tables_.find(index);
    return found != line_tables_.end() ? found->second : line_tables_.try_emplace(index, code).first->second;
  }

  Chain one(std::uint32_t location) {
    const auto [found, is_new] = single_.try_emplace(location);
    if (is_new) found->second = chain({location});
    return found->second;
  }

  const model::Run& run_;
  const Options& options_;
  Demand demand_;
  std::set<std::string> interpreters_;  // their files
  Symbols symbols_;
  std::vector<std::vector<Chain>> module_chains_;  // [module][address]
  std::map<std::tuple<std::string, std::string, std::string, Language, std::uint32_t>, std::uint32_t> functions_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, std::uint32_t> locations_;
  std::unordered_map<std::string, std::string> short_names_;
  std::unordered_map<std::uint32_t, LineTable> line_tables_;  // of the process in hand, by code
  std::unordered_map<std::uint32_t, Chain> single_;
  std::uint32_t unsampled_ = 0, no_stack_ = 0, truncated_ = 0, unknown_ = 0, unknown_python_ = 0, unseen_launch_ = 0,
                unnamed_ = 0;
};

std::span<const std::uint32_t> Symbols::locations(std::size_t process, std::uint32_t frame) const {
  const auto [first, count] = frames_[process][frame];
  return std::span(chains_).subspan(first, count);
}

Symbols symbolize(const model::Run& run, const Options& options) { return SymbolsBuilder(run, options).run(); }

}  // namespace prof::symbols
