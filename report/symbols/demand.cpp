#include "report/symbols/demand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "report/read/in_parallel.hpp"
#include "report/symbols/data_symbols.hpp"

namespace prof::symbols {
namespace {

using model::Frame;

template <typename T>
void make_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

Demand::Demand(const model::Run& run, bool with_agent) {
  for (const model::Process& process : run.processes) add_process(process, with_agent);
  for (Module& module : modules_) {
    make_unique(module.addresses);
    make_unique(module.data);
  }
}

void Demand::add_process(const model::Process& process, bool with_agent) {
  std::vector<std::size_t>& indices = of_process_.emplace_back();
  for (const model::Module& module : process.modules) {
    indices.push_back(index_of(module));
    if (process.python && !module.path.empty() && module.path == process.python->path)
      modules_[indices.back()].interpreter = true;
  }
  std::vector<std::uint32_t>& locks = locks_.emplace_back();
  for (const auto& row : process.tree.locks) locks.push_back(row.frame);
  make_unique(locks);
  for (std::uint32_t i = 0; i < process.tree.frames.size(); ++i) {
    const Frame& frame = process.tree.frames[i];
    if (frame.kind != Frame::Kind::Native) continue;
    Module& module = modules_[indices[frame.module]];
    if (std::binary_search(locks.begin(), locks.end(), i)) {
      module.data.push_back(frame.address);
    } else if (with_agent || !process.modules[frame.module].agent) {
      module.addresses.push_back(frame.address);
    }
  }
}

std::size_t Demand::index_of(const model::Module& module) {
  // Without a build id only the path tells what it is.
  const auto key = std::pair(module.build_id.empty() ? module.path : std::string(), module.build_id);
  const auto [found, is_new] = by_key_.try_emplace(key, modules_.size());
  if (is_new) modules_.push_back({module.path, module.build_id, false, {}, {}, {}, {}});
  return found->second;
}

void Demand::resolve_one(Module& module, const Options& options) {
  if (!module.addresses.empty()) {
    module.answer = resolve_module(module.path, module.build_id, module.addresses, options.search, options.cache);
  }
  if (!module.data.empty()) {
    module.data_names = resolve_data(module.path, module.build_id, module.data, options.search);
  }
}

void Demand::resolve(const Options& options) {
  std::vector<std::size_t> work;
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    if (!modules_[i].addresses.empty() || !modules_[i].data.empty()) work.push_back(i);
  }
  std::size_t done = 0;
  std::mutex lock;
  read::in_parallel(work.size(), options.threads, [&](std::size_t i) {
    resolve_one(modules_[work[i]], options);
    const std::lock_guard guard(lock);
    ++done;
    if (options.progress) options.progress(done, work.size());
  });
}

std::string Demand::data_name(std::size_t process, const Frame& frame) const {
  if (frame.kind != Frame::Kind::Native) return fmt::format("0x{:x} (heap)", frame.address);
  const Module& module = modules_[index(process, frame.module)];
  const auto at = std::lower_bound(module.data.begin(), module.data.end(), frame.address) - module.data.begin();
  return module.data_names[static_cast<std::size_t>(at)];
}

}  // namespace prof::symbols
