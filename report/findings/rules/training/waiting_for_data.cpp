// The training loop waits for its next batch.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/below_own.hpp"
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/tensor_constructors.hpp"
#include "report/findings/rules/training/worker_rounds.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/fold/interest.hpp"
#include "report/fold/line_tree.hpp"
#include "report/fold/training/loading_cause.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/show/training/loading_text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace waiting_for_data {
namespace {

using fold::Loader;
using log::StepPart;

const Loader* loader_of(const Evidence& evidence, std::size_t process) {
  for (const Loader& loader : evidence.loaders()) {
    if (loader.process == process && loader.loop_ns > 0 && !loader.thread_of_its_own) return &loader;
  }
  return nullptr;
}

// Steps, or the loop where there are none.
struct Waiting {
  const Loader* loader = nullptr;
  const fold::StepTable* steps = nullptr;
  double share = 0;     // of the steps, or of the loop
  double of_basis = 0;  // the same of the time that savings are told of
};

Waiting worst(const Evidence& evidence) {
  Waiting most;
  for (const fold::StepTable& table : evidence.steps()) {
    const double share = table.part(StepPart::Data);
    if (share > most.share) most = {loader_of(evidence, table.process), &table, share, evidence.basis_share(share)};
  }
  for (const Loader& loader : evidence.loaders()) {
    if (loader.loop_ns <= 0 || loader.thread_of_its_own) continue;
    // Who sends work and waits for the answer waits, too, and that nobody knows why is then no wonder.
    if (loader.kind == Loader::Kind::Pipes && loader.cause == Loader::Cause::Unclear) continue;
    // Of a loader whose loop's steps are known the steps say it better.
    const auto& steps = evidence.steps();
    if (std::any_of(steps.begin(), steps.end(), [&](const auto& table) { return table.process == loader.process; })) {
      continue;
    }
    const double share = real(loader.wait.ns()) / real(loader.loop_ns);
    if (share > most.share) most = {&loader, nullptr, share, evidence.share(loader.wait.ns())};
  }
  return most;
}

bool in_next(const symbols::Function& function) {
  return function.language == symbols::Language::Python && function.file.ends_with("/torch/utils/data/dataloader.py") &&
         function.name.ends_with("__next__");
}
bool in_worker(const symbols::Function& function) {
  return function.language == symbols::Language::Python && function.name.ends_with("_worker_loop");
}

// Lines of the program's own that load: what the loop waits for. Not those around the loader: the stacks of a forked
// worker have the loop that made it.
std::vector<Place> loading_lines(const Evidence& evidence, bool workers) {
  const fold::CallTree& tree = evidence.lines();
  const auto loads = [&](std::uint32_t node) {
    return workers ? in_worker(tree.function(node)) : in_next(tree.function(node));
  };
  const auto place = [&](std::uint32_t node) -> std::optional<Place> {
    std::vector<std::uint32_t> inside;  // of the loader, leaf first
    for (; node != 0 && !loads(node); node = tree.nodes()[node].parent) inside.push_back(tree.nodes()[node].location);
    const std::size_t own = fold::first_own_python_frame(evidence.own(), inside);
    if (node == 0 || own == inside.size()) return std::nullopt;
    return place_of(evidence.symbols(), inside[own]);
  };
  auto sums = by_place<model::Metrics>(
      evidence,
      [&](std::uint32_t node) -> std::optional<model::Metrics> {
        const fold::Columns& self = tree.self();
        return self.cpu[node].ns > 0 || self.wait[node].ns > 0 ? std::optional(self.of(node)) : std::nullopt;
      },
      place);
  return top_places(std::move(sums),
                    [](const model::Metrics& all) { return model::saturated_sum(all.cpu.ns, all.wait.blocked_ns()); });
}

// The function of Python that the line lies in, by the text.
std::string function_around(const std::vector<std::string>& lines, std::size_t at) {
  std::size_t indent = lines[at].find_first_not_of(' ');
  while (at-- > 0 && indent > 0) {
    const std::string_view line = lines[at];
    const std::size_t its = line.find_first_not_of(' ');
    if (its >= indent) continue;  // of the block, or empty
    indent = its;
    const std::size_t def = line.find("def "), end = line.find('(');
    if (end == std::string_view::npos || (def != its && !line.substr(its).starts_with("async def "))) continue;
    return std::string(line.substr(def + 4, end - def - 4));
  }
  return "<module>";
}

std::string_view trimmed_end(std::string_view text) { return text.substr(0, text.find_last_not_of(' ') + 1); }

// The line that makes the loader, where the file of the loop has one such line and no other.
std::optional<Place> making_line(const Evidence& evidence, const Place& loop) {
  symbols::SourceFiles& files = evidence.sources();
  const symbols::SourceFile& file = files.file(loop.file);
  std::optional<Place> out;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::string_view code = std::string_view(file.lines[i]).substr(0, file.lines[i].find('#'));
    if (!contains(code, "DataLoader(") || contains(code, "class ") || contains(code, "def ")) continue;
    const std::string_view before = trimmed_end(code.substr(0, code.find("DataLoader(")));
    if (!before.ends_with("=") && !before.ends_with("return") && !before.ends_with("(") && !before.ends_with("."))
      continue;
    if (out) return std::nullopt;
    out = Place{loop.file, static_cast<std::int64_t>(i + 1), function_around(file.lines, i)};
  }
  return out;
}

