#include "report/fold/own/activity.hpp"

#include <algorithm>
#include <iterator>

#include "report/fold/own/source_hints.hpp"
#include "report/fold/own_code.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::fold {
namespace {

struct Row {
  std::string_view begins;
  std::string_view activity;
  Says says = Says::Little;
};

// Functions of CPython, 3.8 to 3.14, by the beginnings of their names. The first row that fits counts.
constexpr Row kInterpreter[] = {
    {"gc_collect", "garbage collector", Says::All},
    {"_PyGC_", "garbage collector", Says::All},
    {"PyGC_", "garbage collector", Says::All},
    {"_Py_RunGC", "garbage collector", Says::All},
    {"deduce_unreachable", "garbage collector", Says::All},
    {"subtract_refs", "garbage collector", Says::All},
    {"update_refs", "garbage collector", Says::All},
    {"move_unreachable", "garbage collector", Says::All},
    {"visit_decref", "garbage collector", Says::All},
    {"visit_reachable", "garbage collector", Says::All},
    {"untrack_tuples", "garbage collector", Says::All},
    {"_PyObject_IS_GC", "garbage collector", Says::All},
    {"dict_traverse", "garbage collector", Says::All},
    {"tupletraverse", "garbage collector", Says::All},
    {"list_traverse", "garbage collector", Says::All},
    {"func_traverse", "garbage collector", Says::All},
    {"subtype_traverse", "garbage collector", Says::All},
    {"PyObject_VisitManagedDict", "garbage collector", Says::All},
    {"take_gil", "global lock"},
    {"drop_gil", "global lock"},
    {"PyEval_RestoreThread", "global lock"},
    {"PyEval_SaveThread", "global lock"},
    {"sre_", "regular expressions", Says::Name},
    {"_sre_", "regular expressions", Says::Name},
    {"pattern_s", "regular expressions", Says::Name},
    {"pattern_match", "regular expressions", Says::Name},
    {"_pickle", "pickling", Says::Name},
    {"save_", "pickling", Says::Name},
    {"batch_", "pickling", Says::Name},
    {"_Pickler", "pickling", Says::Name},
    {"_Unpickler", "pickling", Says::Name},
    {"py_scanstring", "JSON", Says::Name},
    {"scanstring_", "JSON", Says::Name},
    {"scanner_", "JSON", Says::Name},
    {"scan_once", "JSON", Says::Name},
    {"encoder_", "JSON", Says::Name},
    {"py_encode_basestring", "JSON", Says::Name},
    {"r_object", "imports", Says::All},
    {"r_PyLong", "imports", Says::All},
    {"list_sort", "sorting"},
    {"binarysort", "sorting"},
    {"merge_", "sorting"},
    {"count_run", "sorting"},
    {"unsafe_", "sorting"},
    {"_PyPegen", "compiling code", Says::Name},
    {"_PyAST", "compiling code", Says::Name},
    {"compiler_", "compiling code", Says::Name},
    {"_PyParser", "compiling code", Says::Name},
    {"_PySymtable", "compiling code", Says::Name},
    {"PyErr_", "exceptions"},
    {"_PyErr_", "exceptions"},
    {"PyTraceBack", "exceptions"},
    {"PyException", "exceptions"},
    {"BaseException", "exceptions"},
    {"_PyObject_Generic", "look-ups"},
    {"PyObject_GenericGet", "look-ups"},
    {"PyObject_GenericSet", "look-ups"},
    {"PyObject_GetAttr", "look-ups"},
    {"PyObject_SetAttr", "look-ups"},
    {"_PyObject_GetMethod", "look-ups"},
    {"_PyObject_LookupAttr", "look-ups"},
    {"_PyType_Lookup", "look-ups"},
    {"find_name_in_mro", "look-ups"},
    {"type_getattro", "look-ups"},
    {"_Py_type_getattro", "look-ups"},
    {"module_getattro", "look-ups"},
    {"super_getattro", "look-ups"},
    {"slot_tp_getattr", "look-ups"},
    {"_Py_dict_lookup", "look-ups"},
    {"unicodekeys_lookup", "look-ups"},
    {"lookdict", "look-ups"},
    {"PyObject_Malloc", "object allocation"},
    {"_PyObject_Malloc", "object allocation"},
    {"PyObject_Free", "object allocation"},
    {"_PyObject_Free", "object allocation"},
    {"PyObject_Realloc", "object allocation"},
    {"_PyObject_Realloc", "object allocation"},
    {"PyObject_GC_", "object allocation"},
    {"_PyObject_GC_", "object allocation"},
    {"_PyObject_New", "object allocation"},
    {"PyType_GenericAlloc", "object allocation"},
    {"_PyType_AllocNoTrack", "object allocation"},
    {"gc_alloc", "object allocation"},
    {"pymalloc", "object allocation"},
    {"PyMem_", "object allocation"},
    {"_PyMem_", "object allocation"},
    {"subtype_dealloc", "object allocation"},
    {"dict_", "dictionaries"},
    {"PyDict_", "dictionaries"},
    {"_PyDict", "dictionaries"},
    {"insertdict", "dictionaries"},
    {"dictresize", "dictionaries"},
    {"set_", "sets"},
    {"PySet_", "sets"},
    {"list_", "lists"},
    {"PyList_", "lists"},
    {"_PyList", "lists"},
    {"tuple", "tuples"},
    {"PyTuple_", "tuples"},
    {"_PyTuple", "tuples"},
    {"unicode_", "strings"},
    {"PyUnicode_", "strings"},
    {"_PyUnicode", "strings"},
    {"bytes_", "strings"},
    {"PyBytes_", "strings"},
    {"_PyBytes", "strings"},
    {"stringlib_", "strings"},
    {"long_", "numbers"},
    {"PyLong_", "numbers"},
    {"_PyLong", "numbers"},
    {"float_", "numbers"},
    {"PyFloat_", "numbers"},
    {"_PyFloat", "numbers"},
    {"PyNumber_", "numbers"},
    {"x_add", "numbers"},
    {"x_mul", "numbers"},
    {"k_mul", "numbers"},
    {"_PyFunction_", "calls"},
    {"PyObject_Call", "calls"},
    {"PyObject_Vectorcall", "calls"},
    {"_PyObject_MakeTpCall", "calls"},
    {"_PyFrame", "calls"},
    {"PyFrame", "calls"},
    {"_PyEval", "calls"},
    {"type_call", "calls"},
};

// Modules and packages of the standard library, and what its C modules are called.
constexpr Row kStandard[] = {
    {"json", "JSON", Says::Name},
    {"_json", "JSON", Says::Name},
    {"pickle", "pickling", Says::Name},
    {"_pickle", "pickling", Says::Name},
    {"_compat_pickle", "pickling", Says::Name},
    {"copyreg", "pickling", Says::Name},
    {"re", "regular expressions", Says::Name},
    {"sre_compile", "regular expressions", Says::Name},
    {"sre_parse", "regular expressions", Says::Name},
    {"copy", "deepcopy", Says::Name},
    {"hashlib", "hashing", Says::Name},
    {"_hashlib", "hashing", Says::Name},
    {"_sha1", "hashing", Says::Name},
    {"_sha2", "hashing", Says::Name},
    {"_sha256", "hashing", Says::Name},
    {"_sha512", "hashing", Says::Name},
    {"_sha3", "hashing", Says::Name},
    {"_md5", "hashing", Says::Name},
    {"_blake2", "hashing", Says::Name},
    {"_ssl", "TLS", Says::Name},
    {"ssl", "TLS", Says::Name},
    {"zlib", "compression", Says::Name},
    {"gzip", "compression", Says::Name},
    {"bz2", "compression", Says::Name},
    {"_bz2", "compression", Says::Name},
    {"lzma", "compression", Says::Name},
    {"_lzma", "compression", Says::Name},
    {"multiprocessing", "multiprocessing", Says::Little},
    {"threading", "threading", Says::Little},
    {"queue", "queues", Says::Little},
    {"_queue", "queues", Says::Little},
    {"selectors", "event loop", Says::Little},
    {"select", "event loop", Says::Little},
    {"asyncio", "asyncio", Says::Little},
    {"_asyncio", "asyncio", Says::Little},
    {"concurrent", "concurrent.futures", Says::Little},
    {"contextlib", "contextlib", Says::Little},
    {"functools", "functools", Says::Little},
    {"runpy", "", Says::Nothing},
    {"weakref", "weakref", Says::Little},
    {"enum", "enum", Says::Little},
    {"abc", "abc", Says::Little},
    {"_abc", "abc", Says::Little},
    {"typing", "typing", Says::Little},
    {"socket", "sockets", Says::Little},
    {"_socket", "sockets", Says::Little},
    {"subprocess", "starting processes", Says::Name},
    {"_posixsubprocess", "starting processes", Says::Name},
};

// Shared libraries that many know by another name.
constexpr Row kLibraries[] = {
    {"libcrypto", "cryptography", Says::Name}, {"libssl", "TLS", Says::Name},
    {"libz", "compression", Says::Name},       {"libbz2", "compression", Says::Name},
    {"liblzma", "compression", Says::Name},    {"libstdc++", "C++ library", Says::Little},
    {"libgcc", "exceptions", Says::Little},    {"libm.", "libm", Says::Name},
    {"libsqlite3", "SQLite", Says::Name},      {"libtorch", "PyTorch", Says::Name},
    {"libc10", "PyTorch", Says::Name},         {"libgomp", "OpenMP", Says::Little},
    {"libiomp", "OpenMP", Says::Little},       {"libpthread", "libc", Says::Little},
};

// Functions and templates of the C++ library, by the beginnings of their names: also where they are compiled into the
// program.
constexpr Row kCxx[] = {
    {"std::__cxx11::basic_regex", "regular expressions", Says::Name},
    {"std::__cxx11::regex", "regular expressions", Says::Name},
    {"std::__cxx11::match_results", "regular expressions", Says::Name},
    {"std::__detail::_Compiler", "regular expressions", Says::Name},
    {"std::__detail::_Scanner", "regular expressions", Says::Name},
    {"std::__detail::_NFA", "regular expressions", Says::Name},
    {"std::__detail::_Executor", "regular expressions", Says::Name},
    {"std::__detail::_Regex", "regular expressions", Says::Name},
    {"std::__detail::_Bracket", "regular expressions", Says::Name},
    {"std::__detail::_State", "regular expressions", Says::Name},
    {"std::__detail::__regex", "regular expressions", Says::Name},
    {"std::regex", "regular expressions", Says::Name},
    {"std::_Rb_tree", "std::map"},
    {"std::map", "std::map"},
    {"std::set", "std::map"},
    {"std::_Hashtable", "std::unordered_map"},
    {"std::unordered_map", "std::unordered_map"},
    {"std::vector", "std::vector"},
    {"std::deque", "std::deque"},
    {"std::_Deque", "std::deque"},
    {"std::__cxx11::list", "std::list"},
    {"std::__cxx11::basic_string<", "strings"},
    {"std::__cxx11::basic_stringstream", "streams"},
    {"std::__cxx11::basic_ostringstream", "streams"},
    {"std::__cxx11::basic_istringstream", "streams"},
    {"std::__cxx11::basic_stringbuf", "streams"},
    {"std::ostream", "streams"},
    {"std::istream", "streams"},
    {"std::basic_ostream", "streams"},
    {"std::basic_istream", "streams"},
    {"std::basic_filebuf", "streams"},
    {"std::basic_streambuf", "streams"},
    {"std::basic_ios", "streams"},
    {"std::ios_base", "streams"},
    {"std::locale", "streams"},
    {"std::num_put", "streams"},
    {"std::num_get", "streams"},
    {"std::__introsort", "sorting"},
    {"std::__sort", "sorting"},
    {"std::sort", "sorting"},
    {"std::stable_sort", "sorting"},
    {"std::__merge", "sorting"},
    {"std::_Sp_counted", "shared_ptr"},
    {"std::__shared", "shared_ptr"},
    {"std::shared_ptr", "shared_ptr"},
    {"operator new", "allocation"},
    {"operator delete", "allocation"},
    {"std::pmr::", "allocation"},
};

constexpr Row kLibc[] = {
    {"malloc", "allocation"},         {"calloc", "allocation"},      {"realloc", "allocation"},
    {"free", "allocation"},           {"cfree", "allocation"},       {"_int_", "allocation"},
    {"unlink_chunk", "allocation"},   {"sysmalloc", "allocation"},   {"systrim", "allocation"},
    {"__libc_malloc", "allocation"},  {"__libc_free", "allocation"}, {"__libc_calloc", "allocation"},
    {"__libc_realloc", "allocation"}, {"tcache_", "allocation"},     {"mem", "copying memory"},
    {"__mem", "copying memory"},      {"str", "strings of C"},       {"__str", "strings of C"},
};

template <std::size_t N>
const Row* row_for(std::string_view text, const Row (&rows)[N]) {
  const auto found =
      std::find_if(std::begin(rows), std::end(rows), [&](const Row& row) { return text.starts_with(row.begins); });
  return found == std::end(rows) ? nullptr : found;
}

std::string_view base_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// "numpy/fft.py" -> "numpy", "six.py" -> "six", "numpy.libs/libopenblas.so" -> "numpy", "_sha256.cpython-311.so" ->
// "_sha256".
std::string_view first_part(std::string_view path) { return path.substr(0, std::min(path.find('/'), path.find('.'))); }

bool is_runpy(const symbols::Function& function) {
  return function.file == "<frozen runpy>" || function.file.ends_with("/runpy.py");
}

// Of a function template the name without the type that it returns: "std::pair<int, int> std::_Rb_tree<...>::..." ->
// "std::_Rb_tree<...>::...".
std::string_view name_of_template(std::string_view name) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size() && name[i] != '('; ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == ' ' && depth == 0 && !name.substr(0, i).ends_with("operator")) begin = i + 1;
  }
  return name.substr(begin);
}

