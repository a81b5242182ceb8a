#include "report/model/wait_metrics.hpp"

#include <initializer_list>

namespace prof::model {
namespace {

void add(std::int64_t& to, std::int64_t value) { to = saturated_sum(to, value); }

std::int64_t sum(std::initializer_list<std::int64_t> values) {
  std::int64_t total = 0;
  for (const std::int64_t value : values) add(total, value);
  return total;
}

}  // namespace

std::int64_t WaitMetric::calls() const { return whole(count_units); }

WaitMetric& WaitMetric::operator+=(const WaitMetric& other) {
  add(count_units, other.count_units);
  add(ns, other.ns);
  add(cpu_ns, other.cpu_ns);
  add(samples, other.samples);
  return *this;
}

WaitTotal& WaitTotal::operator+=(const WaitTotal& other) {
  add(calls, other.calls);
  add(failed, other.failed);
  add(ns, other.ns);
  add(nested_ns, other.nested_ns);
  each += other.each;
  add(bytes, other.bytes);
  if (other.last_errno != 0) last_errno = other.last_errno;
  add(uncontended, other.uncontended);
  add(cpu_ns, other.cpu_ns);
  add(open, other.open);
  return *this;
}

std::int64_t FileMetric::calls() const { return sum({opens, reads, writes, syncs, seeks, polls, others}); }

std::int64_t FileMetric::ns() const { return sum({open_ns, read_ns, write_ns, sync_ns, poll_ns, other_ns}); }

FileMetric& FileMetric::operator+=(const FileMetric& other) {
  add(opens, other.opens);
  add(open_ns, other.open_ns);
  add(reads, other.reads);
  add(read_bytes, other.read_bytes);
  add(read_ns, other.read_ns);
  read_max_ns = std::max(read_max_ns, other.read_max_ns);
  add(sequential_reads, other.sequential_reads);
  add(slow_reads, other.slow_reads);
  add(slow_read_ns, other.slow_read_ns);
  add(writes, other.writes);
  add(write_bytes, other.write_bytes);
  add(write_ns, other.write_ns);
  write_max_ns = std::max(write_max_ns, other.write_max_ns);
  add(sequential_writes, other.sequential_writes);
  add(slow_writes, other.slow_writes);
  add(slow_write_ns, other.slow_write_ns);
  add(syncs, other.syncs);
  add(sync_ns, other.sync_ns);
  add(seeks, other.seeks);
  add(polls, other.polls);
  add(poll_ns, other.poll_ns);
  add(others, other.others);
  add(other_ns, other.other_ns);
  add(failed, other.failed);
  return *this;
}

LockMetric& LockMetric::operator+=(const LockMetric& other) {
  add(waits, other.waits);
  add(ns, other.ns);
  add(failed, other.failed);
  if (other.max_ns > max_ns) {
    max_ns = other.max_ns;
    longest_holder = other.longest_holder;
    longest_waiter = other.longest_waiter;
  }
  if (!created) created = other.created;
  return *this;
}

}  // namespace prof::model
