// What the parts of the fake CUPTI share. It is of version FAKE_CUPTI_VERSION (18 = 11.8, 24 = 12.6, 130001 = 13.0),
// or of $FAKE_CUPTI_VERSION: records have the sizes of that version, 130100 stands for one of the future, whose kernel
// records are larger than any known today.
//
// Settings, by the environment:
//   FAKE_CUPTI_FAIL=F:KIND:RC,...   function F returns RC; KIND is its first argument, or *
//   FAKE_CUPTI_DELAY_MS=N           records of device work reach a buffer only so long after the work's end, unless
//                                   a flush is forced
//   FAKE_CUPTI_DROP=N               of every N records of device work one is dropped and counted so
//   FAKE_CUPTI_ZERO=N               of every N one has no times
//   FAKE_CUPTI_BACKWARDS=N          of every N one ends before it starts
//   FAKE_CUPTI_UNKNOWN=N            after every N comes one of a kind that nobody knows
//   FAKE_CUPTI_WHOLE_KINDS=N        from the Nth call on who made it is told only of whole kinds of calls
//   FAKE_CUPTI_KEEPS_TIMES=N        times of N kernels in graphs fill a buffer on the device for ever
//   FAKE_CUPTI_PEERS_BY_HOST=1      devices have no direct path to each other: a copy between them is two
//   FAKE_CUPTI_SCOPE_ENDS=1         records may come to a subscriber when none come to the process any longer;
//                                   but not once CUPTI was ended
//   FAKE_CUPTI_INIT=1               enabling a kind initialises the driver
// What is dropped or spoiled stands in the ledger as {"t":"dropped"} and {"t":"untimed"}.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/fakes/device/fakegpu.hpp"
#include "tests/fakes/libcupti/sizes.hpp"

namespace fakegpu::cupti {

enum Result : int {
  kSuccess = 0,
  kInvalidParameter = 1,
  kMaxLimitReached = 12,
  kNotCompatible = 14,
  kQueueEmpty = 18,
  kInvalidKind = 21,
  kLegacyProfiler = 38,
  kMultipleSubscribers = 39,
  kUnknown = 999,
};

std::uint32_t version();
// Of a record of that kind, in this version; 0: no such kind.
std::size_t record_size(std::uint32_t kind);
std::uint64_t number_setting(const char* name);  // 0: not set

// The result that FAKE_CUPTI_FAIL asks for, 0: none. Aborts when a forked child calls what its parent started: the
// real one may hang there.
int failure(const char* function, std::int64_t kind = -1);

// The clock of the records, for a moment of CLOCK_MONOTONIC.
std::uint64_t timestamp(std::uint64_t monotonic);
using Clock = std::uint64_t (*)();
void set_clock(Clock clock);

// ---- Buffers

using Request = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records);
using Complete = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                          std::size_t valid);
void set_callbacks(Request request, Complete complete);  // both null: forget them
// One record, as many bytes as its kind has. `thread`: whose doing it is, which has a buffer of its own where the
// version has such; 0: nobody's.
void put(const void* record, std::size_t bytes, std::uint32_t thread);
// A record of work that has not ended stands in the buffer of the thread that asked for it: unless it is forced, a
// flush leaves that buffer where it is.
void expect_record(std::uint32_t thread);
void record_is_finished(std::uint32_t thread);
void flush(bool forced);
std::size_t take_dropped();
void count_dropped();
void start_worker();
void set_flush_period(std::uint32_t ms);

// ---- What is wanted

struct Wanted {
  std::atomic<bool> kinds[kKinds];
  std::atomic<bool> calls[3][1024];     // by domain and number, beside the whole kind
  std::atomic<bool> left_out[3][1024];  // taken back one by one, of a whole kind
  std::atomic<bool> runtime_calls_dead;
};
Wanted& wanted();
std::size_t device_buffers();  // the most that there may be
void begin_observing();
// Another libcupti of this process was at work before.
bool another_observes();
void release_held(bool all);  // records whose delay is over; all of them and of work that still runs
void put_devices();
void put_contexts();

// ---- The subscriber

void tell_subscriber(const ApiCall& call, bool exit);
void tell_context(const Context& context);
void drop_subscriber();

// ---- Scopes: from CUDA 13.2 on records are collected for the process or for a subscriber, and who has used one kind
// of functions is refused the other, until CUPTI is ended.

enum class Collecting : std::uint32_t { None, Process, Subscriber };
constexpr std::uint32_t kScopedFrom = 130200, kAllScopedFrom = 130300;
// 0, or the error with which a function of that kind ends.
int refused_in(Collecting scope);
void note_scope(Collecting scope);
bool is_subscriber(const void* handle);
bool was_ended();

// What functions of both kinds do.
int refusal(std::uint32_t kind);  // with which the kind cannot be enabled, 0: none
int enable(const char* function, std::uint32_t kind, bool on);
int next_record(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record);

// What external correlation ids the calling thread has pushed, by kind; null: none of it.
inline constexpr std::uint32_t kCorrelationKinds = 6;
const std::uint64_t* pushed_id(std::uint32_t kind);

// A record under construction: fields at the offsets that all versions share.
template <std::size_t Bytes>
struct Record {
  alignas(8) std::uint8_t bytes[Bytes] = {};
  template <class T>
  void field(std::size_t offset, T value) {
    static_assert(sizeof(T) <= 8);
    memcpy(bytes + offset, &value, sizeof value);
  }
};

}  // namespace fakegpu::cupti

#define CUPTI_API extern "C" __attribute__((visibility("default")))
