#include <algorithm>
#include <map>

#include "report/read/chunks.hpp"
#include "report/read/device_chunks.hpp"
#include "report/read/frees.hpp"
#include "report/read/id_table.hpp"
#include "report/read/log_bytes.hpp"
#include "report/read/memory_chunks.hpp"
#include "report/read/raw_log.hpp"
#include "report/read/records.hpp"
#include "report/read/schema.hpp"
#include "report/read/step_chunks.hpp"
#include "report/read/strands.hpp"
#include "report/read/thread_use.hpp"

namespace prof::read {
namespace {

// Ids of frame words do not reach further.
constexpr std::size_t kMostModules = log::kMaxModules;

class Parser {
 public:
  Parser(Bytes earlier, Bytes later) : earlier_(earlier), later_(later) {
    log_.header = checked_header(later_);
    take_frees(log_.header, load<log::Header>(earlier_, 0));
    chunks_ = find_chunks(later_, log_.header, log_.damage);
    read_schema();
  }

  RawLog run() {
    IdTable nodes(words_in(log::ChunkType::Nodes)), frames(words_in(log::ChunkType::Frames));
    Strands strands(words_in(log::ChunkType::Strands) * sizeof(std::uint64_t));
    for (const Chunk& chunk : chunks_) {
      const Bytes content = later_.subspan(chunk.begin, chunk.end - chunk.begin);
      switch (chunk.header.type) {
        case log::ChunkType::Nodes:
          count_bad(nodes.add(chunk.header.first, content));
          break;
        case log::ChunkType::Frames:
          count_bad(frames.add(chunk.header.first, content));
          break;
        case log::ChunkType::Records:
          read_records(chunk, schema_, earlier_, later_, log_);
          break;
        case log::ChunkType::Strands:
          strands.add(chunk, earlier_, later_, log_);
          break;
        case log::ChunkType::Series:
          read_series(chunk, schema_, later_, log_);
          break;
        case log::ChunkType::Memory:
          read_memory(chunk, earlier_, later_, log_);
          break;
        case log::ChunkType::Threads:
          threads(chunk);
          break;
        case log::ChunkType::ThreadUse:
          read_thread_use(chunk, later_, log_);
          break;
        case log::ChunkType::Modules:
          modules(chunk);
          break;
        case log::ChunkType::Codes:
          codes(chunk);
          break;
        case log::ChunkType::Imports:
          imports(chunk);
          break;
        case log::ChunkType::Names:
          names(chunk);
          break;
        case log::ChunkType::Devices:
          read_devices(chunk, later_, log_);
          break;
        case log::ChunkType::DeviceSeries:
          read_device_series(chunk, schema_, later_, log_);
          break;
        case log::ChunkType::Trace:
          read_trace(chunk, later_, log_);
          break;
        case log::ChunkType::Steps:
          read_steps(chunk, schema_, later_, log_);
          break;
        case log::ChunkType::Info:
          infos(chunk);
          break;
        case log::ChunkType::Children:
          children(chunk);
          break;
        case log::ChunkType::Schema:  // was read before all others
        case log::ChunkType::Free:
          break;
        default:
          break;  // of a newer agent
      }
    }
    log_.nodes = nodes.take();
    log_.strands = strands.take();
    log_.frames = frames.take();
    for (auto& [slot, record] : threads_) log_.threads.push_back({slot, record});
    return std::move(log_);
  }

 private:
  // Of several the first one counts, as everywhere.
  void read_schema() {
    for (const Chunk& chunk : chunks_) {
      if (chunk.header.type != log::ChunkType::Schema) continue;
      const Bytes content = later_.subspan(chunk.begin, chunk.end - chunk.begin);
      log_.damage.bad_schema = !schema_.read({reinterpret_cast<const char*>(content.data()), content.size()});
      return;
    }
  }

  void count_bad(bool good) { log_.damage.bad_references += good ? 0 : 1; }

  std::uint64_t words_in(log::ChunkType type) const {
    std::uint64_t bytes = 0;
    for (const Chunk& chunk : chunks_) bytes += chunk.header.type == type ? chunk.end - chunk.begin : 0;
    return bytes / sizeof(std::uint64_t);
  }

  void threads(const Chunk& chunk) {
    std::uint64_t slot = chunk.header.first;
    for (std::size_t at = chunk.begin; at + sizeof(log::ThreadRecord) <= chunk.end; at += sizeof(log::ThreadRecord)) {
      auto record = load<log::ThreadRecord>(later_, at);
      if (record.state != static_cast<std::uint32_t>(log::ThreadState::Unused)) {
        if (slot > kLastSlot) {
          ++log_.damage.bad_references;
          return;
        }
        take_frees(record, load<log::ThreadRecord>(earlier_, at));
        threads_.try_emplace(static_cast<std::uint32_t>(slot), record);
      }
      ++slot;
    }
  }

