// A log as it stands in the file, for tests of what the agent wrote rather than of what a report makes of it.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agent/contract/format.hpp"

namespace prof::test {

class LogFile {
 public:
  explicit LogFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    if (bytes_.size() < sizeof(log::Header)) throw std::runtime_error("no log: " + path.string());
    std::memcpy(&header, bytes_.data(), sizeof header);
  }

  log::Header header{};

  // All chunks of a type: the header, and what stands behind it.
  std::vector<std::pair<log::ChunkHeader, std::string>> headed_chunks(log::ChunkType type) const {
    std::vector<std::pair<log::ChunkHeader, std::string>> found;
    const std::uint64_t end = std::min<std::uint64_t>(header.tail, bytes_.size());
    for (std::uint64_t at = log::kHeaderBytes; at + sizeof(log::ChunkHeader) <= end;) {
      log::ChunkHeader chunk{};
      std::memcpy(&chunk, bytes_.data() + at, sizeof chunk);
      if (chunk.magic != log::kChunkMagic || chunk.offset != at || chunk.bytes == 0 || at + chunk.bytes > end) {
        at += log::kGranule;
        continue;
      }
      if (chunk.type == type) found.emplace_back(chunk, bytes_.substr(at + sizeof chunk, chunk.bytes - sizeof chunk));
      at += chunk.bytes;
    }
    return found;
  }
  std::vector<std::string> chunks(log::ChunkType type) const {
    std::vector<std::string> found;
    for (auto& [chunk, content] : headed_chunks(type)) found.push_back(std::move(content));
    return found;
  }

  // Entry `i` of a chunk's content.
  template <class T>
  static T entry(const std::string& content, std::size_t i, std::size_t from = 0) {
    T value{};
    if (from + (i + 1) * sizeof value > content.size()) throw std::runtime_error("entry outside its chunk");
    std::memcpy(&value, content.data() + from + i * sizeof value, sizeof value);
    return value;
  }

  // The sum of an exact counter over all threads.
  std::uint64_t sum(std::uint64_t log::ThreadRecord::*counter) const {
    std::uint64_t total = 0;
    for (const std::string& content : chunks(log::ChunkType::Threads)) {
      for (std::size_t i = 0; i < content.size() / sizeof(log::ThreadRecord); ++i) {
        total += entry<log::ThreadRecord>(content, i).*counter;
      }
    }
    return total;
  }

  // The words of all records of a class.
  template <class Words>
  std::vector<Words> records(log::RecordClass wanted) const {
    std::vector<Words> found;
    for (const std::string& content : chunks(log::ChunkType::Records)) {
      for (std::size_t at = 0; at + 8 <= content.size();) {
        const auto head = entry<std::uint64_t>(content, 0, at);
        if (head == 0) break;
        if (log::record_class(head) == wanted) found.push_back(entry<Words>(content, 0, at + 8));
        at += 8 + std::size_t{8} * log::record_words(head);
      }
    }
    return found;
  }

  // The points of the memory series, oldest first; none where there is no series.
  std::vector<log::SeriesPoint> series() const {
    std::vector<log::SeriesPoint> points;
    for (const std::string& content : chunks(log::ChunkType::Series)) {
      const auto head = entry<log::SeriesHeader>(content, 0);
      const std::size_t active = head.published >> 16 & 1, count = head.published & 0xffff;
      for (std::size_t i = 0; i < count; ++i) {
        points.push_back(entry<log::SeriesPoint>(content, active * head.points + i, sizeof head));
      }
    }
    return points;
  }

 private:
  std::string bytes_;
};

}  // namespace prof::test