bool takes_samples_of_tensors(const symbols::Function& function) {
  static constexpr fold::FunctionAt kTensors[] = {{"/torch/utils/data/dataset.py", "__getitem__"}};
  return contains(function.name, "TensorDataset") && fold::is_any(function, kTensors);
}

// CPU time in which the loop itself made rows of tensors samples, which become tensors again.
std::int64_t in_samples_of_tensors(const Evidence& evidence, const Loader* loader) {
  if (loader == nullptr || !loader->workers.empty()) return 0;
  return cpu_at(evidence, [&](std::uint32_t node) { return below(evidence.lines(), node, takes_samples_of_tensors); })
      .ns;
}

std::int64_t cpu_below(const Evidence& evidence, std::span<const fold::FunctionAt> functions) {
  const auto is_one = [&](const symbols::Function& function) { return fold::is_any(function, functions); };
  return cpu_at(evidence, [&](std::uint32_t node) { return below(evidence.lines(), node, is_one); }).ns;
}

constexpr fold::FunctionAt kNext[] = {{"/torch/utils/data/dataloader.py", "__next__"}};

// CPU time of loading, by the loop itself or by its workers.
std::int64_t loading_ns(const Evidence& evidence, const Loader& loader) {
  return loader.workers.empty() ? cpu_below(evidence, kNext) : loader.all.busy_ns();
}

// Whether a good part of loading is that own code makes tensors of lists of numbers; making the lists, and the garbage
// collector's part, come with it.
bool makes_tensors_of_lists(const Evidence& evidence, const Loader* loader) {
  if (loader == nullptr) return false;
  const auto native = [](const symbols::Function& function, const auto& names) {
    return function.language == symbols::Language::Native && begins_with_any(function.name, names);
  };
  const auto constructs = [&](const symbols::Function& function) { return native(function, kTensorConstructors); };
  const auto asks = [&](const symbols::Function& function) { return native(function, kElementsAsked); };
  const std::vector<bool> made = below_own(evidence, constructs), asked = below_own(evidence, constructs, asks);
  const bool workers = !loader->workers.empty();
  const auto loads = [&](const symbols::Function& function) {
    return workers ? in_worker(function) : in_next(function);
  };
  const auto ns_of = [&](const std::vector<bool>& nodes) {
    return cpu_at(evidence, [&](std::uint32_t node) { return nodes[node] && below(evidence.lines(), node, loads); }).ns;
  };
  // A tensor of one array is a copy of it, and asks for no elements.
  const std::int64_t ns = ns_of(made);
  return ns > 0 && real(ns) >= kOfCollating * real(loading_ns(evidence, *loader)) &&
         real(ns_of(asked)) >= kAskedOfTensors * real(ns);
}

