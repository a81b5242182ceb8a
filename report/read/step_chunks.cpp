#include "report/read/step_chunks.hpp"

namespace prof::read {
namespace {

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 53;  // so that sums of some are still exact, as doubles, too

}  // namespace

void read_steps(const Chunk& chunk, const Schema& schema, Bytes later, RawLog& log) {
  if (chunk.end - chunk.begin < sizeof(log::StepsHeader)) return;
  RawSteps steps;
  steps.header = load<log::StepsHeader>(later, chunk.begin);
  if (steps.header.records == 0) return;  // it was being made
  const std::uint64_t record_bytes = std::uint64_t{steps.header.record_words} * 8;
  const std::uint64_t room = chunk.end - chunk.begin - sizeof(log::StepsHeader);
  if (record_bytes < sizeof(std::uint64_t) || steps.header.records > room / record_bytes) {
    ++log.damage.bad_records;
    return;
  }
  std::uint64_t next = 1;  // number of the first step that is not there yet
  std::size_t at = chunk.begin + sizeof(log::StepsHeader);
  for (std::uint64_t i = 0; i < steps.header.records; ++i, at += record_bytes) {
    const auto record = schema.words<log::StepRecord>(log::RecordClass::Step, part(later, at, record_bytes));
    if (record.count == 0 || record.first < next) continue;
    if (record.first > kMostSteps || record.count > kMostSteps - record.first) {
      ++log.damage.bad_records;
      continue;
    }
    next = record.first + record.count;
    steps.records.push_back(record);
  }
  if (!log.steps || steps.records.size() > log.steps->records.size()) log.steps = std::move(steps);
}

}  // namespace prof::read
