#include "agent/gpu/cupti/library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include <cstring>
#include <initializer_list>
#include <string_view>

#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/gpu/driver.hpp"
#include "agent/thread/guard.hpp"

namespace prof::gpu::cupti {
namespace {

std::string_view file_of(std::string_view path) { return from(path, path.rfind('/') + 1); }
std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : first(path, slash);
}

struct Search {
  std::string_view prefix;
  TextBuilder* found;
  bool any;
};

int visit(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  if (info->dlpi_name == nullptr || !file_of(info->dlpi_name).starts_with(search.prefix)) return 0;
  *search.found << std::string_view(info->dlpi_name);
  search.any = true;
  return 1;
}

// What dlopen allocates and says is its own affair; no handle of it is the program's.
void* open(const char* path, int flags) {
  const RealCall nested;
  void* handle = dlopen(path, flags);
  if (handle == nullptr) dlerror();
  return handle;
}

template <class F>
void find(void* handle, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  if (function == nullptr) dlerror();
}

constexpr std::uint32_t kOldest = 13;  // CUDA 11.0
constexpr char kScoped[] = "cuptiActivityRegisterCallbacks_v2";

// Wheels that bring their own have it as "libcupti-a7b20f20.so.11.7".
bool loaded_cupti(char* path, std::size_t room) {
  return loaded_object("libcupti.so", path, room) || loaded_object("libcupti-", path, room);
}

bool has_torch() {
  char path[1024];
  return loaded_object("libtorch_cpu", path, sizeof(path)) || loaded_object("libkineto", path, sizeof(path));
}

class Candidates {
 public:
  Candidates(Library& library, bool (*accept)(Library&)) : library_(library), accept_(accept) {}
  const char* why = "no libcupti was found: PROF_CUPTI=PATH can name one";

  // Whether the library of that path is there, and accepted. Each is asked once, whatever it is called.
  bool try_path(const char* path) {
    void* handle = open(path, RTLD_NOW | RTLD_LOCAL);
    for (std::uint32_t i = 0; i < tried_count_; ++i) {
      if (tried_[i] == handle) return false;
    }
    if (handle == nullptr || tried_count_ == kMostTried) return false;
    tried_[tried_count_++] = handle;
    library_.handle = handle;
    if (!find_functions(handle, library_.functions)) return false;  // something else of that name
    path_of(reinterpret_cast<const void*>(library_.functions.enable), library_.path, sizeof(library_.path));
    if (library_.functions.get_version(&library_.version) != kSuccess || library_.version < kOldest) {
      why = "this libcupti is older than that of CUDA 11.0";
      return false;
    }
    return accept_(library_);
  }

 private:
  static constexpr std::uint32_t kMostTried = 8;
  Library& library_;
  bool (*const accept_)(Library&);
  void* tried_[kMostTried] = {};
  std::uint32_t tried_count_ = 0;
};

// The names of libcupti in a folder, newest first; `folder` may be empty for the loader's own search.
constexpr const char* kNames[] = {"libcupti.so.13",   "libcupti.so.12",   "libcupti.so.11.8", "libcupti.so.11.7",
                                  "libcupti.so.11.6", "libcupti.so.11.5", "libcupti.so.11.4", "libcupti.so.11.3",
                                  "libcupti.so.11.2", "libcupti.so.11.1", "libcupti.so.11.0", "libcupti.so"};

// `major`: of the CUDA runtime in use, its libcupti comes first; 0: not known.
bool try_folder(Candidates& candidates, std::string_view folder, unsigned major) {
  for (const bool preferred : {true, false}) {
    for (const char* name : kNames) {
      const std::string_view version = from(name, std::strlen("libcupti.so."));
      const bool fits = major != 0 && version.size() >= 2 &&
                        static_cast<unsigned>((version[0] - '0') * 10 + (version[1] - '0')) == major;
      if (fits != preferred) continue;
      Text<1200> path;
      if (!folder.empty()) path << folder << '/';
      path << std::string_view(name);
      if (!path.cut() && candidates.try_path(path.c_str())) return true;
    }
  }
  return false;
}

bool try_below(Candidates& candidates, std::string_view folder, std::string_view below, unsigned major) {
  Text<1200> path;
  path << folder << below;
  return !path.cut() && try_folder(candidates, path.view(), major);
}

unsigned major_of(std::string_view path) {
  const std::size_t at = path.find(".so.");
  const std::string_view version = at == std::string_view::npos ? std::string_view() : from(path, at + 4);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (version.size() < 2 || !digit(version[0]) || !digit(version[1])) return 0;
  return static_cast<unsigned>((version[0] - '0') * 10 + (version[1] - '0'));
}

// Where toolkits and NVIDIA's Python packages have it, seen from the folder of the CUDA runtime.
bool try_beside_runtime(Candidates& candidates, std::string_view runtime, unsigned major) {
  const std::string_view folder = folder_of(runtime);
  if (folder.empty()) return false;
  return try_folder(candidates, folder, major) || try_below(candidates, folder, "/../../cuda_cupti/lib", major) ||
         try_below(candidates, folder, "/../extras/CUPTI/lib64", major) ||
         try_below(candidates, folder, "/../../../extras/CUPTI/lib64", major);
}

// The driver has room for one CUPTI in a process, and does not let another one in once that one is ended: subscribing
// to a second one is refused with error 39, be the first one in use or ended (measured with CUDA 13.0). Triton's
// profiler uses one that comes with Triton, whichever the program has loaded besides.
bool try_protons(Candidates& candidates, unsigned major) {
  char proton[1024];
  return loaded_object("libproton.so", proton, sizeof(proton)) &&
         try_below(candidates, folder_of(proton), "/../backends/nvidia/lib/cupti", major);
}

bool try_usual_places(Candidates& candidates, unsigned major) {
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* home = getenv(name);
    if (home == nullptr || home[0] != '/') continue;
    if (try_below(candidates, home, "/extras/CUPTI/lib64", major) || try_below(candidates, home, "/lib64", major))
      return true;
  }
  return try_folder(candidates, "/usr/local/cuda/extras/CUPTI/lib64", major) ||
         try_folder(candidates, "/usr/local/cuda/lib64", major);
}

