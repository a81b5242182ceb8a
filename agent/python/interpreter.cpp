#include "agent/python/interpreter.hpp"

#include <link.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "agent/core/process.hpp"
#include "agent/log/info.hpp"
#include "agent/python/check.hpp"
#include "agent/python/codes.hpp"
#include "agent/python/eval_loop.hpp"
#include "agent/python/stack_switchers.hpp"
#include "agent/python/tail_calls.hpp"
#include "agent/thread/guard.hpp"
#include "agent/unwind/elf_symbols.hpp"
#include "agent/unwind/modules.hpp"

namespace prof::python {
namespace {

enum class Frames : std::uint32_t { Unchecked, On, Off };

constinit Api g_api{};
constinit Interpreter g_interpreter{};
std::atomic<const Interpreter*> g_found{nullptr};
std::atomic<Frames> g_frames{Frames::Unchecked};
std::atomic<const char*> g_reason{"no Python frame has run yet"};
std::atomic<const char*> g_other{nullptr};  // file of a Python that is not CPython
std::atomic<std::uintptr_t> g_late{0};      // an address in a module that may be an interpreter
constexpr std::size_t kNotes = 8;
std::atomic<const char*> g_notes[kNotes];
bool (*g_attach)() = nullptr;

std::uint8_t number(const char*& text) {
  unsigned v = 0;
  while (*text >= '0' && *text <= '9') v = v * 10 + static_cast<unsigned>(*text++ - '0');
  return static_cast<std::uint8_t>(v);
}

// "3.10.13 (main, ...", "3.9.0rc2+ (..."
Version parsed(const char* text) {
  Version v;
  v.major = number(text);
  if (*text == '.') v.minor = number(++text);
  if (*text == '.') v.micro = number(++text);
  v.level = *text == 'a' ? 0xa : *text == 'b' ? 0xb : *text == 'r' || *text == 'c' ? 0xc : 0xf;
  return v;
}

Version version_of(const Api& api) {
  if (api.Py_Version == nullptr) return parsed(api.Py_GetVersion());
  const std::uint32_t hex = *api.Py_Version;
  return {static_cast<std::uint8_t>(hex >> 24), static_cast<std::uint8_t>(hex >> 16),
          static_cast<std::uint8_t>(hex >> 8), static_cast<std::uint8_t>(hex >> 4 & 15)};
}

const char* refusal(const Api& found, Interpreter& of) {
  const Version v = of.version;
  if (v.major != 3) return "only Python 3 is supported";
  if (found._Py_NegativeRefcount != nullptr && v.minor < 13)
    return "debug builds of Python before 3.13 are not supported";
  // What tells a thread's state is a thread-local variable there: see current_thread.cpp.
  if (of.late && v.minor >= 15) return "Python 3.15 and later that a program loads by itself is not supported";
  if (v.level != 0xf && v.minor < 13) return "pre-releases of Python are not supported";
  if (found.PyUnicode_Type == nullptr || found.PyBytes_Type == nullptr || found.PySys_AddAuditHook == nullptr ||
      (found.Py_IsFinalizing == nullptr && found._Py_IsFinalizing == nullptr))
    return "the interpreter does not export what is needed";
  const std::uint32_t hex = std::uint32_t{v.major} << 24 | std::uint32_t{v.minor} << 16;
  const char* why = nullptr;
  return find_offsets(v.minor, hex, reinterpret_cast<std::uintptr_t>(found._PyRuntime), of.offsets, why) ? nullptr
                                                                                                         : why;
}

// False: the object is no interpreter.
bool recognise(const Object& object) {
  Api found{};
  if (!find_api(object, found)) return false;
  g_api = found;
  g_interpreter.object = object;
  g_interpreter.version = version_of(found);
  g_interpreter.refused = refusal(found, g_interpreter);
  g_interpreter.eval_entry = reinterpret_cast<std::uintptr_t>(found._PyEval_EvalFrameDefault);
  g_interpreter.code_type = reinterpret_cast<std::uintptr_t>(found.PyCode_Type);
  g_interpreter.text_type = reinterpret_cast<std::uintptr_t>(found.PyUnicode_Type);
  g_interpreter.bytes_type = reinterpret_cast<std::uintptr_t>(found.PyBytes_Type);
  learn_eval_loop(g_interpreter.eval_entry);
  g_interpreter.tail_calls = g_interpreter.version.at_least(14) && has_tail_calls(object, g_interpreter.eval_entry);
  // Its call of pthread_getspecific is bound by this first call, not by one from a signal handler.
  found.PyGILState_GetThisThreadState();
  if (g_interpreter.refused != nullptr) {
    g_reason = g_interpreter.refused;
    g_frames = Frames::Off;
  }
  g_found.store(&g_interpreter, std::memory_order_release);
  return true;
}

// Other implementations have no structures of CPython's, and are known by their names alone.
void note_other(const Object& object) {
  if (std::strstr(object.name, "pypy") != nullptr && exported_symbol(object, "pypy_main_startup").address != 0)
    g_other.store(object.name, std::memory_order_relaxed);
}

int recognise_loaded(dl_phdr_info* info, std::size_t, void*) {
  Object object{};
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    if (!object_at(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, object)) return 0;
    if (recognise(object)) return 1;
    note_other(object);
    return 0;
  }
  return 0;
}

void say() {
  Text<2048> text;
  describe_python(text);
  log::append_info(log::InfoKey::Python, text.view());
}

void refuse_hook() {
  g_reason = "the interpreter refused our audit hook";
  g_frames = Frames::Off;
}

bool is_library(const Object& object) {
  const char* slash = std::strrchr(object.name, '/');
  return std::strncmp(slash != nullptr ? slash + 1 : object.name, "libpython", 9) == 0;
}

// With the GIL, between two instructions of the main thread.
int adopted(void*) {
  if (g_attach()) check_frames();
  return 0;
}

}  // namespace

