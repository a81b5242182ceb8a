// Where the time of single threads went, by stack: for rules about the thread whose progress is the program's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/places.hpp"

namespace prof::findings {

struct ThreadOf {
  std::size_t process = 0;  // index into Run::processes
  std::uint32_t slot = 0;
};

// The thread whose steps are counted, else the main thread of the process with the most CPU time that loads no data
// for another one. Nothing where no process is selected.
std::optional<ThreadOf> program_thread(const Evidence& evidence);
// The same of one process: null where it has no thread of the program.
const model::Thread* program_thread(const Evidence& evidence, std::size_t process);

// How many processes of the run the process started as the program that it is.
std::int64_t children_of(const Evidence& evidence, std::size_t process);

// Whether the user's own code was seen in the thread: threads that libraries keep for themselves have none.
bool runs_own_code(const Evidence& evidence, std::size_t process, std::uint32_t slot);

// Whether a process loads data for a training loop in another one.
bool loads_data(const Evidence& evidence, std::size_t process);

// What one thread took in a context: on a CPU, or waiting in a call.
struct StackTime {
  std::uint32_t node = 0;  // of the process's tree
  std::int64_t cpu_ns = 0;
  std::int64_t blocked_ns = 0;
  std::int64_t waited_ns = 0;           // blocked, and the CPU time in the same calls
  std::int64_t calls = 0;               // of waits
  std::optional<log::WaitClass> waits;  // of calls of libc's that wait
  std::int64_t ns() const { return model::saturated_sum(cpu_ns, blocked_ns); }
};
// In the order of the nodes; a context may have two: CPU time, and a wait.
std::vector<StackTime> stack_times(const model::Process& process, std::uint32_t slot);

// By node of the process's tree: whether a frame at it or above it has a function for which `is` holds.
using IsFunction = std::function<bool(const symbols::Function&)>;
std::vector<bool> stacks_with(const Evidence& evidence, std::size_t process, const IsFunction& is);

// By node of the process's tree: whether `is` holds of the innermost function of Python at it or above it, or of a
// native one below that.
std::vector<bool> innermost_with(const Evidence& evidence, std::size_t process, const IsFunction& is);

// Whether the interpreter itself made the call at that node of the process's tree: trees of lines do not show that.
bool called_by_interpreter(const Evidence& evidence, std::size_t process, std::uint32_t node);

// The wall time of the thread of program_thread(): that of its steps, warm-up included, else of its life.
std::int64_t thread_wall(const Evidence& evidence, const ThreadOf& thread);
// Of that wall time, 0 to 1; without steps of the run's.
double thread_share(const Evidence& evidence, const ThreadOf& thread, std::int64_t ns);
// What that is a share of: "the steps' time".
const char* share_words(const Evidence& evidence);

// CPU time of that thread, and what it waited for a processor meanwhile: as much as it waited on average.
double queue_factor(const Evidence& evidence, const ThreadOf& thread);  // 1: it did not wait
std::int64_t with_run_queue(const Evidence& evidence, const ThreadOf& thread, std::int64_t cpu_ns);

// What the thread was neither on a processor nor in a call that was seen, nor ready to run.
std::int64_t unseen_ns(const Evidence& evidence, const ThreadOf& thread);

// The work of the process's other threads, and of its children as far as any of them lives, waiting for a processor
// included: what may be done while the thread waits, and would have to be waited for in any other way.
std::int64_t work_beside(const Evidence& evidence, const ThreadOf& thread);
// That of the children alone, and of all that they start.
std::int64_t work_of_children(const Evidence& evidence, std::size_t process);

// Time by place of the program's own code.
class TimeByPlace {
 public:
  explicit TimeByPlace(const Evidence& evidence) : evidence_(&evidence) {}
  // `node` is of the process's tree.
  void add(std::size_t process, std::uint32_t node, std::int64_t ns);
  // `node` is of Evidence::lines(). False: nothing of Python or of the user's own leads there.
  bool add(std::uint32_t node, std::int64_t ns);
  void add(const Place& place, std::int64_t ns);    // by callers that are not known
  std::vector<AtPlace<std::int64_t>> sums() const;  // in no order; each with the callers that lead to most of it
  std::vector<Place> top() const;                   // see top_places()
  std::int64_t at(const Place& place) const;

 private:
  using Key = std::tuple<std::string, std::int64_t, std::string>;
  const Evidence* evidence_;
  struct Sum {
    std::int64_t ns = 0;
    std::map<std::vector<std::uint32_t>, std::int64_t> paths;  // by the callers' locations
  };
  std::map<Key, Sum> sums_;
};

}  // namespace prof::findings
