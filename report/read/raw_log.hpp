// What one log says, checked but not yet understood: ids are still those of the writer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/log/format.hpp"
#include "report/read/bytes.hpp"
#include "report/read/damage.hpp"

namespace prof::read {

template <typename Words>
struct RawRecord {
  std::uint32_t node = 0;
  std::uint32_t slot = 0;  // of the thread
  Words words{};
};

struct RawThread {
  std::uint32_t slot = 0;
  log::ThreadRecord record{};
};

struct RawModule {
  log::ModuleRecord record{};
  std::string path;
};

struct RawCode {
  log::CodeRecord record{};
  std::string name, qualname, file, line_table;
};

struct RawImport {
  log::ImportRecord record{};
  std::string name;
};

struct RawInfo {
  std::uint16_t key = 0;  // log::InfoKey, or one that a newer agent uses
  std::string value;
};

struct RawLog {
  log::Header header{};
  std::vector<std::uint64_t> nodes;   // node words by id; 0: no such node
  std::vector<std::uint64_t> frames;  // frame words by id; 0: no such frame
  std::vector<RawRecord<log::CpuWords>> cpu;
  std::vector<RawRecord<log::HeapWords>> heap;
  std::vector<RawRecord<log::HeapWords>> maps;
  std::vector<RawRecord<log::CallWords>> calls;
  std::vector<RawRecord<log::LineWords>> lines;
  std::vector<RawThread> threads;  // each slot once, in order
  std::vector<RawModule> modules;
  std::vector<RawCode> codes;
  std::vector<RawImport> imports;
  std::vector<RawInfo> infos;
  std::vector<log::ChildRecord> children;
  Damage damage;
};

// Reads a whole log that was copied twice; both may be the same bytes. Throws LogError for a header that cannot be
// used; everything behind the header may be anything.
RawLog parse(Bytes earlier, Bytes later);

}  // namespace prof::read
