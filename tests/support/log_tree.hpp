// The context tree of a log with its named frames: which records hang below which ranges and calls.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/log_file.hpp"
#include "tests/support/log_strands.hpp"

namespace prof::test {

// In a path: what the profiler's own CPU time stands below.
inline const std::string kOfProfiler =
    "(" + std::to_string(static_cast<std::uint64_t>(log::SpecialFrame::Profiler)) + ")";

class LogTree {
 public:
  explicit LogTree(const std::filesystem::path& path) : file_(path) {
    read_names();
    nodes_ = words_by_id(log::ChunkType::Nodes);
    frames_ = words_by_id(log::ChunkType::Frames);
    for (const std::string& content : file_.chunks(log::ChunkType::Strands)) {
      for (const Strand& strand : strands_in(content)) add(strand);
    }
  }

  const LogFile& file() const { return file_; }
  std::uint64_t loss(log::Loss reason) const { return file_.header.loss[static_cast<std::size_t>(reason)]; }

  // The named frames on the way to a node, the outermost first: "text", or "group/text" where the name has a group; and
  // special frames as "(N)". Other frames are left out.
  std::vector<std::string> path(std::uint32_t node) const {
    std::vector<std::string> names;
    for (auto at = nodes_.find(node); at != nodes_.end(); at = nodes_.find(log::node_parent(at->second))) {
      const auto frame = frames_.find(static_cast<std::uint32_t>(at->second));
      if (frame == frames_.end()) continue;
      if (log::frame_kind(frame->second) == log::FrameKind::Named)
        names.insert(names.begin(), name(frame->second));
      else if (log::frame_kind(frame->second) == log::FrameKind::Special)
        names.insert(names.begin(), "(" + std::to_string(log::frame_payload(frame->second)) + ")");
    }
    return names;
  }
  // All frame words on the way to a node, the outermost first.
  std::vector<std::uint64_t> frames_of(std::uint32_t node) const {
    std::vector<std::uint64_t> words;
    for (auto at = nodes_.find(node); at != nodes_.end(); at = nodes_.find(log::node_parent(at->second))) {
      const auto frame = frames_.find(static_cast<std::uint32_t>(at->second));
      words.insert(words.begin(), frame == frames_.end() ? 0 : frame->second);
    }
    return words;
  }
  // The address in the process that a Native or Anonymous frame stands for; 0: another frame.
  std::uint64_t address_of(std::uint64_t frame) const {
    if (log::frame_kind(frame) == log::FrameKind::Anonymous) return log::frame_payload(frame);
    if (log::frame_kind(frame) != log::FrameKind::Native) return 0;
    for (const std::string& content : file_.chunks(log::ChunkType::Modules)) {
      for (std::size_t at = 0; at + sizeof(log::ModuleRecord) <= content.size();) {
        const auto r = LogFile::entry<log::ModuleRecord>(content, 0, at);
        if (r.bytes == 0) break;
        if ((r.bytes & log::kUnfinished) == 0 && r.id == log::frame_module(frame))
          return r.bias + log::frame_address(frame);
        at += r.bytes & ~log::kUnfinished;
      }
    }
    return 0;
  }
  std::string name(std::uint64_t frame) const {
    const auto found = names_.find(log::frame_name(frame));
    return found == names_.end() ? "?" : found->second;
  }

  template <class Words>
  struct Row {
    std::uint32_t node;
    std::vector<std::string> path;
    Words words;
    // Whether it hangs below a frame of that name, or is that frame's own.
    bool below(const std::string& frame_name) const {
      return std::find(path.begin(), path.end(), frame_name) != path.end();
    }
  };
  template <class Words>
  std::vector<Row<Words>> rows(log::RecordClass wanted) const {
    std::vector<Row<Words>> found;
    for (const std::string& content : file_.chunks(log::ChunkType::Records)) {
      for (std::size_t at = 0; at + 8 <= content.size();) {
        const auto head = LogFile::entry<std::uint64_t>(content, 0, at);
        if (head == 0) break;
        if (log::record_class(head) == wanted)
          found.push_back(
              {log::record_node(head), path(log::record_node(head)), LogFile::entry<Words>(content, 0, at + 8)});
        at += 8 + std::size_t{8} * log::record_words(head);
      }
    }
    return found;
  }

