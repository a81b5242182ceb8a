#include "report/show/gpu/gpu_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "report/fold/gpu/gpu.hpp"
#include "report/fold/training/device_steps.hpp"
#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"

namespace prof::show {
namespace {

void add_once(std::vector<std::string>& to, std::string text) {
  if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(std::move(text));
}

// The value of an option in force in a process, one NAME=VALUE per line.
bool option_is(const model::Process& process, const std::string& setting) {
  return ('\n' + process.options + '\n').find('\n' + setting + '\n') != std::string::npos;
}

template <typename Each>
void each_selected(const Subject& subject, Each each) {
  for (const model::Process& process : subject.run.processes) {
    if (subject.selection.includes(process)) each(process);
  }
}

std::string sentence(const std::string& text) {
  if (text.empty() || text.back() == '.') return text;
  return text + '.';
}

}  // namespace

std::optional<std::string> why_no_cuda(const Subject& subject) {
  bool seen = false, off = false;
  std::string reason;
  each_selected(subject, [&](const model::Process& process) {
    seen |= model::saw_cuda(process);
    off |= option_is(process, "PROF_CUDA=off");
    if (process.cuda && reason.empty()) reason = process.cuda->reason;
  });
  if (seen) return std::nullopt;
  if (!reason.empty()) return fmt::format("CUDA was not recorded: {}", sentence(reason));
  if (off) return "CUDA was not recorded: PROF_CUDA=off was in force; run without it (prof run --cuda on).";
  return "No selected process used CUDA, as far as was seen. If one did: a CUDA runtime that is linked statically or "
         "opened with RTLD_DEEPBIND is seen by CUPTI alone, so check that libcupti is installed (prof run --cupti PATH "
         "names it).";
}

std::vector<std::string> why_no_devices(const Subject& subject) {
  std::vector<std::string> out;
  each_selected(subject, [&](const model::Process& process) {
    if (!model::saw_cuda(process) || model::saw_devices(process)) return;
    if (option_is(process, "PROF_CUDA=host")) {
      return add_once(out, "What GPUs did was not recorded: PROF_CUDA=host was in force (prof run --cuda on).");
    }
    const std::string reason = process.cuda ? process.cuda->reason : std::string();
    add_once(out, reason.empty()
                      ? "What GPUs did was not recorded: CUPTI was never started, because no GPU was used or "
                        "no libcupti was found (prof run --cupti PATH names it)."
                      : fmt::format("What GPUs did was not recorded: {}", sentence(reason)));
  });
  if (subject.selection.by_thread()) add_once(out, "What a GPU did cannot be told by thread.");
  return out;
}

bool may_use_gpus(const Subject& subject, const fold::CallTree& tree) {
  constexpr std::int64_t kDriverStarts = 10'000'000;  // ns: one that is there takes longer
  constexpr std::string_view kQuestions[] = {"Count", "Version",   "Init",       "GetDevice",
                                             "Error", "Attribute", "IsAvailable"};
  if (why_no_cuda(subject)) return false;
  bool used = tree.total().gpu.get().api.ns >= kDriverStarts;
  each_selected(subject, [&](const model::Process& process) {
    used |= model::saw_devices(process) || !process.devices.empty();
    for (const auto& row : process.tree.api) {
      const std::uint32_t name = process.tree.frames[process.tree.nodes[row.node].frame].name;
      used |= name != model::kNoName && std::none_of(std::begin(kQuestions), std::end(kQuestions), [&](auto word) {
                return process.names[name].name.find(word) != std::string::npos;
              });
    }
  });
  return used;
}

std::vector<std::string> gpu_captions(const Subject& subject, const ViewOptions& options) {
  std::vector<std::string> out;
  each_selected(subject, [&](const model::Process& process) {
    if (!process.cuda) return;
    for (const std::string& note : process.cuda->notes) add_once(out, "Note: " + sentence(note));
  });
  for (std::string& caption : filters(subject, options)) out.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) out.push_back(std::move(caption));
  return out;
}

