// One function of a library takes much of the time where another way is known to be faster.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

// What went by below the functions.
struct Spent {
  std::int64_t ns = 0;
  std::int64_t allocated_bytes = 0, peak_bytes = 0;  // of malloc and mmap
};

struct Family {
  const char* rule;
  std::span<const fold::FunctionAt> functions;
  const char* title;
  const char* advice;
  bool (*again)(const Evidence&, const Spent&);   // whether it was asked for more than a few times
  bool in_steps = false;                          // where there are steps it is done in them
  std::span<const fold::FunctionAt> beside = {};  // what the same functions of one's own ask for because of it
  bool anywhere = false;                          // in workers: of the thread that lost most by it
  bool calls_back = false;                        // it calls functions of one's own, whose time is meant
};

bool always(const Evidence&, const Spent&) { return true; }

// Joined once, data is there once.
bool copied_again(const Evidence&, const Spent& spent) {
  return static_cast<double>(spent.allocated_bytes) >= kCopiedAgain * static_cast<double>(spent.peak_bytes) &&
         spent.allocated_bytes > 0;
}

bool many_children(const Evidence& evidence, const Spent&) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  return program && children_of(evidence, program->process) >= kManyChildren;
}

constexpr fold::FunctionAt kRows[] = {{"/pandas/core/frame.py", "iterrows"},
                                      {"/pandas/core/frame.py", "itertuples"},
                                      {"/pandas/core/apply.py", "series_generator"},
                                      {"/pandas/core/internals/managers.py", "fast_xs"}};
constexpr fold::FunctionAt kOfRows[] = {{"/pandas/core/series.py", ""}, {"/pandas/core/indexing.py", ""}};
constexpr Family kRowWise{"row-by-row",
                          kRows,
                          "A data frame is gone through row by row",
                          "Compute on whole columns (arithmetic, masks, where, map, merge, groupby), or on "
                          "df.to_numpy(); itertuples() is the fastest of the loops.",
                          always,
                          false,
                          kOfRows};

constexpr fold::FunctionAt kOfGroups[] = {{"/pandas/core/groupby/generic.py", "_transform_general"},
                                          {"/pandas/core/groupby/generic.py", "_aggregate_named"},
                                          {"/pandas/core/groupby/generic.py", "_python_agg_general"},
                                          {"/pandas/core/groupby/groupby.py", "_python_agg_general"},
                                          {"/pandas/core/groupby/groupby.py", "_python_apply_general"},
                                          {"/pandas/core/groupby/ops.py", "apply_groupwise"},
                                          {"/pandas/core/groupby/ops.py", "agg_series"}};
constexpr Family kGroups{"python-for-groups",
                         kOfGroups,
                         "pandas calls a Python function for each group",
                         "Name the function where pandas has it (transform(\"mean\"), agg(\"sum\"), rank, cumsum, "
                         "shift), and compute on whole columns with what it gives; or on numpy arrays with "
                         "numpy.add.reduceat, bincount.",
                         always,
                         false,
                         {},
                         false,
                         true};

constexpr fold::FunctionAt kChoices[] = {{"/random.py", "choices"}, {"/random.py", "sample"}};
constexpr Family kRandomChoices{
    "random-choices", kChoices, "random.choices() and sample() go through the whole population at each call",
    "Give choices() cum_weights that are added up once (itertools.accumulate) or ask for many at a time (k=); "
    "numpy.random.Generator.choice for whole arrays.",
    always};

constexpr fold::FunctionAt kJoins[] = {{"/pandas/core/reshape/concat.py", "concat"},
                                       {"/pandas/core/frame.py", "append"},
                                       {"/pandas/core/frame.py", "_append"},
                                       {"/numpy/lib/function_base.py", "append"},
                                       {"/numpy/lib/_function_base_impl.py", "append"},
                                       {"<__array_function__ internals>", "append"},
                                       {"<__array_function__ internals>", "concatenate"}};
