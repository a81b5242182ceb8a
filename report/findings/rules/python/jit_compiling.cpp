// Much of a run goes to compiling functions of Python for processors or devices while the program waits: by JAX, Numba,
// torch.compile, Triton, CuPy. Worst where each turn of a loop makes a new function of what was compiled before.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/python/made_functions.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace jit_compiling {
namespace {

using made_functions::By;
constexpr std::size_t kCompilers = 6;

struct Functions {
  By by;
  fold::FunctionAt at;
};

// Where each compiles, and waits for compilers that run beside it. What calls the result is in other files.
constexpr Functions kFunctions[] = {
    {By::Jax, {"/jax/_src/compiler.py", ""}},
    {By::Jax, {"/jax/_src/interpreters/mlir.py", ""}},
    {By::Jax, {"/jax/_src/interpreters/partial_eval.py", ""}},
    {By::Numba, {"/numba/core/compiler.py", ""}},
    {By::Numba, {"/numba/core/dispatcher.py", "compile"}},
    {By::Numba, {"/numba/core/dispatcher.py", "_compile_for_args"}},
    {By::Numba, {"/numba/core/decorators.py", ""}},
    {By::Numba, {"/numba/cuda/compiler.py", ""}},
    {By::Torch, {"/torch/_dynamo/convert_frame.py", ""}},
    {By::Torch, {"/torch/_inductor/compile_fx.py", "compile_fx"}},
    {By::Torch, {"/torch/_inductor/compile_fx.py", "compile_fx_inner"}},
    {By::Triton, {"/triton/compiler/compiler.py", "compile"}},
    {By::Cupy, {"/cupy/cuda/compiler.py", ""}},
};

struct Words {
  const char* name;
  const char* advice;
};

Words words(By by) {
  switch (by) {
    case By::Jax:
      return {"JAX",
              "Calls of the same shapes, types and static arguments share what is compiled: pad what varies to a few "
              "sizes, and hand values that change over as arrays. jax_compilation_cache_dir keeps it for later runs."};
    case By::Numba:
      return {"Numba",
              "cache=True keeps what is compiled for later runs; call a function with few types of arguments."};
    case By::Torch:
      return {"torch.compile",
              "Shapes and values that change are compiled anew: dynamic=True or mark_dynamic, and fewer graph breaks "
              "(TORCH_LOGS=recompiles says why). TORCHINDUCTOR_CACHE_DIR on a disk that stays keeps it for later "
              "runs."};
    case By::Triton:
      return {"Triton",
              "Constants of a kernel (tl.constexpr) and autotuning multiply what is compiled; TRITON_CACHE_DIR on a "
              "disk that stays keeps it for later runs."};
    case By::Cupy:
      return {"CuPy",
              "Kernels are kept in ~/.cupy/kernel_cache (CUPY_CACHE_DIR): let it stay between runs and containers."};
    case By::Nobody:
      break;
  }
  return {"", ""};
}

By compiler_of(const symbols::Function& function) {
  const auto found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                  [&](const Functions& one) { return fold::is_at(function, one.at); });
  return found != std::end(kFunctions) ? found->by : By::Nobody;
}

// By node of lines(), whose compiling it is in: the outermost one, as one may use another.
std::vector<By> compilers(const Evidence& evidence) {
  const fold::CallTree& lines = evidence.lines();
  std::vector<By> of_function(evidence.symbols().function_count());
  for (std::uint32_t id = 0; id < of_function.size(); ++id)
    of_function[id] = compiler_of(evidence.symbols().function(id));
  std::vector<By> out(lines.nodes().size(), By::Nobody);
  for (std::uint32_t node = 1; node < out.size(); ++node) {
    const By above = out[lines.nodes()[node].parent];
    out[node] = above != By::Nobody ? above : of_function[lines.function_id(node)];
  }
  return out;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> thread = program_thread(evidence);
  if (!thread) return {};
  const std::vector<By> by_node = compilers(evidence);
  std::array<std::int64_t, kCompilers> sums{};
  std::vector<TimeByPlace> places(kCompilers, TimeByPlace(evidence));
  const double with_queue = queue_factor(evidence, *thread);
  for (const LineTime& time : line_times(evidence, *thread)) {
    const auto by = static_cast<std::size_t>(by_node[time.node]);
    if (by == 0) continue;
    const auto ns = model::saturated_sum(whole_number(with_queue * real(time.cpu_ns)), time.blocked_ns);
    sums[by] = model::saturated_sum(sums[by], ns);
    places[by].add(time.node, ns);
  }
  const auto most = std::max_element(sums.begin(), sums.end());
  const auto by = static_cast<std::size_t>(most - sums.begin());
  if (*most < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kJitCompilingRule.name;
  finding.places = places[by].top();
  symbols::SourceFiles& files = evidence.sources();
  std::optional<made_functions::Made> made;
  if (!finding.places.empty()) made = made_functions::made_again(files, static_cast<By>(by), finding.places.front());
  std::int64_t ns = *most;
  if (made) {  // of what that loop's lines made alone
    ns = 0;
    for (const AtPlace<std::int64_t>& sum : places[by].sums()) {
      const bool inside = sum.place && sum.place->file == made->place.file && sum.place->line > made->begin &&
                          sum.place->line < made->end;
      if (inside) ns = model::saturated_sum(ns, sum.figures);
    }
  }
  const double share = share_of_life(evidence, *thread, ns);
  if (ns < kLeastActivityNs || share < kActivity) return {};
  // What is compiled once is what a short program costs.
  if (!made && (share < kImports || ns < kLeastCompiledNs)) return {};
  const Words said = words(static_cast<By>(by));
  finding.title =
      made ? "A function is compiled anew in each turn of a loop" : "Code is compiled while the program runs";
  finding.seen = fmt::format("{} ({} % of the run's time) went by in compiling ({}).", show::duration(real(ns)),
                             show::percent(share, 1), said.name);
  finding.advice = said.advice;
  if (made) {
    finding.advice =
        "Make the function once, outside of the loop, and give it what changes as an argument: what was compiled of "
        "another one does not serve it.";
    if (made->place != finding.places.front()) finding.places.insert(finding.places.begin(), made->place);
  }
  could_save_of_run(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace jit_compiling

const Rule kJitCompilingRule{"jit-compiling", "compiling while the program runs", no_python_frames,
                             jit_compiling::look};

}  // namespace prof::findings
