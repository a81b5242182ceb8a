// The addresses of a run, by the files that they lie in.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/model/profile.hpp"
#include "report/symbols/module_symbols.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::symbols {

// Every distinct module of a run with the addresses that occur in it. The same library in a hundred processes is one.
class Demand {
 public:
  struct Module {
    std::string path, build_id;            // the path in one of the processes; others may have it elsewhere
    bool interpreter = false;              // Python's, of any of them
    std::vector<std::uint64_t> addresses;  // of code; ascending, unique
    std::vector<std::uint64_t> data;       // of locks; the same
    ModuleSymbols answer;
    std::vector<std::string> data_names;
  };

  Demand(const model::Run& run, bool with_agent);

  // Looks all of them up, modules in parallel.
  void resolve(const Options& options);

  std::size_t index(std::size_t process, std::uint32_t module) const { return of_process_[process][module]; }
  const std::vector<Module>& modules() const { return modules_; }

  // The frames of a process that are addresses of locks, ascending; and what one of them is called, see
  // Symbols::data_name().
  const std::vector<std::uint32_t>& locks(std::size_t process) const { return locks_[process]; }
  std::string data_name(std::size_t process, const model::Frame& frame) const;

 private:
  std::size_t index_of(const model::Module& module);
  void add_process(const model::Process& process, bool with_agent);
  static void resolve_one(Module& module, const Options& options);

  std::vector<Module> modules_;
  std::vector<std::vector<std::size_t>> of_process_;
  std::vector<std::vector<std::uint32_t>> locks_;
  std::map<std::pair<std::string, std::string>, std::size_t> by_key_;
};

}  // namespace prof::symbols