  // Walks records that begin with their own length. False when the next one does not fit.
  template <typename Record>
  bool next(const Chunk& chunk, std::size_t& at, Record& record, Bytes& tail) {
    for (;; at += record.bytes & ~log::kUnfinished) {
      record = load<Record>(later_, at);
      if (at + sizeof(Record) > chunk.end || record.bytes == 0) return false;
      if ((record.bytes & log::kUnfinished) == 0) break;
      if (record.bytes % 8 != log::kUnfinished || record.bytes < 8) {
        ++log_.damage.bad_records;
        return false;
      }
    }
    if (record.bytes < sizeof(Record) || record.bytes % 8 != 0 || record.bytes > chunk.end - at) {
      ++log_.damage.bad_records;
      return false;
    }
    tail = later_.subspan(at + sizeof(Record), record.bytes - sizeof(Record));
    at += record.bytes;
    return true;
  }

  void modules(const Chunk& chunk) {
    log::ModuleRecord record{};
    Bytes tail;
    for (std::size_t at = chunk.begin; next(chunk, at, record, tail);) {
      const bool fits = record.path_bytes <= tail.size() && record.build_id_bytes <= sizeof record.build_id;
      if (!fits || record.id == 0 || record.id >= kMostModules) {
        ++log_.damage.bad_records;
        continue;
      }
      log_.modules.push_back({record, text(tail, 0, record.path_bytes)});
    }
  }

  void codes(const Chunk& chunk) {
    log::CodeRecord record{};
    Bytes tail;
    for (std::size_t at = chunk.begin; next(chunk, at, record, tail);) {
      const std::uint64_t texts = std::uint64_t{record.name_bytes} + record.qualname_bytes + record.file_bytes;
      if (texts + record.line_table_bytes > tail.size() || record.id == 0 || record.id >= log::kMaxCodes) {
        ++log_.damage.bad_records;
        continue;
      }
      std::size_t from = 0;
      const auto take = [&](std::uint32_t bytes) {
        from += bytes;
        return text(tail, from - bytes, bytes);
      };
      RawCode& code = log_.codes.emplace_back();
      code.record = record;
      code.name = take(record.name_bytes);
      code.qualname = take(record.qualname_bytes);
      code.file = take(record.file_bytes);
      code.line_table = take(record.line_table_bytes);
    }
  }

  void imports(const Chunk& chunk) {
    log::ImportRecord record{};
    Bytes tail;
    for (std::size_t at = chunk.begin; next(chunk, at, record, tail);) {
      if (record.name_bytes > tail.size()) {
        ++log_.damage.bad_records;
        continue;
      }
      log_.imports.push_back({record, text(tail, 0, record.name_bytes)});
    }
  }

  void names(const Chunk& chunk) {
    log::NameRecord record{};
    Bytes tail;
    for (std::size_t at = chunk.begin; next(chunk, at, record, tail);) {
      const std::uint64_t texts = std::uint64_t{record.name_bytes} + record.group_bytes;
      if (texts > tail.size() || record.id == 0 || record.id >= log::kMaxNames) {
        ++log_.damage.bad_records;
        continue;
      }
      log_.names.push_back(
          {record, text(tail, 0, record.name_bytes), text(tail, record.name_bytes, record.group_bytes)});
    }
  }

  void infos(const Chunk& chunk) {
    log::InfoRecord record{};
    Bytes tail;
    for (std::size_t at = chunk.begin; next(chunk, at, record, tail);) {
      if (record.value_bytes > tail.size()) {
        ++log_.damage.bad_records;
        continue;
      }
      log_.infos.push_back({record.key, text(tail, 0, record.value_bytes)});
    }
  }

  void children(const Chunk& chunk) {
    for (std::size_t at = chunk.begin; at + sizeof(log::ChildRecord) <= chunk.end; at += sizeof(log::ChildRecord)) {
      const auto record = load<log::ChildRecord>(later_, at);
      if (record.monotonic_ns != 0) log_.children.push_back(record);
    }
  }

  Bytes earlier_, later_;
  RawLog log_;
  Schema schema_;
  std::vector<Chunk> chunks_;
  std::map<std::uint32_t, log::ThreadRecord> threads_;
};

}  // namespace

RawLog parse(Bytes earlier, Bytes later) { return Parser(earlier, later).run(); }

}  // namespace prof::read