  // The sizes of malloc's blocks that are told one by one.
  std::vector<Row<std::uint64_t>> single_blocks() const {
    std::vector<Row<std::uint64_t>> found;
    for (const auto& row : rows<log::HeapOnceWords>(log::RecordClass::HeapOnce))
      found.push_back({row.node, row.path, row.words.bytes_flags >> log::kOnceFlagBits});
    for (const auto& row : rows<log::BlockWords>(log::RecordClass::HeapBlock))
      found.push_back({row.node, row.path, log::block_bytes(static_cast<std::uint32_t>(row.words.block >> 32))});
    for (const Strand& strand : strands_) {
      if ((strand.life & log::kBlockKinds) == log::kBlockMalloc)
        found.push_back({strand.node(), path(strand.node()), log::block_bytes(strand.block)});
    }
    return found;
  }

  // A number of all records of a class below a name, added up.
  template <class Words>
  std::uint64_t sum(log::RecordClass wanted, std::uint64_t Words::*number, const std::string& below) const {
    std::uint64_t total = 0;
    for (const auto& row : rows<Words>(wanted)) {
      if (row.below(below)) total += row.words.*number;
    }
    return total;
  }

  // Texts about the process with that key.
  std::vector<std::string> info(log::InfoKey key) const {
    std::vector<std::string> found;
    for (const std::string& content : file_.chunks(log::ChunkType::Info)) {
      for (std::size_t at = 0; at + sizeof(log::InfoRecord) <= content.size();) {
        const auto r = LogFile::entry<log::InfoRecord>(content, 0, at);
        if (r.bytes == 0) break;
        if (r.key == static_cast<std::uint16_t>(key)) found.push_back(content.substr(at + sizeof r, r.value_bytes));
        at += r.bytes & ~log::kUnfinished;
      }
    }
    return found;
  }

 private:
  void add(const Strand& strand) {
    std::uint32_t parent = strand.parent;
    for (std::uint32_t i = 0; i < strand.frames.size(); ++i) {
      const std::uint32_t node = log::kStrandNodes + strand.first() + i;
      nodes_[node] = log::node_word(parent, strand.frames[i]);
      parent = node;
    }
    strands_.push_back(strand);
  }

  void read_names() {
    for (const std::string& content : file_.chunks(log::ChunkType::Names)) {
      for (std::size_t at = 0; at + sizeof(log::NameRecord) <= content.size();) {
        const auto r = LogFile::entry<log::NameRecord>(content, 0, at);
        if (r.bytes == 0) break;
        const std::string text = content.substr(at + sizeof r, r.name_bytes);
        const std::string group = content.substr(at + sizeof r + r.name_bytes, r.group_bytes);
        names_[r.id] = group.empty() ? text : group + "/" + text;
        at += r.bytes & ~log::kUnfinished;
      }
    }
  }

  std::map<std::uint32_t, std::uint64_t> words_by_id(log::ChunkType type) const {
    std::map<std::uint32_t, std::uint64_t> found;
    for (const auto& [chunk, content] : file_.headed_chunks(type)) {
      for (std::size_t i = 0; i < content.size() / 8; ++i) {
        if (const auto word = LogFile::entry<std::uint64_t>(content, i); word != 0)
          found[static_cast<std::uint32_t>(chunk.first + i)] = word;
      }
    }
    return found;
  }

  LogFile file_;
  std::map<std::uint32_t, std::string> names_;
  std::map<std::uint32_t, std::uint64_t> nodes_, frames_;
  std::vector<Strand> strands_;
};

}  // namespace prof::test
