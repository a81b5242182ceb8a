// The words of each class of records, by name: what they are and how those of several records add up. Once, here: the
// schema that each log carries for readers of other versions is made of it. A struct whose words are not all
// listed, in their order, does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "agent/contract/format.hpp"
#include "agent/contract/format_device.hpp"
#include "agent/contract/format_heap.hpp"
#include "agent/contract/format_memory.hpp"
#include "agent/contract/format_operators.hpp"
#include "agent/contract/format_records.hpp"
#include "agent/contract/format_steps.hpp"
#include "agent/contract/format_wait.hpp"

namespace prof::log {

struct Field {
  std::string_view name;  // of the struct's member
  std::string_view unit;  // or, of several figures in one word, which bits they are
  std::string_view rule;  // sum, max, min, snapshot (the last one), mean, any; empty: see the struct
  std::size_t offset, bytes;

  constexpr std::size_t words() const { return bytes / 8; }
};

namespace fields {

// Of a struct of words, its fields in their order.
template <typename Words>
inline constexpr std::span<const Field> kOf;

#define PROF_FIELD(member, unit, rule) \
  Field { #member, unit, rule, offsetof(Words, member), sizeof(Words::member) }
// Two figures in one word, which has the name of the first.
#define PROF_FIELD_PAIR(low, high, rule)                                                                 \
  Field {                                                                                                \
#low, #low ":32," #high ":32", rule, offsetof(Words, low),                                           \
        offsetof(Words, high) == offsetof(Words, low) + 4 ? sizeof(Words::low) + sizeof(Words::high) : 0 \
  }
// `ns` of the struct: nanoseconds, which add up.
#define PROF_FIELD_NS(member) PROF_FIELD(member, "nanoseconds", "sum")
#define PROF_FIELD_COUNT(member) PROF_FIELD(member, "count", "sum")
#define PROF_FIELD_BYTES(member) PROF_FIELD(member, "bytes", "sum")
#define PROF_FIELDS_LEAST_AND_MOST PROF_FIELD(min_ns, "nanoseconds", "min"), PROF_FIELD(max_ns, "nanoseconds", "max")
#define PROF_FIELDS(type, ...)                                                              \
  struct Of##type {                                                                         \
    using Words = type;                                                                     \
    static constexpr Field all[] = {__VA_ARGS__};                                           \
    static_assert(complete(all, sizeof(type)),                                              \
                  "the fields of " #type " must be all its members, in order, of 8 bytes"); \
  };                                                                                        \
  template <>                                                                               \
  inline constexpr std::span<const Field> kOf<type> = Of##type::all

// Whether the fields are all words of a struct of so many bytes, one behind the other.
constexpr bool complete(std::span<const Field> all, std::size_t bytes) {
  std::size_t at = 0;
  for (const Field& f : all) {
    if (f.offset != at || f.bytes % 8 != 0) return false;
    at += f.bytes;
  }
  return at == bytes;
}

PROF_FIELDS(CpuWords, PROF_FIELD_COUNT(samples), PROF_FIELD_NS(ns));
PROF_FIELDS(HeapWords, PROF_FIELD(count, "1/65536", "sum"), PROF_FIELD_BYTES(bytes),
            PROF_FIELD(freed_count, "1/65536", "sum"), PROF_FIELD_BYTES(freed_bytes),
            PROF_FIELD(at_peak, "bytes", "snapshot"), PROF_FIELD(epoch, "epoch", ""), PROF_FIELD_COUNT(samples),
            PROF_FIELD_COUNT(temporary), PROF_FIELD_COUNT(short_lived), PROF_FIELD_COUNT(reallocations),
            PROF_FIELD_BYTES(moved_bytes), PROF_FIELD(largest, "bytes", "max"), PROF_FIELD(checkpoint, "time", ""),
            PROF_FIELD(companions, "growth:32,sizes:32", "any"), PROF_FIELD_COUNT(growing));
PROF_FIELDS(CallWords, PROF_FIELD_COUNT(calls), PROF_FIELD_COUNT(primitive), PROF_FIELD_NS(self_ns),
            PROF_FIELD_NS(outer_ns), PROF_FIELD_COUNT(edge_calls), PROF_FIELD_NS(edge_outer_ns),
            PROF_FIELD_COUNT(raised));
PROF_FIELDS(LineWords, PROF_FIELD_COUNT(hits), PROF_FIELD_NS(ns));
PROF_FIELDS(HeapOnceWords, PROF_FIELD(bytes_flags, "bytes:56,flags:8", ""),
            PROF_FIELD(epochs, "epoch:32,epoch:32", ""));
PROF_FIELDS(BlockWords, PROF_FIELD(block, "life:16,writer:16,epoch:16,bytes:16", ""));
PROF_FIELDS(HeapSizesWords, PROF_FIELD_COUNT(count));
PROF_FIELDS(GrowthWords, PROF_FIELD(state, "shift:32,filled:32", ""), PROF_FIELD(live, "bytes", "snapshot"));
PROF_FIELDS(CopyWords, PROF_FIELD(count, "1/65536", "sum"), PROF_FIELD_BYTES(bytes), PROF_FIELD_COUNT(samples));
PROF_FIELDS(ApiWords, PROF_FIELD_COUNT(calls), PROF_FIELD_COUNT(failed), PROF_FIELD_NS(total_ns),
            PROF_FIELDS_LEAST_AND_MOST, PROF_FIELD_BYTES(bytes), PROF_FIELD_COUNT(flops),
            PROF_FIELD(last_error, "number", "any"));
PROF_FIELDS(DeviceWords, PROF_FIELD_COUNT(count), PROF_FIELD_NS(total_ns), PROF_FIELDS_LEAST_AND_MOST,
            PROF_FIELD_BYTES(bytes), PROF_FIELD_COUNT(untimed));
PROF_FIELDS(SpreadWords, PROF_FIELD_COUNT(count));
PROF_FIELDS(IdleWords, PROF_FIELD_COUNT(gaps), PROF_FIELD_NS(total_ns), PROF_FIELD(max_ns, "nanoseconds", "max"),
            PROF_FIELD_NS(synchronising_ns), PROF_FIELD_NS(waiting_ns), PROF_FIELD_NS(launching_ns),
            PROF_FIELD_NS(python_ns), PROF_FIELD_NS(native_ns));
PROF_FIELDS(RangeWords, PROF_FIELD_COUNT(count), PROF_FIELD_NS(total_ns), PROF_FIELDS_LEAST_AND_MOST);
PROF_FIELDS(WaitWords, PROF_FIELD(count, "1/65536", "sum"), PROF_FIELD_NS(ns), PROF_FIELD_COUNT(samples));
PROF_FIELDS(HoldWords, PROF_FIELD_COUNT(count), PROF_FIELD_NS(ns), PROF_FIELD(max_ns, "nanoseconds", "max"),
            PROF_FIELD_COUNT(events), PROF_FIELD_NS(busy_ns));
PROF_FIELDS(WaitTotalWords, PROF_FIELD_COUNT(calls), PROF_FIELD_COUNT(failed), PROF_FIELD_NS(total_ns),
            PROF_FIELD_NS(nested_ns), PROF_FIELDS_LEAST_AND_MOST, PROF_FIELD_BYTES(bytes),
            PROF_FIELD(last_errno, "number", "any"), PROF_FIELD_COUNT(uncontended));
PROF_FIELDS(FileWords, PROF_FIELD_COUNT(opens), PROF_FIELD_NS(open_ns), PROF_FIELD_COUNT(reads),
            PROF_FIELD_BYTES(read_bytes), PROF_FIELD_NS(read_ns), PROF_FIELD(read_max_ns, "nanoseconds", "max"),
            PROF_FIELD_COUNT(sequential_reads), PROF_FIELD_COUNT(slow_reads), PROF_FIELD_NS(slow_read_ns),
            PROF_FIELD_COUNT(writes), PROF_FIELD_BYTES(write_bytes), PROF_FIELD_NS(write_ns),
            PROF_FIELD(write_max_ns, "nanoseconds", "max"), PROF_FIELD_COUNT(sequential_writes),
            PROF_FIELD_COUNT(slow_writes), PROF_FIELD_NS(slow_write_ns), PROF_FIELD_COUNT(syncs),
            PROF_FIELD_NS(sync_ns), PROF_FIELD_COUNT(seeks), PROF_FIELD_COUNT(polls), PROF_FIELD_NS(poll_ns),
            PROF_FIELD_COUNT(others), PROF_FIELD_NS(other_ns), PROF_FIELD_COUNT(failed), PROF_FIELD_COUNT(answers),
            PROF_FIELD_NS(answer_ns), PROF_FIELD_NS(answering_ns), PROF_FIELD(answered_until, "nanoseconds", "max"));
PROF_FIELDS(LockWords, PROF_FIELD(kind, "number", "any"), PROF_FIELD_COUNT(waits), PROF_FIELD_NS(ns),
            PROF_FIELD(max_ns, "nanoseconds", "max"), PROF_FIELD(longest_holder, "number", "any"),
            PROF_FIELD(longest_waiter, "number", "any"), PROF_FIELD(created, "number", "any"), PROF_FIELD_COUNT(failed),
            PROF_FIELD(holder_node, "number", "any"), PROF_FIELD(stack_of, "number", "any"));
PROF_FIELDS(OperatorWords, PROF_FIELD_COUNT(calls), PROF_FIELD_NS(total_ns), PROF_FIELD_NS(nested_ns),
            PROF_FIELDS_LEAST_AND_MOST, PROF_FIELD_BYTES(host_bytes), PROF_FIELD_BYTES(device_bytes),
            PROF_FIELD_COUNT(flops), PROF_FIELD_COUNT(unlinked));

PROF_FIELDS(StepRecord, PROF_FIELD_COUNT(count), PROF_FIELD(first, "number", "min"),
            PROF_FIELD(begin_ns, "nanoseconds", "min"), PROF_FIELD(end_ns, "nanoseconds", "max"), PROF_FIELD_NS(ns),
            PROF_FIELD_NS(cpu_ns), PROF_FIELD_NS(process_cpu_ns), PROF_FIELD_NS(sum.parts_ns),
            PROF_FIELD_NS(sum.blocked_ns), PROF_FIELD(shortest_ns, "nanoseconds", "min"),
            PROF_FIELD(longest, "number", ""), PROF_FIELD(longest_ns, "nanoseconds", "max"),
            PROF_FIELD(longest_cpu_ns, "nanoseconds", ""), PROF_FIELD(longest_figures.parts_ns, "nanoseconds", ""),
            PROF_FIELD(longest_figures.blocked_ns, "nanoseconds", ""));
PROF_FIELDS(SeriesPoint, PROF_FIELD(slot, "number", ""), PROF_FIELD(heap_high, "bytes", "max"),
            PROF_FIELD(heap_live, "bytes", "snapshot"), PROF_FIELD(maps_live, "bytes", "snapshot"),
            PROF_FIELD(python_live, "bytes", "snapshot"), PROF_FIELD(rss, "bytes", "snapshot"),
            PROF_FIELD(rss_high, "bytes", "max"), PROF_FIELD(cpu_ns, "nanoseconds", "snapshot"),
            PROF_FIELD(rss_file, "bytes", ""));
PROF_FIELDS(DevicePoint, PROF_FIELD(slot, "number", ""), PROF_FIELD(used_bytes, "bytes", "snapshot"),
            PROF_FIELD(own_bytes, "bytes", "snapshot"), PROF_FIELD(segments_live, "bytes", "snapshot"),
            PROF_FIELD(tensors_live, "bytes", "snapshot"), PROF_FIELD(energy_mj, "millijoules", "snapshot"),
            PROF_FIELD_PAIR(busy_percent, memory_busy_percent, "mean"),
            PROF_FIELD_PAIR(power_mw, temperature_c, "mean"), PROF_FIELD_PAIR(clock_mhz, memory_clock_mhz, "mean"));

#undef PROF_FIELD
#undef PROF_FIELD_PAIR
#undef PROF_FIELD_NS
#undef PROF_FIELD_COUNT
#undef PROF_FIELD_BYTES
#undef PROF_FIELDS_LEAST_AND_MOST
#undef PROF_FIELDS

}  // namespace fields

struct RecordFields {
  RecordClass id;
  std::string_view name;
  std::span<const Field> fields;
  RecordClass like = id;  // has the fields of that class
};

inline constexpr RecordFields kRecordFields[] = {
    {RecordClass::Cpu, "cpu", fields::OfCpuWords::all},
    {RecordClass::Heap, "heap", fields::OfHeapWords::all},
    {RecordClass::Map, "map", fields::OfHeapWords::all, RecordClass::Heap},
    {RecordClass::Calls, "calls", fields::OfCallWords::all},
    {RecordClass::Lines, "lines", fields::OfLineWords::all},
    {RecordClass::HeapOnce, "heap_once", fields::OfHeapOnceWords::all},
    {RecordClass::HeapSizes, "heap_sizes", fields::OfHeapSizesWords::all},
    {RecordClass::HeapGrowth, "heap_growth", fields::OfGrowthWords::all},
    {RecordClass::Copy, "copy", fields::OfCopyWords::all},
    {RecordClass::Python, "python", fields::OfHeapWords::all, RecordClass::Heap},
    {RecordClass::PythonOnce, "python_once", fields::OfHeapOnceWords::all, RecordClass::HeapOnce},
    {RecordClass::PythonSizes, "python_sizes", fields::OfHeapSizesWords::all, RecordClass::HeapSizes},
    {RecordClass::PythonGrowth, "python_growth", fields::OfGrowthWords::all, RecordClass::HeapGrowth},
    {RecordClass::MapGrowth, "map_growth", fields::OfGrowthWords::all, RecordClass::HeapGrowth},
    {RecordClass::Api, "api", fields::OfApiWords::all},
    {RecordClass::Device, "device", fields::OfDeviceWords::all},
    {RecordClass::Spread, "spread", fields::OfSpreadWords::all},
    {RecordClass::Idle, "idle", fields::OfIdleWords::all},
    {RecordClass::Range, "range", fields::OfRangeWords::all},
    {RecordClass::Segment, "segment", fields::OfHeapWords::all, RecordClass::Heap},
    {RecordClass::SegmentGrowth, "segment_growth", fields::OfGrowthWords::all, RecordClass::HeapGrowth},
    {RecordClass::Tensor, "tensor", fields::OfHeapWords::all, RecordClass::Heap},
    {RecordClass::TensorGrowth, "tensor_growth", fields::OfGrowthWords::all, RecordClass::HeapGrowth},
    {RecordClass::Wait, "wait", fields::OfWaitWords::all},
    {RecordClass::WaitTotal, "wait_total", fields::OfWaitTotalWords::all},
    {RecordClass::File, "file", fields::OfFileWords::all},
    {RecordClass::Lock, "lock", fields::OfLockWords::all},
    {RecordClass::Operator, "operator", fields::OfOperatorWords::all},
    {RecordClass::HeapBlock, "heap_block", fields::OfBlockWords::all},
    {RecordClass::PythonBlock, "python_block", fields::OfBlockWords::all, RecordClass::HeapBlock},
    {RecordClass::Hold, "hold", fields::OfHoldWords::all},
};

// The same of what has chunks of its own.
inline constexpr RecordFields kEntryFields[] = {
    {RecordClass::DevicePoint, "device_point", fields::OfDevicePoint::all},
    {RecordClass::SeriesPoint, "series_point", fields::OfSeriesPoint::all},
    {RecordClass::Step, "step", fields::OfStepRecord::all},
};

// The text of the Schema chunk: a line a class, as docs/log-format.md describes it. Calls `put` with each piece of it,
// a std::string_view; numbers are put as text.
template <class Put>
constexpr void write_schema(const Put& put) {
  const auto number = [&](std::size_t value) {
    char digits[20] = {};
    std::size_t at = sizeof(digits);
    do digits[--at] = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    put(std::string_view(digits + at, sizeof(digits) - at));
  };
  const auto line = [&](const RecordFields& record) {
    put("class ");
    number(static_cast<std::size_t>(record.id));
    put(" ");
    put(record.name);
    put(":");
    if (record.like != record.id) {
      put(" as class ");
      number(static_cast<std::size_t>(record.like));
    }
    for (const Field& field : record.fields) {
      if (record.like != record.id) break;
      put(&field == record.fields.data() ? " " : "; ");
      field.words() == 1 ? put(field.name) : number(field.words());
      put(" ");
      put(field.unit);
      if (!field.rule.empty()) put(" ");
      put(field.rule);
    }
    put("\n");
  };
  for (const RecordFields& record : kRecordFields) line(record);
  for (const RecordFields& record : kEntryFields) line(record);
}

// The same as one text, made by the compiler.
inline constexpr std::size_t kSchemaBytes = [] {
  std::size_t bytes = 0;
  write_schema([&](std::string_view piece) { bytes += piece.size(); });
  return bytes;
}();
inline constexpr std::array<char, kSchemaBytes> kSchema = [] {
  std::array<char, kSchemaBytes> text{};
  std::size_t at = 0;
  write_schema([&](std::string_view piece) {
    for (const char c : piece) text[at++] = c;
  });
  return text;
}();

}  // namespace prof::log