bool try_all(Candidates& candidates, const char* at_work) {
  Text<1024> runtime;
  Search search{"libcudart.so", &runtime, false};
  dl_iterate_phdr(visit, &search);
  if (!search.any) {
    search.prefix = "libcublas";
    dl_iterate_phdr(visit, &search);
  }
  unsigned major = major_of(runtime.view());
  if (major == 0) major = driver::version() / 1000;
  if (const char* chosen = process().options.cupti; chosen[0] != '\0') {
    candidates.why = "the library that PROF_CUPTI names cannot be loaded, or is no libcupti";
    return candidates.try_path(chosen);
  }
  if (at_work[0] != '\0' && candidates.try_path(at_work)) return true;
  if (try_protons(candidates, major)) return true;
  char loaded[1024];
  if (loaded_cupti(loaded, sizeof(loaded)) && candidates.try_path(loaded)) return true;
  return try_beside_runtime(candidates, runtime.view(), major) || try_folder(candidates, {}, major) ||
         try_usual_places(candidates, major);
}

}  // namespace

bool loaded_object(const char* prefix, char* path, std::size_t room) {
  TextBuilder found(path, room);
  Search search{prefix, &found, false};
  dl_iterate_phdr(visit, &search);
  return search.any && !found.cut();
}

std::string_view call_name(const Functions& functions, std::uint32_t domain, std::uint32_t id) {
  const char* text = nullptr;
  if (functions.callback_name == nullptr || functions.callback_name(domain, id, &text) != kSuccess || text == nullptr)
    return {};
  const std::string_view name(text);
  const std::size_t at = name.rfind("_v");
  if (at == std::string_view::npos || name.size() - at < 6) return name;
  for (const char ch : from(name, at + 2)) {
    if (ch < '0' || ch > '9') return name;
  }
  return first(name, at);
}

void path_of(const void* function, char* path, std::size_t room) {
  const RealCall nested;
  TextBuilder text(path, room);
  Dl_info info{};
  if (dladdr(function, &info) != 0 && info.dli_fname != nullptr) text << std::string_view(info.dli_fname);
}

bool find_functions(void* handle, Functions& f) {
  const RealCall nested;
  find(handle, "cuptiGetVersion", f.get_version);
  find(handle, "cuptiActivityRegisterCallbacks", f.register_callbacks);
  find(handle, "cuptiActivityEnable", f.enable);
  find(handle, "cuptiActivityEnableAndDump", f.enable_and_dump);
  find(handle, "cuptiActivityDisable", f.disable);
  find(handle, "cuptiActivityEnableRuntimeApi", f.enable_runtime);
  find(handle, "cuptiActivityEnableDriverApi", f.enable_driver);
  find(handle, "cuptiActivityFlushAll", f.flush_all);
  find(handle, "cuptiActivityGetNextRecord", f.next_record);
  find(handle, "cuptiActivityGetNumDroppedRecords", f.dropped);
  find(handle, "cuptiActivityPushExternalCorrelationId", f.push_external);
  find(handle, "cuptiActivityPopExternalCorrelationId", f.pop_external);
  find(handle, "cuptiActivityRegisterTimestampCallback", f.register_timestamp);
  find(handle, "cuptiActivitySetAttribute", f.set_attribute);
  find(handle, "cuptiSetThreadIdType", f.set_thread_id_type);
  find(handle, "cuptiGetTimestamp", f.get_timestamp);
  find(handle, "cuptiSubscribe", f.subscribe);
  find(handle, "cuptiSubscribe_v2", f.subscribe_v2);
  find(handle, "cuptiUnsubscribe", f.unsubscribe);
  find(handle, "cuptiEnableCallback", f.enable_callback);
  find(handle, "cuptiGetCallbackName", f.callback_name);
  find(handle, "cuptiFinalize", f.finalize);
  find(handle, kScoped, f.register_scoped);
  find(handle, "cuptiGetResultString", f.result_string);
  return f.get_version != nullptr && f.register_callbacks != nullptr && f.enable != nullptr && f.disable != nullptr &&
         f.flush_all != nullptr && f.next_record != nullptr && f.push_external != nullptr && f.pop_external != nullptr;
}

bool has_scopes(const void* function) {
  const RealCall nested;
  Dl_info info{};
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return false;
  void* handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) {
    dlerror();
    return false;
  }
  void* scoped = nullptr;
  find(handle, kScoped, scoped);
  dlclose(handle);
  return scoped != nullptr;
}

bool open_library(Library& library, const char* at_work, bool (*accept)(Library&), const char*& why) {
  library.torch = has_torch();
  char loaded[1024];
  library.programs = loaded_cupti(loaded, sizeof(loaded));
  Candidates candidates(library, accept);
  const bool found = try_all(candidates, at_work);
  why = candidates.why;
  return found;
}

}  // namespace prof::gpu::cupti
