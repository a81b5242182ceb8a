// Functions of an interpreter, of a library or of C that take much of the CPU time below a line of the user's own,
// where another way is known to be faster. Which functions they are is a table.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "report/findings/below_own.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

using Names = std::span<const std::string_view>;  // beginnings of names

struct Family {
  const char* rule;
  Names functions;
  Names inside;            // what such a function must have called; empty: anything
  std::string_view below;  // part of the path of a module, which must have called it; empty: anybody
  const char* title;
  const char* advice;
  double least = kActivity;  // of all CPU time
};

// As CPython's sources call them, and as the tables of a stripped interpreter do (symbols/python_tables.hpp).
constexpr std::string_view kSearches[] = {"list.sq_contains",
                                          "list_contains",
                                          "list.index",
                                          "list_index",
                                          "list.count",
                                          "list_count",
                                          "list.remove",
                                          "list_remove",
                                          "tuple.index",
                                          "tuple.sq_contains",
                                          "tuplecontains",
                                          "tupleindex",
                                          "collections.deque.index",
                                          "collections.deque.remove",
                                          "collections.deque.sq_contains",
                                          "deque_contains"};
constexpr Family kListSearches{
    "list-searches",
    kSearches,
    {},
    {},
    "Lists are searched from their beginning again and again",
    "Keep a set or a dict of what is looked for (in place of the list, or beside it): a look-up there takes the same "
    "time however many there are."};

constexpr std::string_view kShifts[] = {"list.insert", "list_insert", "list.pop", "list_pop", "list_ass_slice"};
constexpr Family kListShifts{
    "list-shifts",
    kShifts,
    {},
    {},
    "All elements of a list are moved for each that comes or goes",
    "Use collections.deque, which takes and gives at both ends; or collect in reverse and turn "
    "the list round once."};

constexpr std::string_view kCopying[] = {"__mem", "mem"};
constexpr std::string_view kSlices[] = {
    "bytes.mp_subscript",         "bytes_subscript",        "bytearray.mp_subscript",
    "bytearray_subscript",        "str.mp_subscript",       "unicode_subscript",
    "PyUnicode_Substring",        "list.mp_subscript",      "list_subscript",
    "bytearray.mp_ass_subscript", "bytearray_ass_subscript"};
constexpr Family kSliceCopies{
    "slice-copies",
    kSlices,
    kCopying,
    {},
    "Slices copy the rest of the data again and again",
    "Keep a position and move that, look at parts through a memoryview, and cut off once what is done with.",
    0.2};

constexpr std::string_view kConcatenations[] = {
    "unicode_concatenate", "PyUnicode_Append", "PyUnicode_Concat", "str.sq_concat",   "bytes.sq_concat", "bytes_concat",
    "PyBytes_Concat",      "list.sq_concat",   "list_concat",      "tuple.sq_concat", "tupleconcat"};
constexpr Family kConcatenated{"concatenations",
                               kConcatenations,
                               {},
                               {},
                               "Text or lists are copied whole for each piece that is added",
                               "Append the pieces to a list and join them once (\"\".join(pieces)), write into an "
                               "io.StringIO or a bytearray, extend a list in place (+=, extend)."};

constexpr std::string_view kNumbers[] = {"PyNumber_", "float.nb_", "int.nb_",
                                         "long_",     "float_",    "PyObject_RichCompare"};
constexpr Family kObjectArrays{"object-arrays",
                               kNumbers,
                               {},
                               "/numpy/core/_multiarray_umath",
                               "numpy computes with one Python object after the other",
                               "The array has dtype=object: give it a type of numbers (.astype(float), "
                               "pandas.to_numeric), None as nan, Decimal as "
                               "integers of the smallest unit."};
// The folder is called _core since numpy 2.
constexpr Family kObjectArrays2{
    kObjectArrays.rule, kNumbers, {}, "/numpy/_core/_multiarray_umath", kObjectArrays.title, kObjectArrays.advice};

constexpr std::string_view kConstructors[] = {"torch::utils::tensor_ctor", "torch::utils::legacy_tensor",
                                              "torch::utils::as_tensor", "torch::utils::new_tensor",
                                              "torch::utils::base_tensor_ctor"};
