#include <fmt/format.h>

#include <algorithm>

#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/measure.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/training/training_figures.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::ModuleNode;
using fold::Modules;
using model::Measure;

constexpr std::size_t kUsualModules = 60;

// A module and what is inside it, in the order in which they are shown.
class Order {
 public:
  Order(const Modules& modules, const symbols::Symbols& symbols, SortKey key, double least)
      : nodes_(modules.nodes), symbols_(symbols), key_(key), least_(least), children_(nodes_.size()) {
    for (std::uint32_t i = 1; i < nodes_.size(); ++i) children_[nodes_[i].parent].push_back(i);
  }

  // Modules of which neither time reaches the least share are left out, with all inside them.
  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> order, open{0};
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      if (node != 0) order.push_back(node);
      std::vector<std::uint32_t>& children = children_[node];
      const auto small = [this](std::uint32_t child) { return is_small(child); };
      left_out_ += static_cast<std::int64_t>(std::erase_if(children, small));
      // The last one in is the first one out.
      std::stable_sort(children.begin(), children.end(),
                       [this](std::uint32_t a, std::uint32_t b) { return before(b, a); });
      open.insert(open.end(), children.begin(), children.end());
    }
    return order;
  }

  std::int64_t left_out() const { return left_out_; }

 private:
  bool is_small(std::uint32_t node) const {
    constexpr Measure kTimes[] = {Measure::CpuTime, Measure::Blocked, Measure::GpuTime};
    const ModuleNode& whole_node = nodes_[0];
    const ModuleNode& own_node = nodes_[node];
    if (real(own_node.backward_ns) >= least_ * real(whole_node.backward_ns) && own_node.backward_ns > 0) return false;
    return least_ > 0 && std::all_of(std::begin(kTimes), std::end(kTimes), [&](Measure measure) {
             const std::int64_t own = model::value_of(own_node.total, measure);
             return real(own) < least_ * real(model::value_of(whole_node.total, measure)) || own == 0;
           });
  }

  bool before(std::uint32_t a, std::uint32_t b) const {
    if (key_ == SortKey::Name) {
      const int order = nodes_[a].name.compare(nodes_[b].name);
      return order != 0 ? order < 0 : line_of(a) < line_of(b);
    }
    const bool self = key_ == SortKey::Tottime;
    const auto value = [&](std::uint32_t node) {
      const Measure measure = measure_of(key_);
      return model::value_of(self ? nodes_[node].self : nodes_[node].total, measure);
    };
    return value(a) > value(b);
  }

  std::uint32_t line_of(std::uint32_t node) const {
    return nodes_[node].called_from == UINT32_MAX ? 0 : symbols_.location(nodes_[node].called_from).line;
  }

  const std::vector<ModuleNode>& nodes_;
  const symbols::Symbols& symbols_;
  const SortKey key_;
  const double least_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::int64_t left_out_ = 0;
};

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : " > ") + name;
  return out;
}

std::string called_from(const Subject& subject, const ModuleNode& node, bool wide) {
  if (node.called_from == UINT32_MAX) return {};
  const symbols::Location& location = subject.symbols.location(node.called_from);
  const std::string file = wide ? location.file : short_file(location.file);
  return location.line == 0 ? file : fmt::format("{}:{}", file, location.line);
}

}  // namespace