// Whether most of loading is to make tensors of single numbers of Python: samples that are lists of them. Whoever makes
// many objects has the garbage collector beside it.
bool collates_numbers(const Evidence& evidence, const Loader* loader) {
  if (loader == nullptr) return false;
  static constexpr fold::FunctionAt kNumbers[] = {{"/torch/utils/data/_utils/collate.py", "collate_int_fn"},
                                                  {"/torch/utils/data/_utils/collate.py", "collate_float_fn"}};
  static constexpr fold::FunctionAt kCollates[] = {{"/torch/utils/data/_utils/collate.py", "collate"}};
  const std::int64_t numbers = cpu_below(evidence, kNumbers), collates = cpu_below(evidence, kCollates);
  const std::int64_t loading = loading_ns(evidence, *loader);
  return numbers > 0 && real(numbers) >= kOfCollating * real(collates) &&
         real(std::max(numbers, collates)) >= kOfWork * real(loading);
}

std::string advice_of(const Loader* loader) {
  if (loader == nullptr) {
    return "Load in other processes while the step computes (DataLoader: num_workers above 0, persistent_workers), and "
           "prepare once what is the same in each epoch.";
  }
  const std::string advice = show::loading_advice(*loader);
  return advice.empty() ? "Look at what the loader does: --view loading." : advice;
}

const char* cannot(const Evidence& evidence) {
  const auto& steps = evidence.steps();
  const bool told = std::any_of(steps.begin(), steps.end(),
                                [](const fold::StepTable& table) { return table.figures.of(StepPart::Data) > 0; });
  if (told) return nullptr;
  const auto& all = evidence.loaders();
  const bool any = std::any_of(all.begin(), all.end(),
                               [](const Loader& loader) { return loader.loop_ns > 0 && !loader.thread_of_its_own; });
  return any ? nullptr : "no loop was seen that takes its data from a DataLoader, or from processes by pipes";
}

void add_place(Finding& finding, Place place) {
  if (std::find(finding.places.begin(), finding.places.end(), place) == finding.places.end())
    finding.places.push_back(std::move(place));
}

// What starting workers takes is in no wait for a batch.
std::optional<Finding> of_rounds(const Evidence& evidence, const Waiting& waiting) {
  if (waiting.loader == nullptr) return std::nullopt;
  const std::optional<WorkerRounds> rounds = worker_rounds(evidence, *waiting.loader);
  if (!rounds || rounds->ns < kLeastActivityNs || evidence.share(rounds->ns) < kWaitingForData) return std::nullopt;
  Finding finding;
  finding.rule = kWaitingForDataRule.name;
  finding.title = "The workers of a DataLoader are started anew for each pass";
  finding.seen = fmt::format(
      "{} workers in {} rounds: making all but the first ones, and the waits for their first batches and their ends "
      "took {} without what recording took; making alone {}.",
      show::grouped(rounds->workers), show::grouped(rounds->rounds), show::duration(real(rounds->ns)),
      show::duration(real(rounds->starting_ns)));
  finding.seen += rounds->had_time ? std::string(" They had time for more.")
                                   : fmt::format(" For all other batches together the loop waited {}.",
                                                 show::duration(real(rounds->usual_ns)));
  finding.advice =
      "DataLoader(..., persistent_workers=True) keeps them, and what they have opened and read; of a small data set "
      "num_workers=0 may be faster.";
  if (waiting.loader->location != fold::kNobody)
    finding.places.push_back(place_of(evidence.symbols(), waiting.loader->location));
  std::vector<Place> more = starting_lines(evidence);
  if (!finding.places.empty()) {
    if (auto making = making_line(evidence, finding.places.front())) more.insert(more.begin(), std::move(*making));
  }
  for (Place& place : more) add_place(finding, std::move(place));
  could_save(finding, evidence, evidence.share(rounds->ns));
  finding.error_ns = rounds->error_ns;
  return finding;
}

