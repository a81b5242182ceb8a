#include "report/findings/evidence.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "report/findings/places.hpp"
#include "report/findings/thread_time.hpp"
#include "report/fold/interest.hpp"
#include "report/fold/line_tree.hpp"
#include "report/fold/own/doing.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {

struct Evidence::Made {
  explicit Made(const model::Run& run) : sources(run) {}

  symbols::SourceFiles sources;
  const fold::CallTree* lines = nullptr;
  std::optional<fold::CallTree> own_lines;
  std::optional<std::vector<fold::StepTable>> steps;
  std::optional<std::vector<fold::Loader>> loaders;
  std::optional<fold::Operators> operators;
  std::optional<std::vector<fold::DeviceInSteps>> devices;
  std::optional<fold::StepLimits> step_limits;
  std::optional<std::map<std::uint32_t, model::IdleMetric>> idle_in_steps;
  std::optional<std::vector<fold::ThreadWall>> thread_walls;
  std::optional<fold::Leaks> leaks;
  std::optional<std::vector<std::uint32_t>> timed, own_locations;
  std::map<std::pair<std::size_t, FunctionTest>, std::vector<bool>> stacks;
  std::optional<bool> of_steps;
  std::int64_t all_steps_ns = 0;  // once `steps` is there
};

Evidence::Evidence(const model::Run& run, const symbols::Symbols& symbols, const fold::Selection& selection,
                   const fold::CallTree* lines)
    : run_(run), symbols_(symbols), selection_(selection), made_(std::make_unique<Made>(run)) {
  made_->lines = lines;
}
Evidence::~Evidence() = default;

const fold::CallTree& Evidence::lines() const {
  if (made_->lines == nullptr) made_->lines = &made_->own_lines.emplace(fold::line_tree(run_, symbols_, selection_));
  return *made_->lines;
}

const std::vector<fold::StepTable>& Evidence::steps() const {
  if (!made_->steps) {
    made_->steps = fold::step_tables(run_, selection_);
    for (const fold::StepTable& table : *made_->steps) {
      for (const model::Step& step : table.steps->records) {
        made_->all_steps_ns = model::saturated_sum(made_->all_steps_ns, std::max<std::int64_t>(0, step.ns));
      }
    }
  }
  return *made_->steps;
}

const std::vector<fold::Loader>& Evidence::loaders() const {
  if (!made_->loaders) made_->loaders = fold::loaders(run_, symbols_, selection_);
  return *made_->loaders;
}

const fold::Operators& Evidence::operators() const {
  if (!made_->operators) made_->operators = fold::operators(run_, selection_, fold::OperatorGroup::Name);
  return *made_->operators;
}

const std::vector<fold::DeviceInSteps>& Evidence::devices() const {
  if (!made_->devices) made_->devices = fold::devices_in_steps(run_, selection_);
  return *made_->devices;
}

const fold::StepLimits& Evidence::step_limits() const {
  if (!made_->step_limits) made_->step_limits = fold::step_limits(run_, selection_);
  return *made_->step_limits;
}

const std::map<std::uint32_t, model::IdleMetric>& Evidence::idle_in_steps() const {
  if (!made_->idle_in_steps) made_->idle_in_steps = fold::idle_within(lines(), step_limits());
  return *made_->idle_in_steps;
}

const std::vector<fold::ThreadWall>& Evidence::thread_walls() const {
  if (!made_->thread_walls) made_->thread_walls = fold::thread_walls(run_, selection_);
  return *made_->thread_walls;
}

const fold::Leaks& Evidence::leaks() const {
  if (!made_->leaks) made_->leaks = fold::leaks(run_, lines(), selection_);
  return *made_->leaks;
}

const std::vector<bool>& Evidence::idle() const { return fold::doing(lines()).idle; }

const std::vector<std::uint32_t>& Evidence::timed() const {
  if (made_->timed) return *made_->timed;
  const auto& nodes = lines().nodes();
  const fold::Columns& self = lines().self();
  std::vector<bool> has(nodes.size());
  for (auto i = static_cast<std::uint32_t>(nodes.size()); i-- > 1;) {
    has[i] = has[i] || self.cpu[i].ns > 0 || self.wait[i].ns > 0;
    if (has[i]) has[nodes[i].parent] = true;
  }
  made_->timed.emplace();
  for (std::uint32_t i = 1; i < has.size(); ++i) {
    if (has[i]) made_->timed->push_back(i);
  }
  return *made_->timed;
}

const std::vector<bool>& Evidence::stacks(std::size_t process, FunctionTest is) const {
  const auto [found, is_new] = made_->stacks.try_emplace({process, is});
  if (is_new) found->second = stacks_with(*this, process, is);
  return found->second;
}