Figures<ModuleNode> module_figures(const Subject& subject, const Modules& modules, const ViewOptions& options) {
  const ModuleNode& all = modules.nodes.front();
  const bool heap = heap_recorded(subject), device = modules.device_known, back = modules.backward_known,
             blocking = modules.waits_known;
  const Where waits = shown_if(all.total.wait.blocked_ns() > 0), gpu = shown_if(device), backward = shown_if(back),
              backward_gpu = shown_if(back && device), memory = shown_if(heap && options.memory_columns);
  const auto blocked_of = [=](const model::Metrics& of) { return known_if(blocking, of.wait.blocked_ns()); };
  const auto gpu_of = [=](const model::Metrics& of) { return known_if(device, of.gpu.get().work.ns); };
  const auto is_all = [&all](auto& node) { return &node == &all; };
  const auto function = [&, is_all](auto& node) {
    return is_all(node) ? symbols::Function{} : subject.symbols.function(node.function);
  };
  const auto from = [&](auto& node) {
    return node.called_from != UINT32_MAX ? subject.symbols.location(node.called_from) : symbols::Location{};
  };
  const auto line = [](std::uint32_t number) { return known_if(number != 0, number); };
  // CSV calls what a module took without those inside it as functions do, tottime; JSON as operators do, self.
  return {
      {data("depth", "depth", Kind::Plain), &ModuleNode::depth, kNotInJson},
      {{"cumtime_ns", "CPU total", Kind::Time}, [](auto& node) { return node.total.cpu.ns; }, "cpu_s"},
      {{"share", "%", Kind::Share, "of all", Where::TableOnly},
       [whole = real(all.total.cpu.ns)](auto& node) { return share(real(node.total.cpu.ns), whole); }},
      {{"tottime_ns", "self", Kind::Time}, [](auto& node) { return node.self.cpu.ns; }, "self_cpu_s"},
      {{"cumblocked_ns", "blocked", Kind::Time, "", waits},
       [=](auto& node) { return blocked_of(node.total); },
       "blocked_s"},
      {{"blocked_ns", "self", Kind::Time, "", waits},
       [=](auto& node) { return blocked_of(node.self); },
       "self_blocked_s"},
      {{"cum_gpu_ns", "GPU total", Kind::Time, "", gpu}, [=](auto& node) { return gpu_of(node.total); }, "gpu_s"},
      {{"gpu_ns", "self", Kind::Time, "", gpu}, [=](auto& node) { return gpu_of(node.self); }, "self_gpu_s"},
      {{"cum_backward_ns", "backward", Kind::Time, "", backward},
       [=](auto& node) { return known_if(back, node.backward_ns); },
       "backward_s"},
      {{"backward_ns", "self", Kind::Time, "", backward},
       [=](auto& node) { return known_if(back, node.self_backward_ns); },
       "self_backward_s"},
      {{"cum_backward_gpu_ns", "backward GPU", Kind::Time, "", backward_gpu},
       [=](auto& node) { return known_if(back && device, node.backward_gpu_ns); },
       "backward_gpu_s"},
      {{"backward_gpu_ns", "self", Kind::Time, "", backward_gpu},
       [=](auto& node) { return known_if(back && device, node.self_backward_gpu_ns); },
       "self_backward_gpu_s"},
      {{"cum_allocated_bytes", "allocated", Kind::Bytes, "", memory},
       [=](auto& node) { return known_if(heap, node.total.heap.bytes); },
       "allocated_bytes"},
      {{"allocated_bytes", "self", Kind::Bytes, "", memory},
       [=](auto& node) { return known_if(heap, node.self.heap.bytes); },
       "self_allocated_bytes"},
      {{"cum_peak_bytes", "peak", Kind::Bytes, "", memory},
       [=, live = modules.live_known](auto& node) { return known_if(heap && live, node.total.heap.peak_bytes); },
       "peak_bytes"},
      {{"name", "module", Kind::Text, "", Where::TableOnly, !options.wide},
       [=](auto& node) {
         return is_all(node) ? "(all; self: in no module)"
                             : std::string(2 * (std::size_t{node.depth} - 1), ' ') + node.name;
       }},
      {{"from", "called from", Kind::Text, "", Where::TableOnly, !options.wide},
       [&subject, wide = options.wide](auto& node) { return called_from(subject, node, wide); }},
      {data("path", "path", Kind::Text),
       [&modules, is_all](const ModuleNode& node) {
         const auto index = static_cast<std::uint32_t>(&node - modules.nodes.data());
         return is_all(node) ? std::string() : joined(fold::path_of(modules, index));
       },
       kNotInJson},
      {data("file", "file", Kind::Text), [=](auto& node) { return function(node).file; }},
      {data("line", "line", Kind::Plain), [=](auto& node) { return line(function(node).line); }},
      {data("caller_file", "caller file", Kind::Text), [=](auto& node) { return from(node).file; }, kNotInJson},
      {data("caller_line", "caller line", Kind::Plain), [=](auto& node) { return line(from(node).line); }, kNotInJson}};
}

// Modules of PyTorch (nn.Module), as they called each other.
static Sheet modules_view(const Subject& subject, const ViewOptions& options) {
  const Modules modules = fold::module_tree(subject.run, mixed_line_tree(subject), subject.selection);
  const double least = options.everything ? 0 : options.min_percent / 100;
  Order order(modules, subject.symbols, options.sort.value_or(SortKey::Cumtime), least);
  const std::vector<std::uint32_t> rows = order.run();
  const ModuleNode& all = modules.nodes.front();
  const auto whole = static_cast<double>(all.total.cpu.ns);
  const bool none = modules.nodes.size() == 1;

  Sheet sheet;
  sheet.title = "Modules of PyTorch";
  if (none) {
    sheet.captions.emplace_back(
        "No module was seen: they are known by the Python frames of their forward(), called by nn.Module.");
  } else {
    sheet.captions.push_back(
        fmt::format("{}; % is of {}. self: without the modules inside.", cpu_sampling(subject), duration(whole)));
    sheet.captions.emplace_back(
        modules.backward_known
            ? "CPU, blocked, GPU and memory are of forward(). backward: what backward functions took for a module's "
              "operators, exact wall time, and their time on GPUs."
            : "All is of forward(): what backward() did for which module, prof run --ops stacks records.");
    sheet.captions.emplace_back(
        "A module is called what the class is called that defines its forward(); those that one line calls in a loop "
        "are one where their classes are.");
  }
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));

  const Figures<ModuleNode> figures = module_figures(subject, modules, options);
  const std::size_t shown = options.rows_of(rows.size(), kUsualModules);
  sheet.columns = columns_of(figures);
  if (!none) sheet.add(cells_of(figures, all), Emphasis::Faint);
  for (std::size_t i = 0; i < shown; ++i) sheet.add(cells_of(figures, modules.nodes[rows[i]]));
  if (modules.unlinked > 0) {
    sheet.notes.push_back(
        fmt::format("Of {} of backward functions {} could not be told what made them: they are in no module.",
                    counted(modules.backward_calls, "call", "calls"), grouped(modules.unlinked)));
  }
  if (order.left_out() > 0) {
    sheet.notes.push_back(fmt::format("{} below {} % of all left out; --min-percent 0 shows them.",
                                      counted(order.left_out(), "branch", "branches"), options.min_percent));
  }
  for (std::string& note : left_out(shown, rows.size(), "modules")) sheet.notes.push_back(std::move(note));
  return sheet;
}

extern const View kModulesView{
    .name = "modules",
    .help = "the hierarchy of PyTorch's modules",
    .topic = Topic::Training,
    .available = any_process<[](const model::Process& p) {
      return std::any_of(p.codes.begin(), p.codes.end(), [](const model::Code& c) { return c.name == "_call_impl"; });
    }>,
    .sheets = one_sheet<modules_view>,
    .sorts = kMemoryKeys |
             SortKeys{SortKey::Cumtime, SortKey::Tottime, SortKey::Gpu, SortKey::Blocked, SortKey::Wall, SortKey::Name},
    .options = "--min-percent"};

}  // namespace prof::show
