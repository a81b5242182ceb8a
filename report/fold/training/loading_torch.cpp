#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/fold/interest.hpp"
#include "report/fold/line_tree.hpp"
#include "report/fold/raw_stack.hpp"
#include "report/fold/training/loading_parts.hpp"
#include "report/fold/training/loading_places.hpp"
#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"

namespace prof::fold {
namespace {

// Calls cpu(node, slot, ns) and wait(node, slot, class, metric) for all rows.
template <typename Cpu, typename Wait>
void each_row(const model::Process& process, Cpu cpu, Wait wait) {
  for (const auto& row : process.tree.cpu) cpu(row.node, row.slot, row.metric.ns);
  for (const auto& row : process.tree.waits) {
    const auto what = model::wait_class_of(process, process.tree.nodes[row.node].frame);
    wait(row.node, row.slot, static_cast<std::size_t>(what.value_or(log::WaitClass::Other)), row.metric);
  }
}

void add_ns(std::int64_t& to, std::int64_t ns) { to = model::saturated_sum(to, ns); }

// How long threads waited for a processor, outside of calls that wait, for each nanosecond that they had one: what the
// scheduler says, at most what is left of their lives.
double ready_share(const model::Process& process, const std::set<std::uint32_t>& slots) {
  std::map<std::uint32_t, ThreadTime> times;
  each_row(
      process, [&](std::uint32_t, std::uint32_t slot, std::int64_t ns) { add_ns(times[slot].cpu_ns, ns); },
      [&](std::uint32_t, std::uint32_t slot, std::size_t what, const model::WaitMetric& metric) {
        times[slot].waits[what] += metric;
      });
  std::int64_t ready = 0, cpu = 0;
  for (const model::Thread& thread : process.threads) {
    if (!slots.contains(thread.slot) || thread.merged > 0 || !thread.use.run_queue_ns) continue;
    if (thread.end_monotonic_ns <= thread.start_monotonic_ns) continue;
    const std::int64_t life = model::to_signed(thread.end_monotonic_ns - thread.start_monotonic_ns);
    const std::int64_t left = model::saturated_difference(life, times[thread.slot].ns());
    add_ns(ready, std::max<std::int64_t>(0, std::min(left, *thread.use.run_queue_ns)));
    add_ns(cpu, times[thread.slot].cpu_ns);
  }
  return cpu > 0 ? static_cast<double>(ready) / static_cast<double>(cpu) : 0;
}

class TorchFinder {
 public:
  TorchFinder(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection)
      : run_(run), symbols_(symbols), own_(run, symbols, selection) {
    for (const model::Process& process : run.processes) places_.emplace_back(process);
  }

