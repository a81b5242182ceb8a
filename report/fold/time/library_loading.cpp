#include "report/fold/time/library_loading.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "report/fold/walk.hpp"

namespace prof::fold {
namespace {

enum class LoadPhase : std::uint8_t { Outside, Loader, Constructor };

bool file_begins(const symbols::Function& function, std::initializer_list<std::string_view> names) {
  const std::string file = function.module_name();
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return file.starts_with(name); });
}

bool in_loader(const symbols::Function& function) { return file_begins(function, {"ld-linux", "ld-musl", "ld.so"}); }

// libc calls the loader back and the loader calls libc: both are the loader's work there.
bool helps_loader(const symbols::Function& function) { return file_begins(function, {"libc.so", "libc-2", "libdl"}); }

// Doors of the loader that running programs go through without loading anything.
bool is_other_service(const symbols::Function& function) {
  constexpr std::array<std::string_view, 4> kNames{"__tls_get_addr", "___tls_get_addr", "_dl_find_object",
                                                   "__tunable_get_val"};
  return std::find(kNames.begin(), kNames.end(), function.name) != kNames.end();
}

// What a function is to a process that loads a library.
enum class Role : std::uint8_t { Unseen, Loader, Service, Helper, Other };

Role role_of(const symbols::Function& function) {
  if (in_loader(function)) return is_other_service(function) ? Role::Service : Role::Loader;
  return helps_loader(function) || function.module.empty() ? Role::Helper : Role::Other;
}

class LoadingFolder {
 public:
  explicit LoadingFolder(const CallTree& tree) : tree_(tree), roles_(tree.symbols().function_count(), Role::Unseen) {}

  Loading run() {
    walk(
        tree_, [this](std::uint32_t node) { enter(node); }, [this](std::uint32_t) { path_.pop_back(); });
    for (auto& [module, library] : libraries_) {
      library.module = module;
      out_.libraries.push_back(library);
    }
    std::stable_sort(out_.libraries.begin(), out_.libraries.end(),
                     [](const LoadedLibrary& a, const LoadedLibrary& b) { return a.constructors > b.constructors; });
    return std::move(out_);
  }

 private:
  struct Step {
    LoadPhase phase = LoadPhase::Outside;
    LoadedLibrary* library = nullptr;  // whose constructor is running
  };

  void enter(std::uint32_t node) {
    const Step step = next(path_.empty() ? Step{} : path_.back(), tree_.function_id(node));
    path_.push_back(step);
    const model::CpuMetric& self = tree_.self().cpu[node];
    if (step.phase == LoadPhase::Loader) {
      out_.loader_ns = model::saturated_sum(out_.loader_ns, self.ns);
      out_.loader_samples = model::saturated_sum(out_.loader_samples, self.samples);
    } else if (step.phase == LoadPhase::Constructor) {
      step.library->constructors = model::saturated_sum(step.library->constructors, self.ns);
      step.library->samples = model::saturated_sum(step.library->samples, self.samples);
    }
  }

  // A tree has millions of nodes of thousands of functions.
  Role role_of(std::uint32_t function) {
    if (roles_[function] == Role::Unseen) roles_[function] = fold::role_of(tree_.symbols().function(function));
    return roles_[function];
  }

  Step next(const Step& caller, std::uint32_t function) {
    const Role role = role_of(function);
    if (role == Role::Loader || role == Role::Service) {
      return caller.phase != LoadPhase::Loader && role == Role::Service ? caller : Step{LoadPhase::Loader, nullptr};
    }
    if (caller.phase != LoadPhase::Loader || role == Role::Helper) return caller;
    return {LoadPhase::Constructor, &libraries_[tree_.symbols().function(function).module]};
  }

  const CallTree& tree_;
  std::vector<Role> roles_;  // by function
  Loading out_;
  std::map<std::string, LoadedLibrary> libraries_;
  std::vector<Step> path_;
};

}  // namespace

Loading loading(const CallTree& tree) { return LoadingFolder(tree).run(); }

}  // namespace prof::fold