std::string_view library_name(std::string_view base) {
  const std::size_t end = std::min(base.find(".so"), base.find('-'));
  return base.substr(0, end);
}

}  // namespace

Activities::Activities(const symbols::Symbols& symbols) : symbols_(symbols), known_(symbols.function_count()) {
  own_code_ = named("own code", Says::Little).name;
}

Activity Activities::named(std::string_view name, Says says) {
  if (says == Says::Nothing) return {};
  const auto known = ids_.find(name);
  if (known != ids_.end()) return {known->second, says};
  const auto id = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  ids_.emplace(std::string(name), id);
  return {id, says};
}

Activity Activities::of(std::uint32_t function) {
  Known& known = known_[function];
  if (!known.known) known = {true, found(symbols_.function(function), false)};
  return known.activity;
}

Activity Activities::of_program(std::uint32_t function) { return found(symbols_.function(function), true); }

Activity Activities::found(const symbols::Function& function, bool program) {
  using symbols::Language;
  const auto by = [this](const Row* row) { return named(row->activity, row->says); };
  const auto of_standard_library = [&](std::string_view module) {
    const auto row = std::find_if(std::begin(kStandard), std::end(kStandard),
                                  [&](const Row& known) { return known.begins == module; });
    return row != std::end(kStandard) ? by(row) : named(module, Says::Name);
  };
  switch (function.language) {
    case Language::Wait:
    case Language::Api:
    case Language::Gpu:
    case Language::Range:
      return {};
    case Language::Operator:
      return named("PyTorch", Says::Name);
    case Language::Python: {
      if (function.name == "<module>" && !program) return named("imports", Says::All);
      if (symbols::is_import_system(function)) return named("imports", Says::All);
      if (const std::string_view package = below_packages(function.file); !package.empty()) {
        return named(first_part(package), Says::Name);
      }
      if (const std::string_view module = below_standard_library(function.file); !module.empty()) {
        // What they do there besides waiting.
        if (module == "multiprocessing/reduction.py" || module == "multiprocessing/connection.py" ||
            module == "multiprocessing/queues.py") {
          return named("pickling", Says::Name);
        }
        return of_standard_library(first_part(module));
      }
      return {};
    }
    case Language::Native:
      break;
  }
  if (function.special) return {};
  const std::string_view name = function.short_name.empty() ? function.name : function.short_name;
  if (function.interpreter) {
    const Row* const row = row_for(name, kInterpreter);
    return row != nullptr ? by(row) : named(kUnnamedActivity, Says::Little);
  }
  if (const Row* const row = row_for(name_of_template(name), kCxx)) return by(row);
  const std::string_view base = base_of(function.module);
  if (const std::string_view package = below_packages(function.module); !package.empty()) {
    return named(first_part(package), Says::Name);
  }
  if (!below_standard_library(function.module).empty()) {
    return of_standard_library(first_part(base));
  }
  if (base.starts_with("libc.") || base.starts_with("libc-")) {
    const Row* const row = row_for(name, kLibc);
    return row != nullptr ? by(row) : named("libc", Says::Little);
  }
  if (const Row* const row = row_for(base, kLibraries)) return by(row);
  if (base.find(".so") != std::string_view::npos) return named(library_name(base), Says::Name);
  return {};
}

