// Writes logs in memory, as the agent would, for tests of the reader: valid ones, and ones to be damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "agent/contract/format.hpp"
#include "tests/support/log_bytes.hpp"
#include "tests/support/log_strands.hpp"
#include "tests/support/log_tables.hpp"

namespace prof::test {

// The words of a memory record that both modes write.
inline log::HeapWords memory_words(std::uint64_t count, std::uint64_t bytes, std::uint64_t freed_count,
                                   std::uint64_t freed_bytes, std::uint64_t at_peak, std::uint64_t epoch,
                                   std::uint64_t samples) {
  log::HeapWords words{};
  words.count = count;
  words.bytes = bytes;
  words.freed_count = freed_count;
  words.freed_bytes = freed_bytes;
  words.at_peak = at_peak;
  words.epoch = epoch;
  words.samples = samples;
  return words;
}

class LogBuilder : public LogTables {
 public:
  LogBuilder() {
    header.magic = log::kMagic;
    header.byte_order = log::kByteOrder;
    header.major = log::kMajor;
    header.minor = log::kMinor;
    header.header_bytes = log::kHeaderBytes;
    header.granule = log::kGranule;
    header.run_id = 0x1234;
    header.log_id = 0x77;
    header.pid = 100;
    header.ppid = 1;
    header.start_ticks = 5000;
    header.origin = log::Origin::Started;
    header.rank = -1;
    header.start_realtime_ns = 1'700'000'000'000'000'000;
    header.start_monotonic_ns = 1'000'000'000;
    header.last_monotonic_ns = header.end_monotonic_ns = 3'000'000'000;
    header.sample_period_ns = 10'000'000;
    header.end = log::End::Exited;
    header.heap.epoch = header.maps.epoch = 1;
  }

  log::Header header{};

