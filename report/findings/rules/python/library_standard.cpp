// The standard library of Python and other packages: functions for which there is a faster way.
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/file_use.hpp"
#include "report/findings/rules/shared/library_family.hpp"
#include "report/findings/source_loops.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace library_standard {
namespace {

bool many_children(const Evidence& evidence, const LibrarySpent&) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  return program && children_of(evidence, program->process) >= kManyChildren;
}

// Going back is what shows; skipping ahead asks for the same functions.
bool goes_back(const Evidence& evidence, const LibrarySpent&) {
  const auto sought = [](const model::FileMetric& use, bool told_alone) {
    return told_alone && use.seeks >= kManyOpens && use.reads > 0;
  };
  return no_files(evidence) == nullptr && !files_used(evidence, sought).empty();
}

constexpr fold::FunctionAt kChoices[] = {{"/random.py", "choices"}};
// What it does for each of many that are asked for at a time.
constexpr std::string_view kManyChoices[] = {"Random.choices.<locals>.<listcomp>", "math.floor",
                                             "_random.Random.random", "_random_Random_random", "_bisect.bisect"};
constexpr LibraryFamily kRandomChoices{
    .rule = "random-choices",
    .functions = kChoices,
    .title = "random.choices() goes through all weights at each call",
    .advice =
        "Give choices() cum_weights that are added up once (itertools.accumulate) or ask for many at a time (k=); "
        "numpy.random.Generator.choice for whole arrays.",
    .unless = kManyChoices};

// Each reads and parses all certificates that the system trusts.
constexpr fold::FunctionAt kTlsContexts[] = {{"/ssl.py", "create_default_context"},
                                             {"/ssl.py", "load_default_certs"},
                                             {"/urllib3/util/ssl_.py", "create_urllib3_context"}};
constexpr LibraryFamily kContexts{.rule = "tls-contexts",
                                  .functions = kTlsContexts,
                                  .title = "TLS contexts are made again and again: each reads all certificates",
                                  .advice =
                                      "Make one ssl.SSLContext and give it to all connections (context=), or keep what "
                                      "holds one: a requests.Session, "
                                      "a client of httpx or aiohttp, the connection itself.",
                                  .anywhere = true,
                                  .repeated = true};

constexpr fold::FunctionAt kAsDicts[] = {{"/dataclasses.py", "asdict"}, {"/dataclasses.py", "astuple"}};
constexpr LibraryFamily kRecordCopies{
    .rule = "record-copies",
    .functions = kAsDicts,
    .title = "Dataclasses become dicts by copies of all that they hold",
    .advice =
        "asdict() and astuple() copy each value below, down to the last: where nobody changes them, write out what is "
        "needed ({'id': x.id, ...}, vars(x)), or take a library that knows dataclasses (orjson, msgspec).",
    .repeated = true};

constexpr fold::FunctionAt kDates[] = {{"/_strptime.py", ""}, {"/dateutil/parser/_parser.py", ""}};
constexpr LibraryFamily kDateParsing{
    .rule = "date-parsing",
    .functions = kDates,
    .title = "Dates are parsed one by one by their format",
    .advice =
        "datetime.fromisoformat() is some ten times faster for ISO dates; keep the answer for texts that come again "
        "(functools.lru_cache), cut fixed positions out with int(), or parse a whole column "
        "(pandas.to_datetime(format=))."};

constexpr fold::FunctionAt kTraces[] = {{"/traceback.py", ""},
                                        {"/linecache.py", ""},
                                        {"/inspect.py", "stack"},
                                        {"/inspect.py", "trace"},
                                        {"/inspect.py", "getouterframes"},
                                        {"/inspect.py", "getinnerframes"},
                                        {"/inspect.py", "getframeinfo"},
                                        {"/inspect.py", "getmodule"},
                                        {"/inspect.py", "getsource"},
                                        {"/inspect.py", "getsourcelines"},
                                        {"/inspect.py", "getsourcefile"},
                                        {"/inspect.py", "findsource"}};
constexpr LibraryFamily kTracebacks{
    .rule = "tracebacks",
    .functions = kTraces,
    .title = "Stacks are turned into text again and again",
    .advice =
        "Note what was caught (str(error), its type) and format the stack of the first few; "
        "sys._getframe() in place of inspect.stack().",
    .not_by = "/libtorch"};  // of its anomaly detection

constexpr fold::FunctionAt kSignatures[] = {{"/inspect.py", "signature"},
                                            {"/inspect.py", "getfullargspec"},
                                            {"/inspect.py", "getcallargs"},
                                            {"/typing.py", "get_type_hints"},
                                            {"/typing_extensions.py", "get_type_hints"}};