constexpr std::string_view kSequences[] = {"PySequence_Fast",      "PySequence_List",   "list.extend",
                                           "list_extend",          "PySequence_Length", "PyNumber_",
                                           "numpy.ndarray.sq_item"};
constexpr Family kTensorsOfLists{"tensors-from-lists",
                                 kConstructors,
                                 kSequences,
                                 {},
                                 "Tensors are made of Python objects one by one",
                                 "Make one array first (torch.from_numpy(numpy.stack(rows))), stack tensors "
                                 "(torch.stack), or keep the data as a tensor and take rows out of it by an index."};

// Names of BLAS and of its users: "d" is for double.
constexpr std::string_view kDoubles[] = {"dgemm",       "cblas_dgemm",    "dgemv",
                                         "cblas_dgemv", "mkl_blas_dgemm", "mkl_blas_xdgemm"};
constexpr Family kDoublePrecision{
    "double-precision",
    kDoubles,
    {},
    "/libtorch_cpu",
    "PyTorch computes in double precision",
    "numpy makes float64, and torch.from_numpy keeps it: give PyTorch .float() data (x.astype(numpy.float32)); models "
    "learn as well in it, and most operators are made for it.",
    0.2};

constexpr std::string_view kLengths[] = {"strlen",  "__strlen",  "strcat",      "__strcat",
                                         "strncat", "__strncat", "__rawmemchr", "rawmemchr"};
constexpr Family kCStrings{
    "string-lengths",
    kLengths,
    {},
    {},
    "C strings are gone through from their beginning again and again",
    "Remember the length, and write on at the end that is known (stpcpy, memcpy, snprintf with a "
    "position); in C++ use std::string. sscanf() measures all the rest of its text: read numbers by strtol() and "
    "strtod(), which stop at their ends."};

constexpr std::string_view kZoneFiles[] = {"__tzfile_read", "__GI___fstatat64", "__fstatat64"};
constexpr std::string_view kZones[] = {"tzset_internal", "__tzfile_read", "__tz_convert"};
constexpr Family kTimeZones{
    "time-zones",
    kZones,
    kZoneFiles,
    {},
    "The time zone's file is looked at for each time",
    "localtime() and mktime() ask the system whether the zone has changed: use localtime_r() after one tzset(), or set "
    "TZ=:/etc/localtime; keep the text of a second for all events in it."};

constexpr std::string_view kSynchronised[] = {"__gnu_cxx::stdio_sync_filebuf"};
constexpr Family kSynchronisedStreams{
    "synchronised-streams",
    kSynchronised,
    {},
    {},
    "Streams read and write through C's stdio, one character at a time",
    "std::ios::sync_with_stdio(false) and std::cin.tie(nullptr) at the start of main(), where printf and std::cout are "
    "not mixed; or read the file in large parts and std::from_chars."};

constexpr std::string_view kThrows[] = {"_Unwind_RaiseException", "__cxa_throw", "__gxx_personality_v0",
                                        "_Unwind_Resume"};
constexpr Family kExceptions{
    "exceptions",
    kThrows,
    {},
    {},
    "C++ exceptions are thrown again and again",
    "Return what is ordinary (std::optional, a status, std::from_chars in place of std::stoi); "
    "an exception takes a microsecond and more for each frame that it leaves."};

IsNode begins_with(Names names) {
  return [names](const symbols::Function& function) {
    if (function.language != symbols::Language::Native) return false;
    const std::string_view name = function.short_name.empty() ? function.name : function.short_name;
    return std::any_of(names.begin(), names.end(), [&](std::string_view begin) { return name.starts_with(begin); });
  };
}

// By own line: CPU time in the nodes that `in` holds, and in those that `of` holds; all of its nodes if that is empty.
using LineSums = std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>>;
LineSums sums_by_line(const Evidence& evidence, const std::vector<bool>& in, const std::vector<bool>& of) {
  LineSums out;
  for (const std::uint32_t node : evidence.timed()) {
    if (!of.empty() && !of[node]) continue;
    const std::int64_t ns = evidence.lines().self().cpu[node].ns;
    auto& [part, all] = out[evidence.own_location(node)];
    all = model::saturated_sum(all, ns);
    if (in[node]) part = model::saturated_sum(part, ns);
  }
  return out;
}