  void cpu(std::uint32_t node, std::uint64_t samples, std::uint64_t ns, std::uint32_t slot = 0) {
    ByteVector& to = records_[log::region_of(slot, log::RegionKind::Signal)];
    append(to, log::record_header(node, log::RecordClass::Cpu, log::kCpuWordCount));
    append(to, log::CpuWords{samples, ns});
  }
  void memory(log::RecordClass kind, std::uint32_t node, const log::HeapWords& words, std::uint32_t slot = 0) {
    ByteVector& to = records_[log::region_of(slot, log::RegionKind::Ordinary)];
    append(to, log::record_header(node, kind, log::kHeapWordCount));
    append(to, words);
  }
  void calls(std::uint32_t node, const log::CallWords& words, std::uint32_t slot = 0) {
    ByteVector& to = records_[log::region_of(slot, log::RegionKind::Ordinary)];
    append(to, log::record_header(node, log::RecordClass::Calls, log::kCallWordCount));
    append(to, words);
  }
  void lines(std::uint32_t node, const log::LineWords& words, std::uint32_t slot = 0) {
    ByteVector& to = records_[log::region_of(slot, log::RegionKind::Ordinary)];
    append(to, log::record_header(node, log::RecordClass::Lines, log::kLineWordCount));
    append(to, words);
  }
  // A record of any class; `Words` are what the class has.
  template <typename Words>
  void record(log::RecordClass what, std::uint32_t node, const Words& words, std::uint32_t slot = 0,
              log::RegionKind kind = log::RegionKind::Ordinary) {
    ByteVector& to = records_[log::region_of(slot, kind)];
    append(to, log::record_header(node, what, sizeof(Words) / 8));
    append(to, words);
  }
  // A block that is the only one of its context; `freed_epoch` 0: it lives.
  void once(std::uint32_t node, std::uint64_t bytes, std::uint64_t epoch, std::uint64_t freed_epoch = 0,
            std::uint64_t flags = 0, log::RecordClass what = log::RecordClass::HeapOnce) {
    record(what, node, log::HeapOnceWords{bytes << log::kOnceFlagBits | flags, freed_epoch << 32 | epoch});
  }
  // Further small blocks of a context.
  void block(std::uint32_t node, std::uint32_t bytes, std::uint32_t epoch, std::uint32_t life = log::kBlockMalloc,
             log::RecordClass what = log::RecordClass::HeapBlock) {
    record(what, node, log::BlockWords{std::uint64_t{log::block_of(bytes, epoch)} << 32 | life});
  }
  // A strand of the next numbers; returns the node of its innermost frame. `life` 0: it has no block.
  std::uint32_t strand(std::uint32_t parent, const std::vector<std::uint32_t>& frames, std::uint32_t bytes = 0,
                       std::uint32_t epoch = 0, std::uint32_t life = 0, std::uint32_t slot = 0) {
    next_strand_ += static_cast<std::uint32_t>(frames.size());
    return this->strand(Strand{next_strand_ - 1, parent, frames, log::block_of(bytes, epoch), life}, slot);
  }
  std::uint32_t strand(const Strand& strand, std::uint32_t slot = 0) {
    append_strand(strands_[log::region_of(slot, log::RegionKind::Ordinary)], strand);
    return strand.node();
  }
  // The live bytes of a context at the moments of `shift`; give the context a memory() record of its own.
  void growth(std::uint32_t node, const std::vector<std::int64_t>& live, std::uint64_t shift = 0,
              log::RecordClass what = log::RecordClass::HeapGrowth, std::uint32_t slot = 0) {
    log::GrowthWords words{};
    words.state = shift << 32 | live.size();
    for (std::size_t i = 0; i < live.size() && i < log::kCheckpoints; ++i) words.live[i] = live[i];
    record(what, node, words, slot);
  }
  // The points go to array `active`; the other one holds what no reader should see.
  void series(const std::vector<log::SeriesPoint>& points, std::uint64_t shift = 0, std::uint64_t active = 0) {
    chunk(log::ChunkType::Series, series_content(points, log::kSeriesBaseNs, shift, active));
  }
  void resident(const log::MemoryRecord& last, const log::MemoryRecord& high) {
    ByteVector content;
    append(content, last);
    append(content, high);
    chunk(log::ChunkType::Memory, content);
  }
  void raw_record(std::uint64_t head, const std::vector<std::uint64_t>& words, std::uint32_t slot = 0) {
    ByteVector& to = records_[log::region_of(slot, log::RegionKind::Ordinary)];
    append(to, head);
    for (const std::uint64_t word : words) append(to, word);
  }

  // The record of a slot, made on first use; running, as thread 1000 + slot.
  log::ThreadRecord& thread(std::uint32_t slot) {
    if (slot >= threads_.size()) threads_.resize(slot + 1);
    log::ThreadRecord& record = threads_[slot];
    if (record.state == 0) {
      record.state = static_cast<std::uint32_t>(log::ThreadState::Running);
      record.tid = 1000 + slot;
      record.start_ns = header.start_monotonic_ns;
    }
    return record;
  }

  // What the system says of threads, from slot 0 on.
  void thread_uses(const std::vector<log::ThreadUseRecord>& records) {
    ByteVector content;
    for (const log::ThreadUseRecord& record : records) append(content, record);
    chunk(log::ChunkType::ThreadUse, content);
  }

  // Devices from index 0 on.
  void devices(const std::vector<log::DeviceRecord>& records) {
    ByteVector content;
    for (const log::DeviceRecord& record : records) append(content, record);
    chunk(log::ChunkType::Devices, content);
  }
  void device_series(std::uint32_t device, const std::vector<log::DevicePoint>& points) {
    chunk(log::ChunkType::DeviceSeries, series_content(points, log::kDeviceSeriesBaseNs, 0, 0), device);
  }
  // A ring of `room` events of which `written` were ever written; `events` are the last ones, in their order.
  void trace(const std::vector<log::TraceEvent>& events, std::uint32_t room, std::uint64_t written) {
    log::TraceHeader head{};
    head.next = written;
    head.events = room;
    head.event_bytes = sizeof(log::TraceEvent);
    std::vector<log::TraceEvent> ring(room);
    std::uint64_t at = written - events.size();
    for (const log::TraceEvent& event : events) {
      ring[at % room] = event;
      ring[at % room].sequence = at + 1;
      ++at;
    }
    ByteVector content;
    append(content, head);
    for (const log::TraceEvent& event : ring) append(content, event);
    chunk(log::ChunkType::Trace, content);
  }

