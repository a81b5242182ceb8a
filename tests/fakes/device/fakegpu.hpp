// A device that exists only in this process: streams that run work in order, each on a thread of its own, by a clock
// that is known. The fake libraries around it (libcuda, libcudart, libcupti...) share it, so that what one of them
// launches the other can report, and everything that happens is written to a ledger that tests take as the truth.
//
// A kernel takes as long as its name says: "step_250us" takes 250 microseconds; others take kKernelNs. Copies and sets
// take a time that follows from their size. The device's clock is CLOCK_MONOTONIC: work starts at the later of its
// submission and the end of what is before it in its stream, and ends exactly its duration later.
//
// Settings, all by the environment:
//   FAKE_GPU_LEDGER=FILE       one line of JSON for each call and each piece of work, appended as they end
//   FAKE_GPU_FAIL=F:N:E,...    the Nth call (from 1; * every) of function F in this process fails with error E
//   FAKE_GPU_DEVICES=N         number of devices, 2 unless set
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fakegpu {

inline constexpr std::uint64_t kKernelNs = 10'000;
inline constexpr std::uint64_t copy_ns(std::uint64_t bytes) { return 2'000 + bytes / 10; }
inline constexpr std::uint64_t set_ns(std::uint64_t bytes) { return 1'000 + bytes / 100; }
inline constexpr std::uint64_t kDeviceBytes = 16ULL << 30;
inline constexpr std::uint32_t kMultiprocessors = 108, kComputeMajor = 8, kComputeMinor = 0, kClockKhz = 1'410'000,
                               kMemoryClockKhz = 1'215'000, kMemoryBusBits = 5120;

std::uint64_t now();        // CLOCK_MONOTONIC, ns
std::uint32_t thread_id();  // gettid
int device_count();
std::string device_name(int device);
// Of the 16 bytes of a device's UUID.
void device_uuid(int device, unsigned char* uuid);
// The same text always gives the same pointer, which stays valid for ever.
const char* intern(std::string_view text);

// ---- Calls

enum class Domain : std::uint32_t { Driver = 1, Runtime = 2 };

struct ApiCall {
  Domain domain;
  std::uint32_t cbid;
  const char* name;
  std::uint32_t correlation;  // a driver call inside a runtime call has that one's
  std::uint32_t tid;
  std::uint64_t start, end;
  std::int64_t result;
  std::uint32_t context;
  mutable std::uint64_t observers = 0;  // a word that the observer keeps from the call's start to its end
};

// One call of an API function, from its first line to its last. The outermost one of a thread is the program's own and
// stands in the ledger; those inside are a library's.
class Scope {
 public:
  Scope(Domain domain, std::uint32_t cbid, const char* name);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // The error that this call is to end with, as FAKE_GPU_FAIL asks, or because the process is a forked child of one
  // that uses the device; 0: none.
  int refused() const { return refused_; }
  // What the call moves or allocates, for the ledger.
  void bytes(std::uint64_t count) { bytes_ = count; }
  template <class Result>
  Result done(Result result) {
    call_.result = static_cast<std::int64_t>(result);
    return result;
  }

 private:
  ApiCall call_;
  std::uint64_t bytes_ = 0;
  int refused_ = 0;
  bool own_ = false;
};
// The correlation id of the calling thread's call; 0 outside one.
std::uint32_t current_correlation();

// A library's own code: calls inside it are not the program's, as with libraries that have the runtime built in.
class LibraryScope {
 public:
  LibraryScope();
  ~LibraryScope();
  LibraryScope(const LibraryScope&) = delete;
  LibraryScope& operator=(const LibraryScope&) = delete;
};

// From here on the device belongs to this process alone: children that it forks get errors.
void claim();
// Whether that has happened, in this process or in one that forked it.
bool claimed();

// ---- Contexts, streams and work

struct Context {
  std::uint32_t id;
  int device;
};
Context* primary_context(int device);
bool has_primary_context(int device);
Context* make_context(int device);
// A thread's contexts are a stack; device 0's primary one counts where it is empty.
void set_current(Context* context);
void push_current(Context* context);
Context* pop_current();  // null: the stack was empty
Context* current();
std::uint32_t current_id();  // 0: nobody made one yet

enum class WorkKind : std::uint8_t { Kernel, Copy, Set, Host };
enum class Place : std::uint8_t { Unknown = 0, Pageable = 1, Pinned = 2, Device = 3, Managed = 5 };
enum class CopyKind : std::uint8_t { HtoD = 1, DtoH = 2, DtoD = 8, HtoH = 9, PtoP = 10 };
struct Work {
  WorkKind kind = WorkKind::Kernel;
  const char* name = "";
  std::uint32_t device = 0, context = 0, stream = 0, correlation = 0, tid = 0;
  std::uint64_t bytes = 0, start = 0, end = 0, duration = 0;
  CopyKind copy = CopyKind::HtoD;
  Place from = Place::Unknown, to = Place::Unknown;
  std::uint32_t other_device = 0;  // of a peer copy: where it comes from
  std::uint32_t value = 0;         // of a set
  std::uint32_t graph = 0;         // 0: launched by itself
  std::uint64_t graph_node = 0;
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, shared_bytes = 0;
  std::function<void()> body;  // what it does, at its end
};

// A graph: work in an order that respects all its edges.
struct Graph {
  std::uint32_t id = 0;
  std::vector<Work> nodes;
};

class Stream;
Stream* make_stream();  // of the current context
void drop_stream(Stream* stream);
// What a handle stands for: null and 1 the current context's default stream, 2 the calling thread's own.
Stream* stream_of(const void* handle, bool per_thread = false);
std::uint32_t stream_id(const Stream* stream);

// Gives a stream work, or adds it to the graph that is being captured from it.
void submit(Stream* stream, Work work);
void submit_graph(Stream* stream, const Graph& graph);
void synchronize(Stream* stream);
bool idle(Stream* stream);
void synchronize_context(const Context* context);

void begin_capture(Stream* stream);
std::shared_ptr<Graph> end_capture(Stream* stream);  // null: none was going on
bool capturing(const Stream* stream);
std::uint32_t next_graph_id();
std::uint64_t next_graph_node();

struct Event;
Event* make_event();
void drop_event(Event* event);
void record(Event* event, Stream* stream);
void wait_for(Stream* stream, Event* event);
bool happened(const Event* event);
void synchronize(Event* event);
std::uint64_t time_of(const Event* event);  // 0: not recorded

// ---- What is launched

struct Shape {
  std::uint32_t grid[3], block[3], shared_bytes;
};
void launch(Stream* stream, const char* name, const Shape& shape);
std::uint64_t kernel_ns(std::string_view name);
void copy(Stream* stream, void* to, const void* from, std::size_t bytes);
// Rows of `width` bytes.
void copy_rows(Stream* stream, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               std::size_t width, std::size_t rows);
void set(Stream* stream, void* to, std::uint32_t value, unsigned value_bytes, std::size_t count);

// ---- Memory

// Null: out of memory. `release` ignores null and says whether the block was one.
void* allocate(std::size_t bytes, Place place);
bool release(void* block);
Place place_of(const void* address);
int device_of(const void* address);
std::uint64_t used_bytes(int device);
bool pin(void* block, std::size_t bytes);  // host memory of the program's own
bool unpin(void* block);

// ---- Who looks on: the fake libcupti. Called on the threads that do what they tell, without a lock held.

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void entered(const ApiCall& call) = 0;
  virtual void left(const ApiCall& call) = 0;
  // Work that was given to a device, on the thread that did.
  virtual void submitted(const Work& work) = 0;
  virtual void started(const Work& work) = 0;
  virtual void ended(const Work& work) = 0;
  virtual void graph_ended(const Work& launch) = 0;  // from the first node's start to the last one's end
  virtual void waited(const ApiCall& call, std::uint32_t stream, std::uint64_t from, std::uint64_t to) = 0;
  virtual void context_made(const Context& context) = 0;
};
void observe(Observer* observer);
Observer* observer();        // null: none
Observer* first_observer();  // that there ever was
// Tells the observer that the calling thread waited for a stream (UINT32_MAX: for all) since `from`.
void told_wait(const Stream* stream, std::uint64_t from);

// ---- The ledger

// Appends a line; nothing without a ledger. One write each, so that lines of processes and threads stay whole.
void write_ledger(const char* format, ...) __attribute__((format(printf, 1, 2)));
bool has_ledger();
// The value of a setting, empty when it is not set.
std::string_view setting(const char* name);

}  // namespace fakegpu

// For fakes of libraries that have the runtime built in (cuBLAS and its kind): launches a kernel as such a library
// does, seen by nobody but CUPTI. `stream` is a handle of the runtime's.
extern "C" void fakegpu_library_kernel(const char* name, void* stream);