// What the interpreter does without a name, by the text of the line of Python that it is directly below.
class SourceHints {
 public:
  SourceHints(const CallTree& tree, Activities& activities)
      : symbols_(tree.symbols()), activities_(activities), files_(tree.own().run()) {}

  // `location` is of a line of Python.
  Activity of(std::uint32_t location) {
    const auto [known, is_new] = known_.try_emplace(location);
    if (!is_new) return known->second;
    const symbols::Location& at = symbols_.location(location);
    const std::string& file = at.file.empty() ? symbols_.function(at.function).file : at.file;
    if (const std::string_view name = activity_of_source(files_.line(file, at.line)); !name.empty())
      known->second = activities_.named(name, Says::Name);
    return known->second;
  }

 private:
  const symbols::Symbols& symbols_;
  Activities& activities_;
  symbols::SourceFiles files_;
  std::map<std::uint32_t, Activity> known_;
};

std::vector<Activity> activities_below_own(const CallTree& tree, Activities& activities) {
  const std::vector<CallNode>& nodes = tree.nodes();
  SourceHints hints(tree, activities);
  const std::uint32_t unnamed = activities.named(kUnnamedActivity, Says::Little).name;
  std::vector<Activity> out(nodes.size());
  std::vector<bool> runs(nodes.size());           // the innermost function of Python runs a module as the program
  std::vector<std::uint32_t> line(nodes.size());  // location of the innermost function of Python
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {  // parents stand before their children
    const std::uint32_t function = tree.function_id(node), parent = nodes[node].parent;
    const bool python = tree.function(node).language == symbols::Language::Python;
    line[node] = python ? nodes[node].location : line[parent];
    runs[node] = python ? is_runpy(tree.function(node)) : runs[parent];
    if (tree.own().function(function)) continue;
    const Activity here = python && runs[parent] ? activities.of_program(function) : activities.of(function);
    out[node] = out[parent].below(here);
    const bool asked = out[node].name == unnamed && here.name == unnamed && line[node] != 0;
    if (asked && tree.own().location(line[node])) out[node] = out[node].below(hints.of(line[node]));
  }
  return out;
}

}  // namespace prof::fold
