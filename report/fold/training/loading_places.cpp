#include "report/fold/training/loading_places.hpp"

#include <algorithm>
#include <string_view>

#include "report/model/text.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {
namespace {

enum class Role : std::uint8_t { Native, Python, Next, Start, Worker, Get, Feeder, Threading, Pin, Import };

Role role_of(const model::Code& code) {
  const std::string_view file = code.file, name = last_part(code.display_name());
  if (symbols::is_import_system_file(file)) return Role::Import;
  if (file.ends_with("torch/utils/data/dataloader.py")) {
    if (name == "__next__") return Role::Next;
    if (name == "__iter__" || name == "_get_iterator") return Role::Start;
  }
  if (file.ends_with("torch/utils/data/_utils/worker.py") && name == "_worker_loop") return Role::Worker;
  if (file.ends_with("torch/utils/data/_utils/pin_memory.py") && name == "_pin_memory_loop") return Role::Pin;
  if (file.ends_with("multiprocessing/queues.py")) {
    if (name == "get") return Role::Get;
    if (name == "_feed") return Role::Feeder;
  }
  if (file.ends_with("/threading.py") && name == "wait") return Role::Threading;
  return Role::Python;
}

std::uint16_t step(std::uint16_t above, Role role) {
  unsigned at = above;
  if (role == Role::Native) return above;
  const bool directly = (at & kDirectly) != 0;
  at &= ~unsigned{kDirectly};
  switch (role) {
    case Role::Next:
      if ((at & kWorker) == 0) at |= kNext;
      break;
    case Role::Start:
      if ((at & kWorker) == 0) at |= kStart;
      break;
    case Role::Worker:
      // Of a forked worker the outer frames are those of the loop that made it.
      at = kWorker | kDirectly;
      break;
    case Role::Get:
      if (directly) at |= kOrders;
      if ((at & kPin) != 0) at |= kTaking;
      break;
    case Role::Feeder:
      at |= kFeeder;
      break;
    case Role::Threading:
      if ((at & kFeeder) != 0) at |= kEmpty;
      break;
    case Role::Pin:
      at |= kPin;
      break;
    case Role::Import:
      at |= kImport;
      break;
    case Role::Native:
    case Role::Python:
      break;
  }
  return static_cast<std::uint16_t>(at);
}

}  // namespace

LoadingPlaces::LoadingPlaces(const model::Process& process) : process_(&process) {
  const model::Tree& tree = process.tree;
  std::vector<Role> roles(process.codes.size());
  for (std::size_t i = 0; i < roles.size(); ++i) roles[i] = role_of(process.codes[i]);
  std::vector<Role> of_frame(tree.frames.size(), Role::Native);
  for (std::size_t i = 0; i < of_frame.size(); ++i) {
    const model::Frame& frame = tree.frames[i];
    const bool python = frame.kind == model::Frame::Kind::Python || frame.kind == model::Frame::Kind::PythonLine;
    if (python) of_frame[i] = frame.code < roles.size() ? roles[frame.code] : Role::Python;
  }
  const auto any = [&](Role role) { return std::find(roles.begin(), roles.end(), role) != roles.end(); };
  trains_ = any(Role::Next);
  works_ = any(Role::Worker);
  if (!trains_ && !works_) return;
  at_.resize(tree.nodes.size());
  for (std::size_t i = 1; i < at_.size(); ++i) at_[i] = step(at_[tree.nodes[i].parent], of_frame[tree.nodes[i].frame]);
}

void LoadingPlaces::mark_loop(const std::vector<bool>& frames) {
  for (std::size_t i = 1; i < at_.size(); ++i) {
    const model::Node& node = process_->tree.nodes[i];
    if (frames[node.frame] || (at_[node.parent] & kLoop) != 0) at_[i] |= kLoop;
  }
}

}  // namespace prof::fold
