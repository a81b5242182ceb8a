#include "report/model/wait_metrics.hpp"

#include <initializer_list>

#include "report/model/metric_words.hpp"

namespace prof::model {
namespace {

std::int64_t sum(std::initializer_list<std::int64_t> values) {
  std::int64_t total = 0;
  for (const std::int64_t value : values) total = saturated_sum(total, value);
  return total;
}

}  // namespace

PROF_METRIC(WaitMetric, log::WaitWords, PROF_AS(count, count_units), PROF_SAME(ns), PROF_SAME(samples));
PROF_METRIC(HoldMetric, log::HoldWords, PROF_SAME(count), PROF_SAME(ns), PROF_SAME(max_ns), PROF_SAME(events),
            PROF_SAME(busy_ns));
PROF_METRIC(WaitTotal, log::WaitTotalWords, PROF_SAME(calls), PROF_SAME(failed), PROF_AS(total_ns, ns),
            PROF_SAME(nested_ns), PROF_LEAST_AND_MOST, PROF_SAME(bytes), PROF_SAME(last_errno), PROF_SAME(uncontended));
PROF_METRIC(FileMetric, log::FileWords, PROF_SAME(opens), PROF_SAME(open_ns), PROF_SAME(reads), PROF_SAME(read_bytes),
            PROF_SAME(read_ns), PROF_SAME(read_max_ns), PROF_SAME(sequential_reads), PROF_SAME(slow_reads),
            PROF_SAME(slow_read_ns), PROF_SAME(writes), PROF_SAME(write_bytes), PROF_SAME(write_ns),
            PROF_SAME(write_max_ns), PROF_SAME(sequential_writes), PROF_SAME(slow_writes), PROF_SAME(slow_write_ns),
            PROF_SAME(syncs), PROF_SAME(sync_ns), PROF_SAME(seeks), PROF_SAME(polls), PROF_SAME(poll_ns),
            PROF_SAME(others), PROF_SAME(other_ns), PROF_SAME(failed), PROF_SAME(answers), PROF_SAME(answer_ns),
            PROF_SAME(answering_ns), PROF_NOT_SHOWN(answered_until));
// What belongs to the longest wait is taken with it, and what names a place or a kind is no figure: by hand.
PROF_METRIC(LockMetric, log::LockWords, PROF_SAME(waits), PROF_SAME(ns), PROF_SAME(failed), PROF_BY_HAND(kind),
            PROF_BY_HAND(max_ns), PROF_BY_HAND(longest_holder), PROF_BY_HAND(longest_waiter), PROF_BY_HAND(created),
            PROF_BY_HAND(holder_node), PROF_BY_HAND(stack_of));

WaitMetric metric_of(const log::WaitWords& words) { return metric_from<WaitMetric>(words); }
HoldMetric metric_of(const log::HoldWords& words) { return metric_from<HoldMetric>(words); }
WaitTotal metric_of(const log::WaitTotalWords& words) { return metric_from<WaitTotal>(words); }
FileMetric metric_of(const log::FileWords& words) { return metric_from<FileMetric>(words); }
LockMetric metric_of(const log::LockWords& words, const std::function<std::uint32_t(std::uint32_t)>& node_of) {
  const auto node = [&](std::uint64_t id) {
    return id == 0 || id > UINT32_MAX ? std::nullopt : std::optional(node_of(static_cast<std::uint32_t>(id)));
  };
  auto lock = metric_from<LockMetric>(words);
  lock.kind = static_cast<log::LockKind>(words.kind);
  lock.max_ns = to_signed(words.max_ns);
  lock.longest_holder = words.longest_holder <= UINT32_MAX ? static_cast<std::uint32_t>(words.longest_holder) : 0;
  lock.longest_waiter = node(words.longest_waiter);
  lock.created = node(words.created);
  lock.holder_node = node(words.holder_node);
  lock.stack_of = words.stack_of <= UINT32_MAX ? static_cast<std::uint32_t>(words.stack_of) : 0;
  return lock;
}

std::int64_t WaitMetric::calls() const { return whole(count_units); }

std::int64_t FileMetric::calls() const { return sum({opens, reads, writes, syncs, seeks, polls, others}); }

std::int64_t FileMetric::ns() const { return sum({open_ns, read_ns, write_ns, sync_ns, poll_ns, other_ns}); }

HoldMetric& HoldMetric::operator+=(const HoldMetric& other) { return add_up(*this, other); }
FileMetric& FileMetric::operator+=(const FileMetric& other) { return add_up(*this, other); }
WaitMetric& WaitMetric::operator+=(const WaitMetric& other) {
  cpu_ns = saturated_sum(cpu_ns, other.cpu_ns);
  return add_up(*this, other);
}
WaitTotal& WaitTotal::operator+=(const WaitTotal& other) {
  cpu_ns = saturated_sum(cpu_ns, other.cpu_ns);
  open = saturated_sum(open, other.open);
  return add_up(*this, other);
}
LockMetric& LockMetric::operator+=(const LockMetric& other) {
  if (other.max_ns > max_ns) {
    max_ns = other.max_ns;
    longest_holder = other.longest_holder;
    longest_waiter = other.longest_waiter;
    holder_node = other.holder_node;
  }
  if (!created) created = other.created;
  if (stack_of == 0) stack_of = other.stack_of;
  return add_up(*this, other);
}

}  // namespace prof::model