constexpr LibraryFamily kSignaturesAnew{
    .rule = "signatures",
    .functions = kSignatures,
    .title = "Signatures and type hints of functions are worked out again and again",
    .advice =
        "Ask once for each function and keep the answer: where it is decorated or registered, or in a dict by function "
        "(functools.lru_cache)."};

constexpr fold::FunctionAt kProtocols[] = {{"/typing.py", "__instancecheck__"},
                                           {"/typing.py", "__subclasscheck__"},
                                           {"/typing_extensions.py", "__instancecheck__"},
                                           {"/typing_extensions.py", "__subclasscheck__"}};
constexpr LibraryFamily kProtocolChecks{
    .rule = "protocol-checks",
    .functions = kProtocols,
    .title = "isinstance() of a runtime-checkable Protocol looks for each of its members, each time",
    .advice =
        "Ask for a class in place of the Protocol (an abstract base class, which keeps its answers), ask once for each "
        "type (a dict by type(x)), or call the method and catch AttributeError."};

constexpr fold::FunctionAt kYaml[] = {
    {"/yaml/scanner.py", ""},     {"/yaml/reader.py", ""},  {"/yaml/parser.py", ""},     {"/yaml/composer.py", ""},
    {"/yaml/constructor.py", ""}, {"/yaml/emitter.py", ""}, {"/yaml/serializer.py", ""}, {"/yaml/representer.py", ""}};
constexpr LibraryFamily kYamlText{.rule = "yaml",
                                  .functions = kYaml,
                                  .title = "YAML is read and written by PyYAML's Python code",
                                  .advice =
                                      "Use its C library: yaml.load(text, Loader=yaml.CSafeLoader), yaml.dump(data, "
                                      "Dumper=yaml.CSafeDumper), some ten times faster; or keep the result, or JSON."};

constexpr fold::FunctionAt kConfigurations[] = {{"/tomllib/", ""},
                                                {"/tomli/", ""},
                                                {"/toml/", ""},
                                                {"/configparser.py", ""},
                                                {"/plistlib.py", ""},
                                                {"/csv.py", "sniff"},
                                                {"/csv.py", "has_header"},
                                                {"/xml/dom/expatbuilder.py", ""}};

// Whether much of it is on ways that lead through a loop, or that the source does not tell of: a file that is read once
// has to be.
bool parsed_again(const Evidence& evidence, const LibrarySpent&) {
  const fold::CallTree& lines = evidence.lines();
  symbols::SourceFiles& files = evidence.sources();
  std::int64_t once_ns = 0, all_ns = 0;
  for (const std::uint32_t node : evidence.timed()) {
    const std::int64_t ns = lines.self().cpu[node].ns;
    const auto parses = [](const symbols::Function& function) { return fold::is_any(function, kConfigurations); };
    if (ns <= 0 || !below(lines, node, parses)) continue;
    all_ns = model::saturated_sum(all_ns, ns);
    std::uint32_t own = node;  // what the parser does with its own pieces is no loop of the program's
    while (own != 0 && !evidence.own().function(lines.function_id(own))) own = lines.nodes()[own].parent;
    if (done_once(evidence, files, own)) once_ns = model::saturated_sum(once_ns, ns);
  }
  return real(once_ns) <= kMuchOfALine * real(all_ns);
}

constexpr LibraryFamily kConfigurationText{
    .rule = "configuration-parsing",
    .functions = kConfigurations,
    .title = "Configuration is parsed many times, by Python code",
    .advice =
        "Parse each text once and keep the result, by the file's name and time of change; where a cache keeps it, look "
        "whether "
        "its key is another one at each call. Take values out of a ConfigParser once: get() works them out each time. "
        "For many files, a parser in C (rtoml, lxml, json).",
    .again = parsed_again};

constexpr fold::FunctionAt kProxies[] = {{"/multiprocessing/managers.py", "_callmethod"}};
constexpr LibraryFamily kManagers{
    .rule = "manager-proxies",
    .functions = kProxies,
    .title = "Each use of a Manager's object asks another process",
    .advice =
        "Work on an object of the process's own and hand over the whole once (return it from the "
        "pool's function, a Queue), or share memory (multiprocessing.Value, Array, shared_memory).",
    .anywhere = true};

constexpr fold::FunctionAt kStatistics[] = {{"/statistics.py", "_sum"},
                                            {"/statistics.py", "_ss"},
                                            {"/statistics.py", "_exact_ratio"},
                                            {"/statistics.py", "_convert"},
                                            {"/fractions.py", ""}};
