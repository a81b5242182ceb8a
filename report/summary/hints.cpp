#include "report/summary/hints.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <iterator>
#include <string>

namespace prof::show {
namespace {

constexpr std::string_view kIndex =
    "an index for what is searched for (EXPLAIN QUERY PLAN shows whether one is used), one query for many keys";

struct Hint {
  std::string_view activity;  // as fold::Activities calls it
  std::string_view text;
  std::string_view elsewhere = text;  // in other languages than Python; empty: nothing is known to help
};

constexpr Hint kHints[] = {
    {"compression",
     "a lower level, a faster format (zstd, lz4), or threads: zlib, bz2 and lzma run without Python's lock",
     "a lower level, a faster format (zstd, lz4), or several threads"},
    {"SQLite", kIndex},
    {"hashing",
     "keeping what was hashed before; hashes for passwords are slow on purpose, which a thread can wait for"},
    {"cryptography", "keeping results and connections; larger blocks"},
    {"TLS", "keeping connections open"},
    {"sorting",
     "sorting once and keeping the order (bisect.insort, heapq, a sorted container), or a part of it (nsmallest)",
     "sorting once and keeping the order, or only a part of what is sorted"},
    {"strings", "fewer copies: one join, one format, slices by position, bytes in place of str",
     "fewer copies: one buffer, slices by position"},
    {"numbers", "numpy for many numbers; int or float in place of Decimal and Fraction", {}},
    {"dictionaries", "fewer look-ups of the same key; a local name; a list where keys are small numbers",
     "fewer look-ups of the same key"},
    {"lists", "a comprehension, extend() for many, numpy for numbers", {}},
    {"sets", "building the set once, outside of the loop"},
    {"look-ups", "local names for what the loop asks for each time, __slots__", {}},
    {"calls", "fewer, larger calls: the work of many in one, functions written in C", {}},
    {"object allocation", "fewer small objects: arrays, tuples in place of dicts and instances, generators",
     "fewer small objects"},
    {"exceptions", "asking before trying where failures are usual"},
    {"std::unordered_map", "a hash that spreads (mix the fields), reserve(), a vector where keys are small numbers"},
    {"std::map", "std::unordered_map, or a sorted vector"},
    {"std::list", "std::vector"},
    {"strings of C", "remembering lengths and positions"},
    {"streams", "std::from_chars and std::to_chars, fmt, or one write of a whole buffer"},
    {"shared_ptr", "references; copies of it count up and down across threads"},
    {"allocation", "keeping buffers and using them again, reserve(), fewer small objects"},
    {"copying memory", "references, views and moves in place of copies"},
    {"pandas", "fewer and larger operations on whole columns"},
    {"decimal",
     "only as many digits as are needed (getcontext().prec), whole numbers of the smallest unit, float where it will "
     "do",
     {}},
    {"fractions", "whole numbers with a common denominator, float where it will do", {}},
    {"csv", "pandas.read_csv or pyarrow for large files", {}},
    {"xml", "iterparse(), or lxml", {}},
    {"html", "lxml or selectolax", {}},
    {"statistics", "fmean(), or numpy", {}},
    {"difflib", "real_quick_ratio() first, or rapidfuzz", {}},
    {"textwrap", "wrapping what is shown alone", {}},
    {"random", "numpy.random for many numbers at once", {}},
    {"uuid", "uuid4() in bulk by os.urandom, or counters", {}},
};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return has(text, part); });
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::toupper(c); });
  return out;
}

// Whether `in os.listdir(...)` asks for one name, and is no loop over all of them.
bool asks_listing(std::string_view source) {
  const std::size_t at = std::min(source.find(" in os.listdir("), source.find(" in listdir("));
  if (at == std::string_view::npos) return false;
  const std::string_view before = source.substr(0, at);
  return !before.starts_with("for ") && !has(before, " for ") && !has(before, "(for ");
}

// Whether a text is put together for each search.
bool is_made(std::string_view source) { return has_any(source, {"(f\"", "(f'", ".format(", " % ", "\" + ", "' + "}); }

// `.loc[(a, b)]`: one row by the values of several levels. A mask in brackets compares.
bool picks_by_levels(std::string_view source) {
  const std::size_t at = source.find(".loc[(");
  if (at == std::string_view::npos) return false;
  const std::string_view rest = source.substr(at + 6);
  const std::string_view key = rest.substr(0, rest.find(')'));
  return has(key, ",") && !has_any(key, {"==", "<", ">", "&", "|", "~"});
}

struct SourceHint {
  std::string_view activity;  // empty: any
  bool (*is)(std::string_view source);
  std::string_view text;  // empty: nothing is known to help
};

// Before what is told of the activity alone.
constexpr SourceHint kSourceHints[] = {
    {"csv", [](std::string_view s) { return has(s, ".sniff("); },
     "giving the Sniffer a part of the text alone (f.read(4096)): it goes through all that it gets many times"},
    {"zipfile",
     [](std::string_view s) {
       return has(s, "ZipFile(") && !has_any(s, {"\"w\"", "'w'", "\"a\"", "'a'"});
     },
     "opening the archive once: each time, its directory of all members is read"},
    {"xml",
     [](std::string_view s) {
       return has_any(s, {".find(", ".findall(", ".iterfind(", ".xpath("}) && has_any(s, {"//", "[@"}) && is_made(s);
     },
     "a dict of the elements by what is searched for, made once: each such search goes through the whole tree"},
    {"SQLite", [](std::string_view s) { return has(upper(s), "DELETE FROM"); },
     "an index for what is searched for, and one for each column of other tables that refers to the deleted rows "
     "(REFERENCES, ON DELETE CASCADE): without, those tables are searched for each row"},
    {"SQLite",
     [](std::string_view s) {
       return has_any(upper(s), {"INSERT ", "REPLACE INTO"});
     },
     {}},
    {"pandas", picks_by_levels,
     "sort_index() once before the look-ups, where the index has several levels: of an unsorted one all rows are "
     "compared"},
    {"_ctypes", [](std::string_view s) { return has(s, ")(*") && has(s, " * "); },
     "data in array.array or numpy from the start, whose buffer C can use (from_buffer, ndarray.ctypes): an array of "
     "ctypes is filled one object after the other"},
    {{},
     asks_listing,
     "a set of the names, made once, or os.path.exists(): a listing asks for all files of the folder"},
};

}  // namespace

std::string_view hint_for(std::string_view activity, std::string_view source, bool python) {
  source.remove_prefix(std::min(source.find_first_not_of(' '), source.size()));
  for (const SourceHint& hint : kSourceHints) {
    if ((hint.activity.empty() || hint.activity == activity) && hint.is(source)) return hint.text;
  }
  const auto found =
      std::find_if(std::begin(kHints), std::end(kHints), [&](const Hint& hint) { return hint.activity == activity; });
  if (found == std::end(kHints)) return {};
  return python ? found->text : found->elsewhere;
}

}  // namespace prof::show
