// Functions of an interpreter, of a library or of C that take much of the CPU time below a line of the user's own,
// where another way is known to be faster. Which functions they are is a table.
#include <string_view>
#include <utility>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/native/container_sums.hpp"
#include "report/findings/rules/shared/native_family.hpp"
#include "report/findings/rules/shared/tensor_constructors.hpp"

namespace prof::findings {
namespace native_work {
namespace {

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
    "time however many there are.",
    kActivity,
    nullptr,
    true};

constexpr std::string_view kShifts[] = {"list.insert", "list_insert", "list.pop", "list_pop", "list_ass_slice"};
constexpr Family kListShifts{
    "list-shifts",
    kShifts,
    {},
    {},
    "All elements of a list are moved for each that comes or goes",
    "Use collections.deque, which takes and gives at both ends; or collect in reverse and turn "
    "the list round once.",
    kActivity,
    nullptr,
    true};

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

constexpr std::string_view kPositions[] = {"collections.deque.sq_item",
                                           "collections.deque.sq_ass_item",
                                           "collections.deque.insert",
                                           "deque_item",
                                           "deque_ass_item",
                                           "deque_del_item",
                                           "deque_insert"};
constexpr Family kDequePositions{
    "deque-positions",
    kPositions,
    {},
    {},
    "A deque goes to its middle step by step, from the nearer end",
    "Keep in a list what is asked for by position or searched by bisect, and cut off its old part now and then (del "
    "rows[:1000]); a deque is for its two ends.",
    0.15};

constexpr std::string_view kConcatenations[] = {
    "unicode_concatenate", "PyUnicode_Append", "PyUnicode_Concat", "str.sq_concat",   "bytes.sq_concat", "bytes_concat",
    "PyBytes_Concat",      "list.sq_concat",   "list_concat",      "tuple.sq_concat", "tupleconcat"};
constexpr Family kConcatenated{"concatenations",
                               kConcatenations,
                               {},
                               {},
                               "Text or lists are copied whole for each piece that is added",
                               "Append the pieces to a list and join them once (\"\".join(pieces)), write into an "
                               "io.StringIO or a bytearray, extend a list in place (+=, extend), join lists by "
                               "list(itertools.chain.from_iterable(lists)) in place of sum(lists, [])."};

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

// The list of a row's elements goes away again, and an element of an array becomes a float of Python's on its way.
constexpr std::string_view kSequences[] = {
    "PySequence_Fast",       "PySequence_List", "list.extend",  "list_extend",        "PySequence_Length", "PyNumber_",
    "numpy.ndarray.sq_item", "list.tp_dealloc", "list_dealloc", "PyFloat_FromDouble", "float.tp_dealloc"};
constexpr Family kTensorsOfLists{"tensors-from-lists",
                                 kTensorConstructors,
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
// A std::string measures what it is made of, or gets, and copies as much.
constexpr std::string_view kStrings[] = {"std::__cxx11::basic_string::", "std::basic_string::", "std::operator+",
                                         "std::operator=="};
constexpr Family kCStrings{
    "string-lengths",
    kLengths,
    {},
    {},
    "C strings are gone through from their beginning again and again",
    "Remember the length, and write on at the end that is known (stpcpy, memcpy, snprintf with a "
    "position); in C++ use std::string. sscanf() measures all the rest of its text: read numbers by strtol() and "
    "strtod(), which stop at their ends.",
    kActivity,
    nullptr,
    false,
    is_called<kStrings>};

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

std::vector<Finding> look_for_concatenations(const Evidence& evidence) {
  std::vector<Finding> found = look_for(evidence, kConcatenated);
  for (Finding& finding : look_for_counter_sums(evidence)) found.push_back(std::move(finding));
  return found;
}

std::vector<Finding> look_for_object_arrays(const Evidence& evidence) {
  std::vector<Finding> found = look_for(evidence, kObjectArrays);
  return found.empty() ? look_for(evidence, kObjectArrays2) : found;
}

}  // namespace
}  // namespace native_work

const Rule kListSearchesRule{native_work::kListSearches.rule, "searches of lists", no_python_frames,
                             look_for_family<native_work::kListSearches>};
const Rule kListShiftsRule{native_work::kListShifts.rule, "lists whose elements are moved", no_python_frames,
                           look_for_family<native_work::kListShifts>};
const Rule kDequePositionsRule{native_work::kDequePositions.rule, "positions within deques", no_python_frames,
                               look_for_family<native_work::kDequePositions>};
const Rule kSliceCopiesRule{native_work::kSliceCopies.rule, "slices that copy", no_python_frames,
                            look_for_family<native_work::kSliceCopies>};
const Rule kConcatenationsRule{native_work::kConcatenated.rule, "text that grows by copies", no_python_frames,
                               native_work::look_for_concatenations};
const Rule kObjectArraysRule{native_work::kObjectArrays.rule, "arrays of Python objects", no_python_frames,
                             native_work::look_for_object_arrays};
const Rule kTensorsOfListsRule{native_work::kTensorsOfLists.rule, "tensors made of lists", no_python_frames,
                               look_for_family<native_work::kTensorsOfLists>};
const Rule kDoublePrecisionRule{native_work::kDoublePrecision.rule, "double precision", no_python_frames,
                                look_for_family<native_work::kDoublePrecision>};
const Rule kCStringsRule{native_work::kCStrings.rule, "lengths of C strings", no_own_code,
                         look_for_family<native_work::kCStrings>};
const Rule kTimeZonesRule{native_work::kTimeZones.rule, "time zones that are looked up again", no_own_code,
                          look_for_family<native_work::kTimeZones>};

}  // namespace prof::findings