  std::vector<Loader> find(const Selection& selection) {
    std::map<std::size_t, Loader> loaders;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].trains() || places_[i].works() || !selection.includes(run_.processes[i])) continue;
      Loader loader = training(i);
      if (loader.loop_ns > 0) loaders.emplace(i, std::move(loader));
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].works()) continue;
      const auto found = loaders.find(trainer_of(i));
      if (found != loaders.end()) found->second.workers.push_back({i, worker(i)});
    }
    std::vector<Loader> out;
    for (auto& [process, loader] : loaders) out.push_back(std::move(loader));
    return out;
  }

 private:
  Loader training(std::size_t index) {
    const model::Process& process = run_.processes[index];
    Loader loader;
    loader.process = index;
    find_loop(index, loader);
    const LoadingPlaces& places = places_[index];
    ThreadTime loop, starting, pinning;
    std::set<std::uint32_t> slots;  // of threads that take batches
    bool pins = false;
    const auto takes = [&](std::uint32_t node, std::uint32_t slot) {
      if ((places.at(node) & kNext) != 0) slots.insert(slot);
    };
    each_row(
        process, [&](std::uint32_t node, std::uint32_t slot, std::int64_t) { takes(node, slot); },
        [&](std::uint32_t node, std::uint32_t slot, std::size_t, const model::WaitMetric&) { takes(node, slot); });
    const auto each_of = [&](std::uint32_t node, std::uint32_t slot, auto add) {
      const unsigned at = places.at(node);
      if ((at & kNext) != 0) {
        add(loader.wait);
      } else if ((at & kStart) != 0) {
        add(starting);
      }
      // The loop is in a function of its own, or there is no such function: then it is all that the thread does.
      const bool in_loop = (at & kLoop) != 0 || loader.location == kNobody;
      if (in_loop && ((at & kImport) == 0 || (at & kNext) != 0) && slots.contains(slot)) add(loop);
      if ((at & kPin) != 0) pins = true;
      if ((at & kPin) != 0 && (at & kTaking) == 0) add(pinning);
    };
    each_row(
        process,
        [&](std::uint32_t node, std::uint32_t slot, std::int64_t ns) {
          each_of(node, slot, [ns](ThreadTime& to) { add_ns(to.cpu_ns, ns); });
        },
        [&](std::uint32_t node, std::uint32_t slot, std::size_t what, const model::WaitMetric& metric) {
          each_of(node, slot, [&](ThreadTime& to) { to.waits[what] += metric; });
        });
    const double share = ready_share(process, slots);
    for (ThreadTime* time : {&loader.wait, &starting, &loop}) {
      // Bounded, since a damaged log may say anything.
      time->ready_ns = whole_number(share * static_cast<double>(time->cpu_ns));
    }
    loader.loop_ns = loader.wait.ns() > 0 ? loop.ns() : 0;
    loader.starting_ns = starting.ns();
    if (pins) loader.pinning = pinning;
    return loader;
  }

  // The functions of the program's own that call the loader: what they and all they call take is the loop's time.
  void find_loop(std::size_t index, Loader& loader) {
    const model::Process& process = run_.processes[index];
    LoadingPlaces& places = places_[index];
    std::map<std::uint32_t, std::int64_t> by_location;
    std::set<std::uint32_t> functions;
    std::map<std::uint32_t, std::uint32_t> location_of;  // by the node above the loader's outermost frame
    const auto count = [&](std::uint32_t node, std::int64_t ns) {
      if ((places.at(node) & kNext) == 0) return;
      std::uint32_t above = node;
      while (above != 0 && (places.at(above) & kNext) != 0) above = process.tree.nodes[above].parent;
      const auto [found, is_new] = location_of.try_emplace(above, kNobody);
      if (is_new) {
        const std::vector<std::uint32_t> stack = raw_stack(run_, symbols_, index, above);
        const std::size_t own = first_own_python_frame(own_, stack);
        if (own != stack.size()) found->second = stack[own];
      }
      if (found->second == kNobody) return;
      functions.insert(symbols_.location(found->second).function);
      add_ns(by_location[found->second], ns);
    };
    each_row(
        process, [&](std::uint32_t node, std::uint32_t, std::int64_t ns) { count(node, ns); },
        [&](std::uint32_t node, std::uint32_t, std::size_t, const model::WaitMetric& metric) {
          count(node, metric.ns);
        });
    const auto most = std::max_element(by_location.begin(), by_location.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == by_location.end()) return;
    loader.location = most->first;
    std::vector<bool> frames(process.tree.frames.size());
    for (std::uint32_t i = 0; i < frames.size(); ++i) {
      for (const std::uint32_t location : symbols_.locations(index, i)) {
        if (functions.contains(symbols_.location(location).function)) frames[i] = true;
      }
    }
    places.mark_loop(frames);
  }

  LoadingTime worker(std::size_t index) const {
    const model::Process& process = run_.processes[index];
    const LoadingPlaces& places = places_[index];
    LoadingTime out = process_time(process);
    std::set<std::uint32_t> slots;  // of the thread that loads
    const auto loads = [&](std::uint32_t node, std::uint32_t slot) {
      if ((places.at(node) & kWorker) != 0) slots.insert(slot);
    };
    each_row(
        process, [&](std::uint32_t node, std::uint32_t slot, std::int64_t) { loads(node, slot); },
        [&](std::uint32_t node, std::uint32_t slot, std::size_t, const model::WaitMetric&) { loads(node, slot); });
    ThreadTime orders, sending, starting;
    each_row(
        process,
        [&](std::uint32_t node, std::uint32_t slot, std::int64_t ns) {
          const unsigned at = places.at(node);
          if ((at & kWorker) != 0) {
            add_ns(out.work.cpu_ns, ns);
          } else if ((at & kFeeder) != 0) {
            add_ns(out.sending_cpu_ns, ns);
          } else if (slots.contains(slot)) {
            add_ns(starting.cpu_ns, ns);
          }
        },
        [&](std::uint32_t node, std::uint32_t slot, std::size_t what, const model::WaitMetric& metric) {
          const unsigned at = places.at(node);
          if ((at & kOrders) != 0) {
            orders.waits[what] += metric;
          } else if ((at & kWorker) != 0) {
            out.work.waits[what] += metric;
          } else if ((at & kFeeder) != 0) {
            if ((at & kEmpty) == 0) sending.waits[what] += metric;
          } else if (slots.contains(slot)) {
            starting.waits[what] += metric;
          }
        });
    out.idle_ns = orders.blocked_ns();
    out.sending_ns = sending.blocked_ns();
    out.starting_ns = starting.ns();
    return out;
  }

  // The nearest process above that trains: a fork server may stand in between. The worker itself if there is none.
  std::size_t trainer_of(std::size_t worker) const {
    std::size_t at = worker;
    for (std::size_t steps = 0; steps < run_.processes.size(); ++steps) {
      const model::Process& process = run_.processes[at];
      const auto above = process.parent ? process.parent : process.previous_image;
      if (!above || *above >= run_.processes.size()) break;
      at = *above;
      if (places_[at].trains() && !places_[at].works()) return at;
    }
    return worker;
  }

  const model::Run& run_;
  const symbols::Symbols& symbols_;
  OwnCode own_;
  std::vector<LoadingPlaces> places_;  // by process
};

}  // namespace

std::vector<Loader> torch_loaders(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection) {
  return TorchFinder(run, symbols, selection).find(selection);
}

}  // namespace prof::fold