constexpr LibraryFamily kExactNumbers{
    .rule = "exact-numbers",
    .functions = kStatistics,
    .title = "Numbers are added up as fractions, exactly",
    .advice =
        "statistics.fmean() and math.fsum() take floats as they are, some hundred times faster; "
        "numpy.mean and numpy.std for many; integers of the smallest unit where it must be exact."};

constexpr fold::FunctionAt kSeeks[] = {
    {"/_compression.py", "seek"}, {"/_compression.py", "_rewind"}, {"/compression/_common/_streams.py", "seek"}};
constexpr LibraryFamily kCompressedSeeks{
    .rule = "compressed-seeks",
    .functions = kSeeks,
    .title = "Compressed data is read again from its beginning to get back to a place",
    .advice =
        "Read it in its order and keep what is needed again, unpack it once (to memory, to a temporary file), or "
        "compress "
        "blocks that can be read by themselves.",
    .again = goes_back,
    .repeated = true};

constexpr fold::FunctionAt kStarters[] = {{"/subprocess.py", "__init__"},
                                          {"/subprocess.py", "run"},
                                          {"/subprocess.py", "check_output"},
                                          {"/os.py", "popen"},
                                          {"/multiprocessing/process.py", "start"}};
// Of which waiting-for-data speaks.
constexpr fold::FunctionAt kLoaders[] = {{"/torch/utils/data/dataloader.py", "__init__"}};
constexpr LibraryFamily kStarting{
    .rule = "process-starts",
    .functions = kStarters,
    .title = "Processes are started again and again",
    .advice =
        "Keep one process for many jobs (a pool, a server that is asked by a pipe), give one "
        "command many files, or use a library in place of the command.",
    .again = many_children,
    .rather = kLoaders,
    .starts_processes = true};

constexpr fold::FunctionAt kWaits[] = {{"/asyncio/tasks.py", "wait"}, {"/asyncio/tasks.py", "_wait"}};
constexpr LibraryFamily kPendingTasks{
    .rule = "pending-waits",
    .functions = kWaits,
    .title = "asyncio.wait() goes through all pending tasks again for each that is done",
    .advice =
        "Go through asyncio.as_completed(tasks), let each task put its result into a queue, or wait for all of them "
        "(gather, TaskGroup).",
    .alone = true,
    .computing = true};

}  // namespace
}  // namespace library_standard

const Rule kChoicesRule{library_standard::kRandomChoices.rule, "weighted choices", no_python_frames,
                        look<library_standard::kRandomChoices>};
const Rule kTlsContextsRule{library_standard::kContexts.rule, "TLS contexts that are made again", no_python_frames,
                            look<library_standard::kContexts>};
const Rule kRecordCopiesRule{library_standard::kRecordCopies.rule, "dataclasses that are copied into dicts",
                             no_python_frames, look<library_standard::kRecordCopies>};
const Rule kDateParsingRule{library_standard::kDateParsing.rule, "dates parsed one by one", no_python_frames,
                            look<library_standard::kDateParsing>};
const Rule kTracebacksRule{library_standard::kTracebacks.rule, "stacks turned into text", no_python_frames,
                           look<library_standard::kTracebacks>};
const Rule kSignaturesRule{library_standard::kSignaturesAnew.rule, "signatures that are worked out again",
                           no_python_frames, look<library_standard::kSignaturesAnew>};
const Rule kProtocolsRule{library_standard::kProtocolChecks.rule, "checks of runtime Protocols", no_python_frames,
                          look<library_standard::kProtocolChecks>};
const Rule kYamlRule{library_standard::kYamlText.rule, "YAML read by Python code", no_python_frames,
                     look<library_standard::kYamlText>};
const Rule kConfigurationRule{library_standard::kConfigurationText.rule, "configuration parsed again", no_python_frames,
                              look<library_standard::kConfigurationText>};
const Rule kManagersRule{library_standard::kManagers.rule, "objects of a Manager", no_python_frames,
                         look<library_standard::kManagers>};
const Rule kPendingWaitsRule{library_standard::kPendingTasks.rule, "tasks that are waited for again and again",
                             no_python_frames, look<library_standard::kPendingTasks>};
const Rule kExactNumbersRule{library_standard::kExactNumbers.rule, "sums of fractions", no_python_frames,
                             look<library_standard::kExactNumbers>};
const Rule kSeeksRule{library_standard::kCompressedSeeks.rule, "seeks in compressed data", no_python_frames,
                      look<library_standard::kCompressedSeeks>};
const Rule kStartsRule{library_standard::kStarting.rule, "processes that are started again and again", no_python_frames,
                       look<library_standard::kStarting>};

}  // namespace prof::findings