std::vector<Finding> look(const Evidence& evidence) {
  const Waiting waiting = worst(evidence);
  if (auto finding = of_rounds(evidence, waiting)) return {*finding};
  const bool unclear = waiting.loader != nullptr && waiting.loader->cause == Loader::Cause::Unclear;
  const std::int64_t samples_ns = in_samples_of_tensors(evidence, waiting.loader);
  if (waiting.share < (unclear || samples_ns > 0 ? kWaitingUnclear : kWaitingForData)) return {};
  Finding finding;
  finding.rule = kWaitingForDataRule.name;
  finding.title = waiting.steps != nullptr || waiting.loader->kind == Loader::Kind::Torch
                      ? "The training loop waits for its data"
                      : "The program waits for the data that its processes send";
  if (waiting.steps != nullptr) {
    const fold::StepTable& table = *waiting.steps;
    const double steps = std::max(1.0, real(table.steady));
    finding.seen =
        fmt::format("{} % of the step, {} of {} on average, went by in waiting for the next batch.",
                    show::percent(waiting.share, 1), show::duration(real(table.figures.of(StepPart::Data)) / steps),
                    show::duration(real(table.steady_ns) / steps));
  } else {
    finding.seen = fmt::format("The loop waited {} of its {} ({} %) for the next batch.",
                               show::duration(real(waiting.loader->wait.ns())),
                               show::duration(real(waiting.loader->loop_ns)), show::percent(waiting.share, 1));
  }
  bool workers = false;
  if (const Loader* loader = waiting.loader) {
    workers = !loader->workers.empty();
    if (loader->cause != Loader::Cause::FastEnough) {
      finding.seen += fmt::format(" Why: {}; {}.", fold::to_string(loader->cause), show::loading_reason(*loader));
    }
    if (loader->location != fold::kNobody) finding.places.push_back(place_of(evidence.symbols(), loader->location));
  }
  finding.advice = advice_of(waiting.loader);
  if (collates_numbers(evidence, waiting.loader)) {
    finding.seen +=
        " Most of that is that samples which are lists of numbers become a tensor for each of their places.";
    finding.advice =
        "Return an array or a tensor from __getitem__ (torch.from_numpy, torch.tensor of a whole sample), which are "
        "stacked at once; or give the DataLoader a collate_fn that makes one tensor of all lists.";
  } else if (makes_tensors_of_lists(evidence, waiting.loader)) {
    finding.seen +=
        " Much of that makes tensors of lists of Python's, one number after the other, also where these hold arrays.";
    finding.advice =
        "Keep arrays: torch.from_numpy(numpy.stack(rows)) or torch.stack() in place of torch.tensor() of lists, and no "
        "tolist(); then see whether workers are needed (num_workers).";
  }
  const bool starts = waiting.loader != nullptr && waiting.loader->cause == Loader::Cause::SlowStart;
  const bool of_tensors = samples_ns > 0 && real(samples_ns) >= kOfWork / 2 * real(waiting.loader->wait.ns());
  if (of_tensors) {
    finding.advice =
        "All samples are in memory as tensors: take whole batches of them, order[i:i + n] of torch.randperm() as an "
        "index, in place of samples that the loader stacks again.";
  }
  if ((of_tensors || starts) && !finding.places.empty()) {
    if (auto making = making_line(evidence, finding.places.front())) add_place(finding, std::move(*making));
  }
  for (Place& place : starts ? starting_lines(evidence) : loading_lines(evidence, workers))
    add_place(finding, std::move(place));
  could_save(finding, evidence, waiting.of_basis);
  return {finding};
}

}  // namespace
}  // namespace waiting_for_data

const Rule kWaitingForDataRule{"waiting-for-data", "waiting for data", waiting_for_data::cannot,
                               waiting_for_data::look};

}  // namespace prof::findings
