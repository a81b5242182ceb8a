// The steps that the agent under test has put into its log.
#pragma once

#include <vector>

#include "tests/support/agent_log.hpp"

namespace prof::test {

struct LoggedSteps {
  std::uint32_t chunks = 0;
  log::StepsHeader header{};
  std::vector<log::StepRecord> records;  // those that are there, in their order
};

// Of the last chunk of steps.
inline LoggedSteps logged_steps() {
  LoggedSteps steps;
  log::Header& h = agent_log();
  char* const window = reinterpret_cast<char*>(&h);
  for (std::uint64_t at = log::kHeaderBytes; at < h.tail;) {
    auto* chunk = reinterpret_cast<log::ChunkHeader*>(window + at);
    at += chunk->bytes;
    if (chunk->type != log::ChunkType::Steps) continue;
    ++steps.chunks;
    steps.records.clear();
    steps.header = *log::content<log::StepsHeader>(chunk);
    REQUIRE(steps.header.record_words == log::kStepRecordWords);
    const auto* records = reinterpret_cast<const log::StepRecord*>(log::content<log::StepsHeader>(chunk) + 1);
    REQUIRE(reinterpret_cast<const char*>(records + steps.header.records) <= window + at);
    for (std::uint32_t i = 0; i < steps.header.records; ++i) {
      if (records[i].count != 0) steps.records.push_back(records[i]);
    }
  }
  return steps;
}

inline std::uint64_t part_of(const log::StepFigures& figures, log::StepPart part) {
  return figures.parts_ns[static_cast<std::size_t>(part)];
}

inline std::uint64_t sum_of_parts(const log::StepFigures& figures) {
  std::uint64_t sum = 0;
  for (const std::uint64_t ns : figures.parts_ns) sum += ns;
  return sum;
}

}  // namespace prof::test
