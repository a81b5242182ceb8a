// Steps in a log that a test makes: format_steps.hpp.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/support/log_builder.hpp"

namespace prof::test {

inline std::uint64_t& part_of(log::StepFigures& figures, log::StepPart part) {
  return figures.parts_ns[static_cast<std::size_t>(part)];
}
inline std::uint64_t& blocked_of(log::StepFigures& figures, log::WaitClass what) {
  return figures.blocked_ns[static_cast<std::size_t>(what)];
}

// One step, without any part.
inline log::StepRecord step_record(std::uint64_t number, std::uint64_t begin_ns, std::uint64_t ns) {
  log::StepRecord record{};
  record.count = 1;
  record.first = number;
  record.begin_ns = begin_ns;
  record.end_ns = begin_ns + ns;
  record.ns = ns;
  return record;
}

// The first `count` steps: one begins each 0.1 s, and each takes 1 ms more than the one before it.
inline std::vector<log::StepRecord> step_records(std::uint64_t count) {
  constexpr std::uint64_t kMillisecond = 1'000'000;
  std::vector<log::StepRecord> out;
  for (std::uint64_t i = 1; i <= count; ++i) out.push_back(step_record(i, i * 100 * kMillisecond, i * kMillisecond));
  return out;
}

// Two neighbours in one record, as the agent merges them.
inline log::StepRecord merged(log::StepRecord a, log::StepRecord b) {
  for (log::StepRecord* r : {&a, &b}) {
    if (r->count != 1) continue;
    r->shortest_ns = r->longest_ns = r->ns;
    r->longest = r->first;
    r->longest_cpu_ns = r->cpu_ns;
    r->longest_figures = r->sum;
  }
  const log::StepRecord& longer = b.longest_ns > a.longest_ns ? b : a;
  log::StepRecord out = a;
  out.count += b.count;
  out.end_ns = b.end_ns;
  out.ns += b.ns;
  out.cpu_ns += b.cpu_ns;
  out.process_cpu_ns += b.process_cpu_ns;
  for (std::size_t i = 0; i < log::kStepParts; ++i) out.sum.parts_ns[i] += b.sum.parts_ns[i];
  for (std::size_t i = 0; i < log::kWaitClasses; ++i) out.sum.blocked_ns[i] += b.sum.blocked_ns[i];
  out.shortest_ns = std::min(a.shortest_ns, b.shortest_ns);
  out.longest = longer.longest;
  out.longest_ns = longer.longest_ns;
  out.longest_cpu_ns = longer.longest_cpu_ns;
  out.longest_figures = longer.longest_figures;
  return out;
}

// Steps of the thread 1000.
inline log::StepsHeader steps_header(log::StepSource source, std::uint64_t frame = 0, std::uint64_t per = 1) {
  log::StepsHeader header{};
  header.record_words = log::kStepRecordWords;
  header.frame = frame;
  header.source = source;
  header.tid = 1000;
  header.per = per;
  return header;
}

// A chunk with room for just these records, each of its first `words` words.
inline void add_steps(LogBuilder& log, log::StepsHeader header, const std::vector<log::StepRecord>& records,
                      std::uint32_t words = log::kStepRecordWords) {
  header.records = static_cast<std::uint32_t>(records.size());
  header.record_words = words;
  if (records.size() > header.records) header.records = static_cast<std::uint32_t>(records.size());
  ByteVector content;
  append(content, header);
  for (const log::StepRecord& record : records) {
    std::uint64_t all[log::kStepRecordWords];
    std::memcpy(all, &record, sizeof(all));
    for (std::uint32_t i = 0; i < words; ++i) append(content, all[i]);
  }
  log.chunk(log::ChunkType::Steps, content);
}

}  // namespace prof::test
