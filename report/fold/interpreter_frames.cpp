#include "report/fold/interpreter_frames.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"

namespace prof::fold {
namespace {

using model::Frame;

// Beginnings of the names of functions that only pass a call on, from CPython 3.8 to 3.14.
constexpr std::string_view kCarriers[] = {
    // the evaluation loop and what enters it
    "_PyEval_", "PyEval_", "_TAIL_CALL_", "_PyFunction_Vectorcall", "function_code_fastcall", "run_eval_code_obj",
    "_PyEvalFrame", "_PyFrame_Clear", "clear_thread_frame", "clear_gen_frame", "run_mod", "builtin_exec",
    "builtin_eval", "gen_send_ex", "gen_iternext", "gen_send", "_PyGen_",
    // calls of callables
    "PyObject_Call", "_PyObject_Call", "PyObject_Vectorcall", "_PyObject_Vectorcall", "_PyObject_FastCall",
    "_PyObject_MakeTpCall", "PyVectorcall_", "_PyVectorcall_", "_PyCFunction_", "cfunction_", "method_vectorcall",
    "method_call", "vectorcall_", "object_vacall", "_PyMethodDef_", "_PyMethodDescr_", "wrapperdescr_call",
    "wrapper_call", "wrap_", "partial_call", "partial_vectorcall", "callmethod", "call_function", "call_method",
    "_PyStack_", "trampoline_call", "instancemethod_call", "methoddescr_call",
    // the same by the tables of a stripped interpreter
    "builtins.exec", "builtins.eval", "builtins.__import__", "generator.", "coroutine.", "async_generator",
    "method.tp_", "type.tp_call", "function.tp_", "builtin_function_or_method.tp_", "method_descriptor.tp_",
    "classmethod_descriptor.tp_", "wrapper_descriptor.tp_", "method-wrapper.tp_", "instancemethod.tp_",
    "functools.partial.tp_call", "_imp.",
    // calls of special methods
    "type_call", "slot_", "lookup_maybe_method", "call_unbound",
    // ends of references
    "Py_DECREF", "Py_XDECREF", "_Py_DECREF", "_Py_XDECREF", "_Py_Dealloc",
    // imports
    "PyImport_", "import_name", "import_find_and_load", "builtin___import__",
    // the start of programs and threads
    "Py_BytesMain", "Py_RunMain", "pymain_", "PyRun_", "_PyRun_", "thread_run", "t_bootstrap", "pythread_wrapper"};

// Modules in which programs and threads begin. "python3" is the small program around a shared libpython.
constexpr std::string_view kStartModules[] = {"libc.", "libc-", "libpthread", "ld-", "python"};

}  // namespace

FrameFilter::FrameFilter(const model::Run& run, const symbols::Symbols& symbols, const FoldOptions& options)
    : run_(run), symbols_(symbols), options_(options), tasks_(symbols.function_count(), Task::Open) {}

void FrameFilter::enter(std::size_t process) {
  process_ = process;
  const model::Process& entered = run_.processes[process];
  roles_.clear();
  for (const Frame& frame : entered.tree.frames) roles_.push_back(role_of(entered, frame));
}

FrameFilter::Role FrameFilter::role_of(const model::Process& process, const Frame& frame) const {
  switch (frame.kind) {
    case Frame::Kind::Python:
    case Frame::Kind::PythonLine: {
      if (options_.frames == Frames::Native) return Role::Hidden;
      const bool importer = options_.interpreter == InterpreterFrames::Fold && frame.code != model::kNoCode &&
                            symbols::is_import_system_file(process.codes[frame.code].file);
      return importer ? Role::Importer : Role::Python;
    }
    case Frame::Kind::Native: {
      const std::string& path = process.modules[frame.module].path;
      if (process.python && !path.empty() && path == process.python->path) return Role::Interpreter;
      return begins_with_any(base_name(path), kStartModules) ? Role::Start : Role::Other;
    }
    case Frame::Kind::Anonymous:
      return Role::Anonymous;
    case Frame::Kind::Named: {
      if (frame.name == model::kNoName) return Role::Device;
      const log::NameKind kind = process.names[frame.name].kind;
      // Older logs have ranges without a name, which say nothing.
      const bool says = options_.ranges == Ranges::Show && !process.names[frame.name].name.empty();
      if (kind == log::NameKind::Range && !says) return Role::Range;
      if (kind == log::NameKind::Script) return options_.frames == Frames::Native ? Role::Hidden : Role::Special;
      if (kind == log::NameKind::Task) return options_.tasks == Tasks::Hide ? Role::Range : Role::Special;
      return kind == log::NameKind::Range || kind == log::NameKind::Operator ? Role::Special : Role::Device;
    }
    default:
      return Role::Special;
  }
}

void FrameFilter::show(std::span<const std::uint32_t> frames, Part part, std::vector<std::uint32_t>& locations) {
  if (options_.frames == Frames::Python) return show_python_only(frames, part, locations);
  const bool all = shows_all(part);
  const auto only = [&](auto... roles) {
    return std::all_of(frames.begin(), frames.end(),
                       [&](std::uint32_t frame) { return ((roles_[frame] == roles) || ...); });
  };
  if (!all && part == Part::Between && only(Role::Interpreter, Role::Importer, Role::Anonymous)) return;
  const bool only_start =
      part == Part::Before && only(Role::Interpreter, Role::Importer, Role::Start, Role::Special, Role::Range);
  for (const std::uint32_t frame : frames) {
    const Role role = roles_[frame];
    const bool hidden = role == Role::Interpreter || role == Role::Importer || (role == Role::Start && only_start);
    if (all || !hidden) show_all(frame, locations);
  }
}

void FrameFilter::show_all(std::uint32_t frame, std::vector<std::uint32_t>& locations) const {
  if (!shown(frame)) return;
  const auto inner_first = symbols_.locations(process_, frame);
  const auto begin = static_cast<std::ptrdiff_t>(locations.size());
  locations.insert(locations.end(), inner_first.rbegin(), inner_first.rend());
  if (!as_operator(frame)) return;
  std::for_each(locations.begin() + begin, locations.end(),
                [this](std::uint32_t& location) { location = symbols_.as_operator(location); });
}

void FrameFilter::show_python_only(std::span<const std::uint32_t> frames, Part part,
                                   std::vector<std::uint32_t>& locations) const {
  const bool inner = part == Part::After || part == Part::Alone;
  bool python = false, native = false;
  for (const std::uint32_t frame : frames) {
    const Role role = roles_[frame];
    if (role == Role::Special || (role == Role::Importer && inner)) {
      show_all(frame, locations);
      python |= role == Role::Importer;
    } else if (role != Role::Range) {
      native |= !symbols_.locations(process_, frame).empty();
    }
  }
  if (native && !python && part == Part::Alone) locations.push_back(symbols_.native_location());
}

bool FrameFilter::foreign(std::uint32_t frame) const {
  return roles_[frame] != Role::Interpreter && !symbols_.locations(process_, frame).empty();
}

std::optional<std::uint32_t> FrameFilter::sole(std::uint32_t frame, How how) const {
  if (!shown(frame) || (roles_[frame] == Role::Interpreter && how != How::Whole)) return std::nullopt;
  const auto locations = symbols_.locations(process_, frame);
  if (locations.size() != 1) return std::nullopt;
  return as_operator(frame) ? symbols_.as_operator(locations.front()) : locations.front();
}

std::optional<std::uint32_t> FrameFilter::key(std::uint32_t frame, How how) const {
  if (!shown(frame) || symbols_.locations(process_, frame).empty()) return std::nullopt;
  const bool interpreter = roles_[frame] == Role::Interpreter && how != How::Whole;
  const std::uint32_t variant = interpreter ? (how == How::Through ? 2 : 3) : (as_operator(frame) ? 1 : 0);
  return symbols_.chain(process_, frame) << 2 | variant;
}

void FrameFilter::show(std::uint32_t frame, How how, std::uint32_t caller, std::vector<std::uint32_t>& locations) {
  if (how != How::Whole && roles_[frame] == Role::Interpreter) return show_work(frame, how, caller, locations);
  show_all(frame, locations);
}

void FrameFilter::show_work(std::uint32_t frame, How how, std::uint32_t caller, std::vector<std::uint32_t>& locations) {
  const auto inner_first = symbols_.locations(process_, frame);
  for (auto it = inner_first.rbegin(); it != inner_first.rend(); ++it) {
    const symbols::Location& location = symbols_.location(*it);
    const Task task = task_of(location.function);
    if (task == Task::Work) locations.push_back(*it);
    if (task != Task::Unnamed || how == How::Through) continue;
    const std::uint32_t internals = symbols_.internals_location(symbols_.function(location.function).module);
    if ((locations.empty() ? caller : locations.back()) != internals) locations.push_back(internals);
  }
}

FrameFilter::Task FrameFilter::task_of(std::uint32_t id) {
  Task& task = tasks_[id];
  if (task == Task::Open) {
    const symbols::Function& function = symbols_.function(id);
    task = !function.named ? Task::Unnamed : begins_with_any(function.name, kCarriers) ? Task::Carries : Task::Work;
  }
  return task;
}

}  // namespace prof::fold