constexpr Family kGrowing{"growing-by-copies", kJoins, "Data is copied again and again while it grows",
                          "Collect the parts in a list and join them once at the end (pandas.concat, "
                          "numpy.concatenate), or write into an array of the full size.",
                          copied_again};

constexpr fold::FunctionAt kDates[] = {{"/_strptime.py", ""}, {"/dateutil/parser/_parser.py", ""}};
constexpr Family kDateParsing{
    "date-parsing", kDates, "Dates are parsed one by one by their format",
    "datetime.fromisoformat() is some ten times faster for ISO dates; keep the answer for texts that come again "
    "(functools.lru_cache), cut fixed positions out with int(), or parse a whole column (pandas.to_datetime(format=)).",
    always};

constexpr fold::FunctionAt kTraces[] = {{"/traceback.py", ""}, {"/inspect.py", ""}, {"/linecache.py", ""}};
constexpr Family kTracebacks{"tracebacks", kTraces, "Stacks are turned into text again and again",
                             "Note what was caught (str(error), its type) and format the stack of the first few; "
                             "sys._getframe() in place of inspect.stack().",
                             always};

constexpr fold::FunctionAt kYaml[] = {
    {"/yaml/scanner.py", ""},     {"/yaml/reader.py", ""},  {"/yaml/parser.py", ""},     {"/yaml/composer.py", ""},
    {"/yaml/constructor.py", ""}, {"/yaml/emitter.py", ""}, {"/yaml/serializer.py", ""}, {"/yaml/representer.py", ""}};
constexpr Family kYamlText{"yaml", kYaml, "YAML is read and written by PyYAML's Python code",
                           "Use its C library: yaml.load(text, Loader=yaml.CSafeLoader), yaml.dump(data, "
                           "Dumper=yaml.CSafeDumper), some ten times faster; or keep the result, or JSON.",
                           always};

constexpr fold::FunctionAt kProxies[] = {{"/multiprocessing/managers.py", "_callmethod"}};
constexpr Family kManagers{"manager-proxies",
                           kProxies,
                           "Each use of a Manager's object asks another process",
                           "Work on an object of the process's own and hand over the whole once (return it from the "
                           "pool's function, a Queue), or share memory (multiprocessing.Value, Array, shared_memory).",
                           always,
                           false,
                           {},
                           true};

constexpr fold::FunctionAt kTexts[] = {{"/numpy/lib/npyio.py", "genfromtxt"},
                                       {"/numpy/lib/_npyio_impl.py", "genfromtxt"},
                                       {"/numpy/lib/npyio.py", "savetxt"},
                                       {"/numpy/lib/_npyio_impl.py", "savetxt"}};
constexpr Family kTextArrays{"text-arrays", kTexts, "Arrays are read or written as text by numpy's Python code",
                             "pandas.read_csv and to_csv are many times faster; numpy.save, Parquet or Arrow keep the "
                             "numbers as they are.",
                             always};

constexpr fold::FunctionAt kElementwise[] = {{"/numpy/lib/function_base.py", "_vectorize_call"},
                                             {"/numpy/lib/_function_base_impl.py", "_vectorize_call"},
                                             {"/numpy/lib/shape_base.py", "apply_along_axis"},
                                             {"/numpy/lib/_shape_base_impl.py", "apply_along_axis"}};
constexpr Family kVectorize{"vectorize",
                            kElementwise,
                            "A Python function is called for each element of an array",
                            "numpy.vectorize and apply_along_axis are loops: write the function with whole arrays "
                            "(numpy.where, masks, arithmetic), or compile it (numba).",
                            always,
                            false,
                            {},
                            false,
                            true};

constexpr fold::FunctionAt kStatistics[] = {{"/statistics.py", ""}, {"/fractions.py", ""}};
constexpr Family kExactNumbers{
    "exact-numbers", kStatistics, "Numbers are added up as fractions, exactly",
    "statistics.fmean() and math.fsum() take floats as they are, some hundred times faster; "
    "numpy.mean and numpy.std for many; integers of the smallest unit where it must be exact.",
    always};