// Where it takes most of a line's time, all of the line is meant: what it is given is made for it alone.
std::vector<bool> with_rest_of_lines(const Evidence& evidence, std::vector<bool> is) {
  const LineSums by_line = sums_by_line(evidence, is, {});
  for (const std::uint32_t node : evidence.timed()) {
    const std::uint32_t location = evidence.own_location(node);
    const auto& [part, all] = by_line.at(location);
    if (location != 0 && static_cast<double>(part) >= kMostOfALine * static_cast<double>(all)) is[node] = true;
  }
  return is;
}

std::vector<bool> nodes_of(const Evidence& evidence, const Family& family) {
  const IsNode is = begins_with(family.functions);
  const IsNode library = [&](const symbols::Function& f) { return f.module.find(family.below) != std::string::npos; };
  if (family.inside.empty() && family.below.empty()) return with_rest_of_lines(evidence, below_own(evidence, is));
  // All that the library or such a function took at a line, where what it called for it is much of that.
  const bool of_library = !family.below.empty();
  std::vector<bool> whole = below_own(evidence, of_library ? library : is);
  const std::vector<bool> inside =
      below_own(evidence, of_library ? library : is, of_library ? is : begins_with(family.inside));
  const LineSums by_line = sums_by_line(evidence, inside, whole);
  for (const std::uint32_t node : evidence.timed()) {
    if (!whole[node]) continue;
    const auto& [of_it, all] = by_line.at(evidence.own_location(node));
    whole[node] = static_cast<double>(of_it) > kMuchOfALine * static_cast<double>(all);
  }
  return whole;
}

std::vector<Finding> look_for(const Evidence& evidence, const Family& family) {
  const std::vector<bool> is = nodes_of(evidence, family);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return is[node]; });
  if (cpu.share() < family.least || cpu.ns < kLeastActivityNs || cpu.places.empty()) return {};
  Finding finding;
  finding.rule = family.rule;
  finding.title = family.title;
  finding.seen = fmt::format("{}.", cpu_words(evidence, cpu));
  finding.advice = family.advice;
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
  return {finding};
}

const char* no_own_code(const Evidence& evidence) {
  return evidence.own().any() ? nullptr : "no code of your own was seen";
}

template <const Family& family>
std::vector<Finding> look(const Evidence& evidence) {
  return look_for(evidence, family);
}

std::vector<Finding> look_for_object_arrays(const Evidence& evidence) {
  std::vector<Finding> found = look_for(evidence, kObjectArrays);
  return found.empty() ? look_for(evidence, kObjectArrays2) : found;
}

}  // namespace

const Rule kListSearchesRule{kListSearches.rule, "searches of lists", no_python_frames, look<kListSearches>};
const Rule kListShiftsRule{kListShifts.rule, "lists whose elements are moved", no_python_frames, look<kListShifts>};
const Rule kSliceCopiesRule{kSliceCopies.rule, "slices that copy", no_python_frames, look<kSliceCopies>};
const Rule kConcatenationsRule{kConcatenated.rule, "text that grows by copies", no_python_frames, look<kConcatenated>};
const Rule kObjectArraysRule{kObjectArrays.rule, "arrays of Python objects", no_python_frames, look_for_object_arrays};
const Rule kTensorsOfListsRule{kTensorsOfLists.rule, "tensors made of lists", no_python_frames, look<kTensorsOfLists>};
const Rule kDoublePrecisionRule{kDoublePrecision.rule, "double precision", no_python_frames, look<kDoublePrecision>};
const Rule kCStringsRule{kCStrings.rule, "lengths of C strings", no_own_code, look<kCStrings>};
const Rule kTimeZonesRule{kTimeZones.rule, "time zones that are looked up again", no_own_code, look<kTimeZones>};
const Rule kSynchronisedStreamsRule{kSynchronisedStreams.rule, "streams through C's stdio", no_own_code,
                                    look<kSynchronisedStreams>};
const Rule kExceptionsRule{kExceptions.rule, "exceptions of C++", no_own_code, look<kExceptions>};

}  // namespace prof::findings