const std::vector<bool>& Evidence::imports(std::size_t process) const {
  return stacks(process, symbols::is_import_system);
}

const std::vector<fold::Activity>& Evidence::activities() const { return fold::doing(lines()).below_own; }

const std::string& Evidence::activity_name(std::uint32_t node) const { return fold::doing(lines()).name(node); }

symbols::SourceFiles& Evidence::sources() const { return made_->sources; }

bool Evidence::of_steps() const {
  if (!has_steps()) return false;
  if (made_->of_steps) return *made_->of_steps;
  const fold::StepTable& most = steps().front();
  const model::Process& process = run_.processes[most.process];
  std::int64_t stepping = 0, importing = 0;
  for (const model::Step& step : most.steps->records)
    stepping = model::saturated_sum(stepping, std::max<std::int64_t>(0, step.ns));
  for (const model::Import& import : process.imports)
    if (import.depth == 0) importing = model::saturated_sum(importing, model::to_signed(import.total_ns));
  const std::int64_t taken = model::saturated_sum(stepping, importing);
  const std::int64_t beside = model::saturated_difference(model::to_signed(process.wall_ns()), taken);
  const bool devices = std::any_of(run_.processes.begin(), run_.processes.end(), model::saw_devices);
  // Interpreters and libraries start and end in a second, which is more than the steps of a trial take.
  constexpr std::int64_t kStartAndEndNs = 1'000'000'000;
  made_->of_steps = devices || beside <= stepping || (beside <= kStartAndEndNs && beside <= 3 * stepping);
  return *made_->of_steps;
}

std::int64_t Evidence::basis_ns() const {
  if (of_steps() && steps().front().steady_ns > 0) return steps().front().steady_ns;
  return model::to_signed(run_.wall_ns);
}

double Evidence::basis_share(double of_steady) const {
  if (of_steps() || !has_steps() || run_.wall_ns == 0) return of_steady;
  const auto steady = static_cast<double>(steps().front().steady_ns);
  return of_steady * std::min(1.0, steady / static_cast<double>(run_.wall_ns));
}

std::int64_t Evidence::whole_ns() const {
  return of_steps() && made_->all_steps_ns > 0 ? made_->all_steps_ns : model::to_signed(run_.wall_ns);
}

double Evidence::share(std::int64_t ns) const {
  const std::int64_t whole = whole_ns();
  if (ns <= 0 || whole <= 0) return 0;
  return std::min(1.0, static_cast<double>(ns) / static_cast<double>(whole));
}

std::int64_t Evidence::step_count() const {
  std::int64_t count = 0;
  for (const fold::StepTable& table : steps()) count = model::saturated_sum(count, table.count);
  return count;
}

std::optional<Place> Evidence::own_place(std::uint32_t node) const {
  const std::vector<std::uint32_t> stack = fold::stack_of(lines(), node);
  const std::size_t at = fold::own_or_python_frame(own(), stack);
  if (at == stack.size()) return std::nullopt;
  return place_of(symbols_, stack[at]);
}

std::uint32_t Evidence::own_location(std::uint32_t node) const {
  if (!made_->own_locations) {
    const auto& nodes = lines().nodes();
    std::vector<std::uint32_t>& all = made_->own_locations.emplace(nodes.size());
    for (std::uint32_t i = 1; i < all.size(); ++i)
      all[i] = own().function(lines().function_id(i)) ? nodes[i].location : all[nodes[i].parent];
  }
  return (*made_->own_locations)[node];
}

bool Evidence::is_own(const Place& place) const {
  for (std::uint32_t id = 0; id < symbols_.function_count(); ++id) {
    const symbols::Function& function = symbols_.function(id);
    const std::string& name = function.short_name.empty() ? function.name : function.short_name;
    if (own().function(id) && function.file == place.file && name == place.function) return true;
  }
  return false;
}

std::vector<std::uint32_t> Evidence::own_callers(std::uint32_t node) const {
  const std::vector<std::uint32_t> stack = fold::stack_of(lines(), node);
  const std::size_t at = fold::own_or_python_frame(own(), stack);
  std::vector<std::uint32_t> out;
  if (at == stack.size()) return out;
  std::uint32_t inner = symbols_.location(stack[at]).function;
  for (std::size_t i = at + 1; i < stack.size() && out.size() < kMostCallers; ++i) {
    const std::uint32_t function = symbols_.location(stack[i]).function;
    if (function == inner || !own().function(function)) continue;
    inner = function;
    out.push_back(stack[i]);
  }
  return out;
}

}  // namespace prof::findings