const Api& api() { return g_api; }

const Interpreter* interpreter() { return g_found.load(std::memory_order_acquire); }

bool frames_on() { return g_frames.load(std::memory_order_acquire) == Frames::On; }

void prepare_python(bool (*attach)()) {
  g_attach = attach;
  prepare_codes();
  on_new_module(module_seen);
  if (process().options.python == PythonMode::Off) return;
  if (dl_iterate_phdr(recognise_loaded, nullptr) == 0) return;
  if (g_interpreter.refused == nullptr && !g_attach()) refuse_hook();
}

void module_seen(const Object& object) {
  note_switcher(object);
  if (interpreter() != nullptr || process().options.python == PythonMode::Off || !is_library(object)) return;
  g_late.store(object.start, std::memory_order_release);
}

void thread_state_made(const void* caller) {
  if (interpreter() != nullptr && g_late.load(std::memory_order_relaxed) == 0) return;
  const Process& p = process();
  if (p.stage.load(std::memory_order_relaxed) != Stage::Ready || p.options.python == PythonMode::Off) return;
  Object object{};
  if (!object_at(reinterpret_cast<std::uintptr_t>(caller) - 1, object) || !is_library(object)) return;
  const int saved = errno;
  {
    const RealCall nested;
    if (interpreter() == nullptr) {
      g_interpreter.late = true;
      if (recognise(object)) g_late.store(object.start);
    }
    if (g_late.exchange(0) != 0) {
      say();
      // Nothing of one that was not recognised is known, its version least of all.
      if (interpreter() != nullptr && g_interpreter.refused == nullptr && !g_attach()) refuse_hook();
    }
  }
  errno = saved;
}

static void adopt_now() {
  const std::uintptr_t start = g_late.load(std::memory_order_relaxed);
  Object object{};
  if (interpreter() == nullptr) g_interpreter.late = true;
  if (interpreter() == nullptr && (!object_at(start, object) || !recognise(object))) {
    g_late.store(0, std::memory_order_relaxed);
    return;
  }
  // Not before it runs: the queue of pending calls is made by its start.
  if (g_api.Py_IsInitialized == nullptr || g_api.Py_IsInitialized() == 0 || g_late.exchange(0) == 0) return;
  say();
  if (g_interpreter.refused == nullptr && g_api.Py_AddPendingCall(adopted, nullptr) != 0) g_late.store(start);
}

void adopt_late() {
  if (g_late.load(std::memory_order_relaxed) == 0) [[likely]]
    return;
  const int saved = errno;
  adopt_now();
  errno = saved;
}

bool check_frames() {
  if (g_frames.load(std::memory_order_relaxed) != Frames::Unchecked) return true;
  const char* why = nullptr;
  const Check result = compare_with_api(g_interpreter, why);
  if (result == Check::NothingToCompare) return false;
  if (result == Check::Differs) g_reason.store(why);
  g_frames.store(result == Check::Agrees ? Frames::On : Frames::Off, std::memory_order_release);
  say();
  return true;
}

bool interpreter_ends() {
  const Api& a = g_api;
  return (a.Py_IsFinalizing != nullptr ? a.Py_IsFinalizing() : a._Py_IsFinalizing()) != 0;
}

void describe_python(TextBuilder& text) {
  const Interpreter* p = interpreter();
  if (p == nullptr) {
    const char* other = g_other.load(std::memory_order_relaxed);
    if (other == nullptr) return;
    text << "version=\npath=" << other << "\nframes=off\nreason=PyPy: "
         << (process().options.pypy ? "only what it compiles has names" : "prof run --pypy on names what it compiles");
    return;
  }
  const Version v = p->version;
  constexpr std::string_view modes[] = {"off", "frames", "calls", "lines"};
  text << "version=" << std::uint32_t{v.major} << '.' << std::uint32_t{v.minor} << '.' << std::uint32_t{v.micro};
  text << "\npath=";
  if (p->object.name[0] != '\0')
    text << p->object.name;
  else
    log::put_exe_path(text);
  const bool on = frames_on();
  text << "\nframes=" << (on ? "on" : "off");
  text << "\nreason=" << (on ? "" : g_reason.load());
  text << "\nmode=" << modes[static_cast<std::size_t>(process().options.python)];
  for (const auto& note : g_notes) {
    if (const char* n = note.load()) text << "\nnote=" << n;
  }
}

void note_python(const char* text) {
  for (auto& note : g_notes) {
    const char* expected = nullptr;
    if (note.load() == text) return;
    if (note.compare_exchange_strong(expected, text)) return say();
  }
}

}  // namespace prof::python
