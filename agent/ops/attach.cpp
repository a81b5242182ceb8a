// Where PyTorch is, and whether it is one that is known.
#include <link.h>

#include <atomic>
#include <initializer_list>

#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/ops/operators.hpp"
#include "agent/python/interpreter.hpp"
#include "agent/unwind/elf_symbols.hpp"
#include "agent/unwind/objects.hpp"

namespace prof::ops {
namespace {

std::atomic<bool> g_attached{false};

struct Search {
  std::string_view name;
  Object found;
};

int look_at(dl_phdr_info* info, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  if (std::string_view(info->dlpi_name).find(search.name) == std::string_view::npos) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && object_at(info->dlpi_addr + segment.p_vaddr, search.found)) return 1;
  }
  return 0;
}

bool find_library(std::string_view name, Object& found) {
  Search search{name, {}};
  if (dl_iterate_phdr(look_at, &search) == 0) return false;
  found = search.found;
  return true;
}

// Where tensors keep their sizes; null where it is not known.
void find_sizes(Torch& torch) {
  Object library{};
  if (!find_library("libc10.so", library)) return;
  const auto symbol = [&](const char* name) { return exported_symbol(library, name).address; };
  // Objects point behind what stands before the functions of their class.
  constexpr std::uintptr_t kBefore = 2 * sizeof(void*);
  const std::uintptr_t tensor_class = symbol(kTensorClass);
  torch.tensor_class = reinterpret_cast<const void*>(tensor_class != 0 ? tensor_class + kBefore : 0);
  torch.no_tensor = reinterpret_cast<const void*>(symbol(kNoTensor));
  torch.tensor_sizes = reinterpret_cast<TensorSizes*>(symbol(kTensorSizes));
}

}  // namespace

void attach() {
  const Options& options = process().options;
  if (!options.operators || g_attached.load(std::memory_order_relaxed)) return;
  Object library{};
  if (!find_library("libtorch_cpu.so", library)) return;
  const auto symbol = [&](const char* name) { return exported_symbol(library, name).address; };
  auto* const add = reinterpret_cast<AddGlobalCallback*>(symbol(kAddGlobalCallback));
  Torch torch{reinterpret_cast<NameOf*>(symbol(kNameOf)), reinterpret_cast<IsAsync*>(symbol(kIsAsync)), nullptr};
  torch.shapes = options.operator_shapes;
  torch.flops = options.operator_flops;
  torch.stacks = options.operator_stacks;
  if (add == nullptr || torch.name_of == nullptr || torch.is_async == nullptr || symbol(kLayoutMark) == 0) {
    return python::note_python("operators are not counted: this PyTorch has not the interface that is known");
  }
  torch.layout = Layout::of(torch.is_async);
  if (torch.shapes || torch.flops) {
    torch.input_sizes = reinterpret_cast<InputSizes*>(symbol(kInputSizes));
    find_sizes(torch);
    if (torch.input_sizes == nullptr)
      python::note_python(
          "operators have no shapes and no FLOPs: this PyTorch does not tell them in a way that is known");
  }
  if (torch.flops && !torch.layout.known())
    python::note_python("aten::conv2d has no FLOPs: this PyTorch does not tell its arguments in a way that is known");
  if (torch.stacks || options.trace_bytes != 0) {
    torch.next_number = reinterpret_cast<NextNumber*>(symbol(kNextNumber));
    torch.thread_number = reinterpret_cast<ThreadNumber*>(symbol(kThreadNumber));
    const bool known = torch.next_number != nullptr && torch.thread_number != nullptr && torch.layout.known();
    if (torch.stacks && !known)
      python::note_python(
          "backward functions have no frames: this PyTorch does not tell in a way that is known what made them");
  }
  if (g_attached.exchange(true)) return;
  use(torch);
  const RealCall nested;
  for (const Scope scope : {Scope::Function, Scope::BackwardFunction, Scope::TorchScriptFunction, Scope::User})
    add(callback_for(scope));
}

}  // namespace prof::ops
