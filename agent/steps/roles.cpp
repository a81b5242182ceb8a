#include "agent/steps/roles.hpp"

#include <algorithm>

#include "agent/core/text.hpp"

namespace prof::steps {
namespace {

constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function";
// What a program does between its steps as well: begins its scopes, draws the loader's seed, reads a number.
constexpr std::string_view kNoNews[] = {"profiler::", "aten::empty",    "aten::zeros", "aten::random_",
                                        "aten::item", "aten::randperm", "aten::detach"};
// Scopes that PyTorch opens around code that it compiled, in which no operators run.
constexpr std::string_view kCompiled[] = {"Torch-Compiled Region", "## Call CompiledFxGraph"};
constexpr std::string_view kCollectives[] = {"c10d::", "nccl:", "gloo:", "mpi:", "ucc:", "record_param_comms"};

struct ScopeMark {
  std::string_view prefix;
  Mark mark;
};
constexpr ScopeMark kScopes[] = {{"enumerate(DataLoader)#", Mark::Data},
                                 {"Optimizer.step#", Mark::Optimizer},
                                 {"Optimizer.zero_grad#", Mark::ZeroGrad},
                                 {"ProfilerStep#", Mark::Profiler}};

// Beginnings of domains, as the libraries call theirs.
constexpr std::string_view kLibraries[] = {"dnnl::",   "oneDNN",   "NCCL",   "cuBLAS", "cuDNN",  "cuFFT",
                                           "cuSPARSE", "cuSOLVER", "cuRAND", "CCCL",   "CUB",    "TensorRT",
                                           "OpenVINO", "libcudf",  "tbb",    "TBB",    "OpenMP", "TSL"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Calls `take` for each character of the text, with '#' for each number.
template <class Take>
void each_alike(std::string_view text, Take take) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i]))
      take(text[i]);
    else if (i == 0 || !is_digit(text[i - 1]))
      take('#');
  }
}

}  // namespace

Role role_of(std::string_view name, bool scope, bool backward) {
  for (const std::string_view prefix : kCollectives) {
    if (name.starts_with(prefix)) return Role::Collective;
  }
  if (scope) {
    const auto is_it = [name](std::string_view prefix) { return name.starts_with(prefix); };
    return std::ranges::any_of(kCompiled, is_it) ? Role::Compute : Role::None;
  }
  for (const std::string_view name_or_prefix : kNoNews) {
    if (name == name_or_prefix || (name_or_prefix.ends_with(':') && name.starts_with(name_or_prefix)))
      return Role::Inner;
  }
  return backward || name.starts_with(kEvaluate) ? Role::Backward : Role::Compute;
}

Mark mark_of(std::string_view text, std::string_view domain) {
  if (domain != "record_function") return Mark::None;
  for (const ScopeMark& known : kScopes) {
    if (text.starts_with(known.prefix)) return known.mark;
  }
  return Mark::None;
}

bool of_library(std::string_view domain) {
  return std::ranges::any_of(kLibraries, [domain](std::string_view prefix) { return domain.starts_with(prefix); });
}

std::uint64_t hash_alike(std::string_view text, std::string_view domain) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  const auto take = [&h](char c) { h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL; };
  each_alike(text, take);
  take('\0');
  for (const char c : domain) take(c);
  return h;
}

bool is_asked(std::string_view asked, std::string_view text, std::string_view domain) {
  if (asked.size() > domain.size() && !domain.empty() && asked.ends_with(domain) &&
      asked[asked.size() - domain.size() - 1] == '@')
    asked = first(asked, asked.size() - domain.size() - 1);
  if (asked == text) return true;
  std::size_t at = 0;
  bool same = true;
  each_alike(text, [&](char c) { same = same && at < asked.size() && asked[at++] == c; });
  return same && at == asked.size();
}

}  // namespace prof::steps