  // Steps, in room for so many; `head` need not say how large its records are.
  void steps(log::StepsHeader head, const std::vector<log::StepRecord>& records, std::uint32_t room) {
    head.records = room;
    if (head.record_words == 0) head.record_words = log::kStepRecordWords;
    std::vector<log::StepRecord> all = records;
    all.resize(room);
    ByteVector content;
    append(content, head);
    for (const log::StepRecord& record : all) append(content, record);
    chunk(log::ChunkType::Steps, content);
  }

  // Any chunk, behind the others.
  void chunk(log::ChunkType type, const ByteVector& content, std::uint32_t owner = 0, std::uint64_t first = 0) {
    extra_.push_back({type, owner, first, content});
  }
  // Granules of zeros behind the others, as a killed process leaves them.
  void hole(std::size_t granules) { extra_.push_back({log::ChunkType::Free, 0, granules, {}}); }

  ByteVector bytes() const {
    ByteVector file(log::kHeaderBytes);
    put_tree(file);
    for (const auto& [region, content] : records_) append_chunk(file, log::ChunkType::Records, region, 0, content);
    for (const auto& [region, content] : strands_) append_chunk(file, log::ChunkType::Strands, region, 0, content);
    ByteVector threads;
    for (const log::ThreadRecord& record : threads_) append(threads, record);
    append_chunk(file, log::ChunkType::Threads, 0, 0, threads);
    put_texts(file);
    for (const Extra& extra : extra_) {
      if (extra.type == log::ChunkType::Free) {
        file.resize(file.size() + extra.first * log::kGranule);
      } else {
        append_chunk(file, extra.type, extra.owner, extra.first, extra.content);
      }
    }
    log::Header final = header;
    final.tail = file.size();
    final.committed = file.size();
    count_in(final);
    final.strands = next_strand_;
    final.threads = static_cast<std::uint32_t>(threads_.size());
    std::memcpy(file.data(), &final, sizeof final);
    return file;
  }

  static void write(const std::filesystem::path& path, const ByteVector& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  void write(const std::filesystem::path& path) const { write(path, bytes()); }

 private:
  struct Extra {
    log::ChunkType type;
    std::uint32_t owner;
    std::uint64_t first;
    ByteVector content;
  };

  template <typename Point>
  ByteVector series_content(const std::vector<Point>& points, std::uint64_t base_ns, std::uint64_t shift,
                            std::uint64_t active) const {
    log::SeriesHeader series{};
    series.published = std::uint64_t{1} << 32 | shift << 24 | active << 16 | points.size();
    series.start_ns = header.start_monotonic_ns;
    series.base_ns = base_ns;
    series.points = static_cast<std::uint32_t>(points.size());
    series.point_bytes = sizeof(Point);
    ByteVector content, unused(points.size() * sizeof(Point), std::byte{0xee});
    append(content, series);
    if (active != 0) content.insert(content.end(), unused.begin(), unused.end());
    for (const Point& point : points) append(content, point);
    if (active == 0) content.insert(content.end(), unused.begin(), unused.end());
    return content;
  }

  std::map<std::uint32_t, ByteVector> records_, strands_;  // by region
  std::uint32_t next_strand_ = 1;
  std::vector<log::ThreadRecord> threads_;
  std::vector<Extra> extra_;
};

}  // namespace prof::test
