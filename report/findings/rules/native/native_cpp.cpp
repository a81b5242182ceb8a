// Work of the C++ library that another container, or another way, makes needless. Inlined functions are seen where the
// program has debug information.
#include <algorithm>
#include <string_view>

#include "report/findings/below_own.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/native_family.hpp"
#include "report/model/text.hpp"

namespace prof::findings {
namespace native_cpp {
namespace {

constexpr std::string_view kSynchronised[] = {"__gnu_cxx::stdio_sync_filebuf"};
constexpr Family kSynchronisedStreams{
    "synchronised-streams",
    kSynchronised,
    {},
    {},
    "Streams read and write through C's stdio, one character at a time",
    "std::ios::sync_with_stdio(false) and std::cin.tie(nullptr) at the start of main(), where printf and std::cout are "
    "not mixed; or read the file in large parts and std::from_chars.",
    kMostlyOneThing};
// Its functions end in jumps to those of C, so that these stand below the stream's own. What they write out a stream
// with a buffer of its own would write, too.
constexpr std::string_view kStreams[] = {
    "std::istream",    "std::ostream",    "std::basic_istream", "std::basic_ostream", "std::getline",
    "std::operator>>", "std::operator<<", "std::num_get",       "std::num_put",       "std::__ostream_insert"};
constexpr std::string_view kStdio[] = {"_IO_getc",
                                       "getc",
                                       "ungetc",
                                       "__GI_ungetc",
                                       "_IO_ungetc",
                                       "_IO_sputbackc",
                                       "__GI__IO_sputbackc",
                                       "fputc",
                                       "putc",
                                       "_IO_putc",
                                       "fwrite",
                                       "_IO_fwrite",
                                       "__GI__IO_fwrite",
                                       "fflush",
                                       "_IO_fflush",
                                       "__GI__IO_fflush",
                                       "_IO_new_file_xsputn"};
constexpr std::string_view kWritesOut[] = {"write",        "__GI___libc_write", "__libc_write", "_IO_new_file_write",
                                           "new_do_write", "_IO_new_do_write"};

std::vector<Finding> look_for_synchronised(const Evidence& evidence) {
  const std::vector<bool> tied = below_own(evidence, is_called<kSynchronised>),
                          stdio = below_own(evidence, is_called<kStreams>, is_called<kStdio>),
                          writes = below_own(evidence, is_called<kWritesOut>);
  return tell_of(evidence, kSynchronisedStreams,
                 cpu_at(evidence, [&](std::uint32_t node) { return (tied[node] || stdio[node]) && !writes[node]; }));
}

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

// Of text: one character after the other is what there is to do.
bool searches_text(const symbols::Function& function) {
  const std::string_view name = function.name;
  const std::size_t at = name.find('<', std::min(name.find("std::find"), name.find("std::__find")));
  if (at == std::string_view::npos) return false;
  const std::string_view first = name.substr(at + 1);
  for (const std::string_view type : {"char", "__gnu_cxx::__normal_iterator<char", "unsigned char", "wchar_t"}) {
    if (first.starts_with(type)) return true;
  }
  return false;
}

constexpr std::string_view kFinds[] = {"std::find", "std::__find_if", "std::__count_if"};
constexpr Family kContainerSearches{
    "container-searches",
    kFinds,
    {},
    {},
    "Containers are searched from their beginning again and again",
    "Keep what is looked for in a std::unordered_set or std::unordered_map (in place of the vector, or beside it), or "
    "sort it once and use std::lower_bound.",
    kMostlyOneThing,
    searches_text};

constexpr std::string_view kErases[] = {"std::vector::erase", "std::vector::_M_erase", "std::vector::_M_insert_aux",
                                        "std::deque::_M_erase", "std::deque::_M_insert_aux"};
constexpr std::string_view kMoves[] = {"std::move", "std::__copy_move", "std::__relocate", "mem", "__mem"};
constexpr Family kContainerShifts{
    "container-shifts",
    kErases,
    kMoves,
    {},
    "All elements of a container are moved for each that comes or goes",
    "Take from the end (swap with the last, pop_back), use std::deque, which takes and gives at both ends, or count up "
    "an index and erase once; std::erase_if takes out many at once.",
    kMostlyOneThing};

constexpr std::string_view kReserves[] = {"std::vector::reserve", "std::string::reserve", "std::basic_string::reserve",
                                          "std::__cxx11::basic_string::reserve"};
constexpr Family kReservedByLittle{
    "container-reserves",
    kReserves,
    kMoves,
    {},
    "A container is copied whole each time it grows by a little",
    "Leave out reserve(size() + n) for each part: it makes room for no more than that, where insert() and push_back() "
    "double it by themselves; or reserve the whole size, once.",
    kMostlyOneThing};

constexpr std::string_view kClears[] = {"std::_Hashtable::clear", "std::unordered_map::clear",
                                        "std::unordered_set::clear"};
constexpr std::string_view kWipes[] = {"__memset", "memset"};
constexpr Family kClearedTables{
    "container-clears",
    kClears,
    kWipes,
    {},
    "A hash table that was large once is wiped whole, however few elements it has now",
    "clear() keeps all buckets, and writes zeros into them: give the table back "
    "(std::unordered_map<...>().swap(table)) "
    "after it was large, keep one for large sets and one for small ones, or erase the few keys one by one.",
    0.15};

// A generator that is used for one number is filled for it: hundreds of them.
constexpr std::string_view kSeeds[] = {"std::random_device", "std::mersenne_twister_engine::seed",
                                       "std::mersenne_twister_engine::mersenne_twister_engine"};
constexpr std::string_view kFills[] = {"std::mersenne_twister_engine::_M_gen_rand"};
constexpr double kFilledOnce = 0.5;  // of filling one, what seeding it takes, at least: as measured of std::mt19937
constexpr Family kGenerators{
    "random-generators",
    kSeeds,
    {},
    {},
    "Random generators are made and seeded again and again",
    "Make one generator for each thread (static thread_local std::mt19937), and seed it once; std::random_device asks "
    "the processor or the kernel each time.",
    kMostlyOneThing};

std::vector<Finding> look_for_generators(const Evidence& evidence) {
  const std::vector<bool> seeds = below_own(evidence, is_called<kSeeds>),
                          fills = below_own(evidence, is_called<kFills>);
  std::int64_t seeding = 0, filling = 0;
  for (const std::uint32_t node : evidence.timed()) {
    const std::int64_t ns = evidence.lines().self().cpu[node].ns;
    if (seeds[node]) seeding = model::saturated_sum(seeding, ns);
    if (fills[node] && !seeds[node]) filling = model::saturated_sum(filling, ns);
  }
  const bool once = real(seeding) >= kFilledOnce * real(filling);
  return tell_of(evidence, kGenerators,
                 cpu_at(evidence, [&](std::uint32_t node) { return seeds[node] || (once && fills[node]); }));
}

constexpr std::string_view kSums[] = {"std::operator+"};
constexpr std::string_view kStringCopies[] = {"mem", "__mem"};
constexpr Family kStringSums{
    "string-sums",
    kSums,
    kStringCopies,
    {},
    "Text is copied whole for each piece that is added",
    "Append in place (text += piece; text.append()), piece by piece: a + b makes a new string. "
    "reserve() what is known of the length.",
    kMostlyOneThing};

}  // namespace
}  // namespace native_cpp

const Rule kSynchronisedStreamsRule{native_cpp::kSynchronisedStreams.rule, "streams through C's stdio", no_own_code,
                                    native_cpp::look_for_synchronised};
const Rule kExceptionsRule{native_cpp::kExceptions.rule, "exceptions of C++", no_own_code,
                           look_for_family<native_cpp::kExceptions>};
const Rule kContainerSearchesRule{native_cpp::kContainerSearches.rule, "searches of containers of C++", no_own_code,
                                  look_for_family<native_cpp::kContainerSearches>};
const Rule kContainerShiftsRule{native_cpp::kContainerShifts.rule, "containers of C++ whose elements are moved",
                                no_own_code, look_for_family<native_cpp::kContainerShifts>};
const Rule kClearsRule{native_cpp::kClearedTables.rule, "large hash tables that are wiped", no_own_code,
                       look_for_family<native_cpp::kClearedTables>};
const Rule kReservesRule{native_cpp::kReservedByLittle.rule, "containers of C++ that grow by a little each time",
                         no_own_code, look_for_family<native_cpp::kReservedByLittle>};
const Rule kGeneratorsRule{native_cpp::kGenerators.rule, "generators of random numbers made anew", no_own_code,
                           native_cpp::look_for_generators};
const Rule kStringSumsRule{native_cpp::kStringSums.rule, "text of C++ that grows by copies", no_own_code,
                           look_for_family<native_cpp::kStringSums>};

}  // namespace prof::findings