constexpr fold::FunctionAt kSeeks[] = {
    {"/_compression.py", "seek"}, {"/_compression.py", "_rewind"}, {"/compression/_common/_streams.py", "seek"}};
constexpr Family kCompressedSeeks{
    "compressed-seeks", kSeeks, "Compressed data is read again from its beginning to get back to a place",
    "Read it in its order and keep what is needed again, unpack it once (to memory, to a temporary file), or compress "
    "blocks that can be read by themselves.",
    always};

constexpr fold::FunctionAt kSaves[] = {{"/torch/serialization.py", "save"}};
constexpr Family kCheckpoints{"checkpoints",
                              kSaves,
                              "Checkpoints take much of the time",
                              "Save less often (every N steps or minutes, at the end of an epoch), save only what is "
                              "needed (state_dict()), or let another thread write a copy.",
                              always,
                              true};

constexpr fold::FunctionAt kStarters[] = {{"/subprocess.py", "__init__"},
                                          {"/subprocess.py", "run"},
                                          {"/subprocess.py", "check_output"},
                                          {"/os.py", "popen"},
                                          {"/multiprocessing/process.py", "start"}};
constexpr Family kStarting{"process-starts", kStarters, "Processes are started again and again",
                           "Keep one process for many jobs (a pool, a server that is asked by a pipe), give one "
                           "command many files, or use a library in place of the command.",
                           many_children};

void add_memory(const Evidence& evidence, const Family& family, Spent& spent) {
  const std::vector<fold::CallNode>& nodes = evidence.lines().nodes();
  std::vector<bool> inside(nodes.size());
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    inside[node] = inside[nodes[node].parent] || fold::is_any(evidence.lines().function(node), family.functions);
    if (!inside[node]) continue;
    for (const model::MemoryMetric* memory : {&nodes[node].self.heap, &nodes[node].self.maps}) {
      spent.allocated_bytes = model::saturated_sum(spent.allocated_bytes, memory->bytes);
      spent.peak_bytes = model::saturated_sum(spent.peak_bytes, memory->peak_bytes);
    }
  }
}

// The node of the user's own line that called one of the functions, on the way to `node`, with no own code between; 0:
// there is none.
std::uint32_t caller_of(const Evidence& evidence, std::uint32_t node, std::span<const fold::FunctionAt> functions,
                        bool calls_back = false) {
  bool inside = false;
  while (node != 0 && ((calls_back && !inside) || !evidence.own().function(evidence.lines().function_id(node)))) {
    inside |= fold::is_any(evidence.lines().function(node), functions);
    node = evidence.lines().nodes()[node].parent;
  }
  return inside ? node : 0;
}

// What went by below the functions in one thread, and the lines that called them.
struct InThread {
  explicit InThread(const Evidence& evidence) : lines(evidence) {}
  std::int64_t ns = 0;
  TimeByPlace lines;
};

InThread time_in(const Evidence& evidence, const ThreadOf& thread, const Family& family) {
  InThread out(evidence);
  const double waits_with = queue_factor(evidence, thread);
  const std::vector<LineTime> times = line_times(evidence, thread);
  std::set<std::uint32_t> callers;  // functions of the user's own
  const auto add = [&](const LineTime& time, std::uint32_t caller) {
    const auto cpu_ns = static_cast<std::int64_t>(waits_with * static_cast<double>(time.cpu_ns));
    const std::int64_t here = model::saturated_sum(cpu_ns, time.blocked_ns);
    out.ns = model::saturated_sum(out.ns, here);
    out.lines.add(caller, here);
  };
  for (const LineTime& time : times) {
    const std::uint32_t caller = caller_of(evidence, time.node, family.functions, family.calls_back);
    if (caller == 0) continue;
    callers.insert(evidence.lines().function_id(caller));
    add(time, caller);
  }
  for (const LineTime& time : family.beside.empty() ? std::vector<LineTime>() : times) {
    const std::uint32_t caller = caller_of(evidence, time.node, family.beside);
    if (caller == 0 || !callers.contains(evidence.lines().function_id(caller))) continue;
    if (caller_of(evidence, time.node, family.functions) == 0) add(time, caller);
  }
  return out;
}