namespace {

// ", at most 5.4 % of its 16.4 s of steady steps": where much of the time from its first to its last work lies
// elsewhere.
std::string of_steps(const fold::DeviceInSteps& device) {
  constexpr double kElsewhere = 0.05;
  const auto steps = static_cast<double>(device.steps_ns), span = static_cast<double>(device.row.span_ns);
  if (device.steps_ns <= 0 || steps >= (1 - kElsewhere) * span) return {};
  if (device.idle_ns() <= 0) return fmt::format(", of which {} are steady steps", duration(steps));
  return fmt::format(", at most {} % of its {} of steady steps", percent(static_cast<double>(device.busy_ns), steps),
                     duration(steps));
}

// What devices idled: within steps as much as is certain.
std::string idle_sentence(const Subject& subject, const fold::CallTree& tree) {
  const fold::StepLimits steps = fold::step_limits(subject.run, subject.selection);
  const std::vector<fold::IdleRow> rows = fold::idle_sites(tree, steps);
  const model::IdleMetric all = fold::sum_of(fold::idle_within(tree, steps));
  std::int64_t idle_ns = all.ns;
  if (steps.any()) {
    idle_ns = 0;
    for (const fold::DeviceInSteps& device : fold::devices_in_steps(subject.run, subject.selection))
      idle_ns = model::saturated_sum(idle_ns, device.idle_ns());
    idle_ns = std::min(idle_ns, all.ns);
  }
  if (idle_ns <= 0 || rows.empty()) return {};
  const std::pair<std::int64_t, const char*> causes[] = {{all.synchronising_ns, "synchronising"},
                                                         {all.waiting_ns, "waiting for data or another thread"},
                                                         {all.launching_ns, "launching"},
                                                         {all.python_ns, "running Python"},
                                                         {all.native_ns, "running other code"}};
  const auto* const most = std::max_element(std::begin(causes), std::end(causes),
                                            [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::string site = place_name(subject.symbols, rows.front().location, false);
  const std::string share = percent(static_cast<double>(most->first), static_cast<double>(all.ns));
  if (steps.any()) {
    return fmt::format(
        "Within steps GPUs idled {} at least, {} % of it while the host was {}; most for {}; --view idle.",
        duration(static_cast<double>(idle_ns)), share, most->second, site);
  }
  return fmt::format("GPUs idled {}, {} % of it while the host was {}; most for {} ({}); --view idle.",
                     duration(static_cast<double>(idle_ns)), share, most->second, site,
                     duration(static_cast<double>(rows.front().within_ns)));
}

}  // namespace

std::string device_name(const model::Device& device) {
  return device.name.empty() ? fmt::format("GPU {}", device.index)
                             : fmt::format("GPU {} ({})", device.index, device.name);
}

std::vector<std::string> gpu_sentences(const Subject& subject, const fold::CallTree& tree) {
  std::vector<std::string> out;
  if (!may_use_gpus(subject, tree)) return out;
  for (const fold::DeviceInSteps& device : fold::devices_in_steps(subject.run, subject.selection)) {
    const fold::DeviceRow& row = device.row;
    std::vector<std::string> parts;
    const auto size = [](std::int64_t value) { return bytes(static_cast<double>(value)); };
    const auto work = [&](const model::DeviceMetric& done, const char* one, const char* many) {
      if (done.count == 0) return;
      parts.push_back(fmt::format("{} of {}", counted(done.count, one, many), duration(static_cast<double>(done.ns))));
    };
    if (row.span_ns > 0) {
      const auto span = static_cast<double>(row.span_ns);
      const auto busy = static_cast<double>(row.busy_ns);
      parts.push_back(row.at_work > 1
                          ? fmt::format("busy {}, {} processes added up, in {} between its first and last work",
                                        duration(busy), row.at_work, duration(span))
                          : fmt::format("busy {} % of {} between its first and last work{}", percent(busy, span),
                                        duration(span), of_steps(device)));
    }
    work(row.kernels, "kernel", "kernels");
    work(row.copies, "copy or set", "copies and sets");
    if (row.device.segments_peak > 0) parts.push_back("memory peak " + size(row.device.segments_peak));
    if (row.device.tensors_peak > 0) parts.push_back("peak of tensors " + size(row.device.tensors_peak));
    if (parts.empty()) parts.emplace_back("no work recorded");
    out.push_back(fmt::format("{}: {}.", device_name(row.device), fmt::join(parts, "; ")));
  }
  if (const std::string idle = idle_sentence(subject, tree); !idle.empty()) out.push_back(idle);
  for (std::string& why : why_no_devices(subject)) out.push_back(std::move(why));
  if (const model::ApiMetric& api = tree.total().gpu.get().api; !tree.device_known() && api.calls > 0) {
    out.push_back(fmt::format("{} of CUDA and its libraries took {} on the host; --view api.",
                              counted(api.calls, "call", "calls"), duration(static_cast<double>(api.ns))));
  }
  each_selected(subject, [&](const model::Process& process) {
    if (!process.cuda) return;
    for (const std::string& note : process.cuda->notes) add_once(out, sentence(note));
  });
  return out;
}

}  // namespace prof::show
