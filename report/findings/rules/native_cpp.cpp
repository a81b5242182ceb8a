// Work of the C++ library that another container, or another way, makes needless. Inlined functions are seen where the
// program has debug information.
#include <algorithm>
#include <string_view>

#include "report/findings/rules/all.hpp"
#include "report/findings/rules/native_family.hpp"

namespace prof::findings {
namespace {

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

const Rule kSynchronisedStreamsRule{kSynchronisedStreams.rule, "streams through C's stdio", no_own_code,
                                    look_for_family<kSynchronisedStreams>};
const Rule kExceptionsRule{kExceptions.rule, "exceptions of C++", no_own_code, look_for_family<kExceptions>};
const Rule kContainerSearchesRule{kContainerSearches.rule, "searches of containers of C++", no_own_code,
                                  look_for_family<kContainerSearches>};
const Rule kContainerShiftsRule{kContainerShifts.rule, "containers of C++ whose elements are moved", no_own_code,
                                look_for_family<kContainerShifts>};
const Rule kStringSumsRule{kStringSums.rule, "text of C++ that grows by copies", no_own_code,
                           look_for_family<kStringSums>};

}  // namespace prof::findings