// The program's thread; where it is done in workers, too, the one that lost most.
ThreadOf thread_for(const Evidence& evidence, const ThreadOf& program, const Family& family) {
  ThreadOf out = program;
  if (!family.anywhere) return out;
  std::int64_t most = 0;
  const std::vector<model::Process>& processes = evidence.run().processes;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (!evidence.selection().includes(processes[i]) || !processes[i].python) continue;
    for (const model::Thread& thread : processes[i].threads) {
      if (thread.agent) continue;
      const std::int64_t ns = time_in(evidence, {i, thread.slot}, family).ns;
      if (ns > most) out = {i, thread.slot};
      most = std::max(most, ns);
    }
  }
  return out;
}

std::vector<Finding> look_for(const Evidence& evidence, const Family& family) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  const ThreadOf thread = thread_for(evidence, *program, family);
  const InThread in_it = time_in(evidence, thread, family);
  Spent spent;
  spent.ns = in_it.ns;
  // Who starts a process waits in vfork() until it has become another program, which is in no call that is seen.
  if (&family == &kStarting && spent.ns > 0) spent.ns = model::saturated_sum(spent.ns, unseen_ns(evidence, *program));
  double share = family.in_steps ? thread_share(evidence, thread, spent.ns) : share_of_life(evidence, thread, spent.ns);
  if (family.anywhere) share = static_cast<double>(spent.ns) / static_cast<double>(evidence.basis_ns());
  if (share < kActivity || spent.ns < kLeastActivityNs) return {};
  add_memory(evidence, family, spent);
  if (!family.again(evidence, spent)) return {};
  Finding finding;
  finding.rule = family.rule;
  finding.title = family.title;
  finding.seen = fmt::format("{} ({} % of the time) went by in it.", show::duration(static_cast<double>(spent.ns)),
                             show::percent(share, 1));
  finding.advice = family.advice;
  finding.places = in_it.lines.top();
  could_save(finding, evidence, share);
  return {finding};
}

template <const Family& family>
std::vector<Finding> look(const Evidence& evidence) {
  return look_for(evidence, family);
}

}  // namespace

const Rule kRowWiseRule{kRowWise.rule, "data frames gone through row by row", no_python_frames, look<kRowWise>};
const Rule kGroupsRule{kGroups.rule, "Python functions called for groups", no_python_frames, look<kGroups>};
const Rule kChoicesRule{kRandomChoices.rule, "weighted choices", no_python_frames, look<kRandomChoices>};
const Rule kGrowingRule{kGrowing.rule, "data that grows by being copied", no_python_frames, look<kGrowing>};
const Rule kCheckpointsRule{kCheckpoints.rule, "checkpoints", no_python_frames, look<kCheckpoints>};
const Rule kDateParsingRule{kDateParsing.rule, "dates parsed one by one", no_python_frames, look<kDateParsing>};
const Rule kTracebacksRule{kTracebacks.rule, "stacks turned into text", no_python_frames, look<kTracebacks>};
const Rule kYamlRule{kYamlText.rule, "YAML read by Python code", no_python_frames, look<kYamlText>};
const Rule kManagersRule{kManagers.rule, "objects of a Manager", no_python_frames, look<kManagers>};
const Rule kTextArraysRule{kTextArrays.rule, "arrays read as text", no_python_frames, look<kTextArrays>};
const Rule kVectorizeRule{kVectorize.rule, "functions called for each element", no_python_frames, look<kVectorize>};
const Rule kExactNumbersRule{kExactNumbers.rule, "sums of fractions", no_python_frames, look<kExactNumbers>};
const Rule kSeeksRule{kCompressedSeeks.rule, "seeks in compressed data", no_python_frames, look<kCompressedSeeks>};
const Rule kStartsRule{kStarting.rule, "processes that are started again and again", no_python_frames, look<kStarting>};

}  // namespace prof::findings
