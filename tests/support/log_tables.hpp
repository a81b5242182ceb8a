// The tables of a log that is written in memory: all that records refer to by number, and what is said of the process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "agent/contract/format.hpp"
#include "tests/support/log_bytes.hpp"

namespace prof::test {

// Each of them returns the new id.
class LogTables {
 public:
  std::uint32_t module(const std::string& path, const std::vector<std::uint8_t>& build_id = {}) {
    log::ModuleRecord record{};
    record.id = ++last_module_;
    record.start = 0x7f0000000000 + record.id * 0x100000ULL;
    record.end = record.start + 0x100000;
    record.bias = record.start;
    record.build_id_bytes = static_cast<std::uint8_t>(build_id.size());
    std::copy(build_id.begin(), build_id.end(), record.build_id);
    record.path_bytes = static_cast<std::uint16_t>(path.size());
    record.bytes = padded(sizeof record + path.size());
    append(modules_, record);
    append_text(modules_, path);
    return record.id;
  }
  std::uint32_t frame(std::uint64_t word) {
    append(frames_, word);
    return next_frame_++;
  }
  std::uint32_t native(std::uint32_t module, std::uint64_t address) {
    return frame(log::native_frame(module, address));
  }
  // Python code, or a C function when `kind` says so. `qualname` is empty as before Python 3.11.
  std::uint32_t code(const std::string& name, const std::string& qualname, const std::string& file,
                     std::int32_t first_line, const std::string& line_table = {},
                     log::CodeKind kind = log::CodeKind::Code, std::uint8_t minor = 11) {
    log::CodeRecord record{};
    record.id = ++last_code_;
    record.kind = kind;
    record.major = 3;
    record.minor = minor;
    record.first_line = first_line;
    record.name_bytes = static_cast<std::uint32_t>(name.size());
    record.qualname_bytes = static_cast<std::uint32_t>(qualname.size());
    record.file_bytes = static_cast<std::uint32_t>(file.size());
    record.line_table_bytes = static_cast<std::uint32_t>(line_table.size());
    const std::string texts = name + qualname + file + line_table;
    record.bytes = padded(sizeof record + texts.size());
    append(codes_, record);
    append_text(codes_, texts);
    return record.id;
  }
  std::uint32_t python(std::uint32_t code, std::uint32_t place) { return frame(log::python_frame(code, place)); }
  std::uint32_t python_line(std::uint32_t code, std::uint32_t line) {
    return frame(log::python_line_frame(code, line));
  }
  std::uint32_t special(log::SpecialFrame what) {
    return frame(log::frame_word(log::FrameKind::Special, static_cast<std::uint64_t>(what)));
  }
  std::uint32_t name(log::NameKind kind, const std::string& text, const std::string& group = {}) {
    log::NameRecord record{};
    record.id = ++last_name_;
    record.kind = static_cast<std::uint32_t>(kind);
    record.name_bytes = static_cast<std::uint32_t>(text.size());
    record.group_bytes = static_cast<std::uint32_t>(group.size());
    record.bytes = padded(sizeof record + text.size() + group.size());
    append(names_, record);
    append_text(names_, text + group);
    return record.id;
  }
  // `number` is the device of a kernel, copy or stream.
  std::uint32_t named(std::uint32_t name, std::uint32_t number = 0) { return frame(log::named_frame(name, number)); }
  std::uint32_t named(log::NameKind kind, const std::string& text, const std::string& group = {},
                      std::uint32_t number = 0) {
    return named(name(kind, text, group), number);
  }
  void import(log::ImportRecord record, const std::string& name) {
    record.name_bytes = static_cast<std::uint32_t>(name.size());
    record.bytes = padded(sizeof record + name.size());
    append(imports_, record);
    append_text(imports_, name);
  }
  std::uint32_t node(std::uint32_t parent, std::uint32_t frame) {
    append(nodes_, log::node_word(parent, frame));
    return next_node_++;
  }

  void info(log::InfoKey key, const std::string& value) {
    log::InfoRecord record{};
    record.key = static_cast<std::uint16_t>(key);
    record.value_bytes = static_cast<std::uint32_t>(value.size());
    record.bytes = padded(sizeof record + value.size());
    append(infos_, record);
    append_text(infos_, value);
  }
  void child(std::uint32_t pid, std::int32_t status, std::uint64_t monotonic_ns) {
    append(children_, log::ChildRecord{pid, status, monotonic_ns});
  }

 protected:
  void put_tree(ByteVector& file) const {
    append_chunk(file, log::ChunkType::Nodes, 0, 1, nodes_);
    append_chunk(file, log::ChunkType::Frames, 0, 1, frames_);
  }
  void put_texts(ByteVector& file) const {
    append_chunk(file, log::ChunkType::Modules, 0, 0, modules_);
    append_chunk(file, log::ChunkType::Codes, 0, 0, codes_);
    append_chunk(file, log::ChunkType::Imports, 0, 0, imports_);
    append_chunk(file, log::ChunkType::Names, 0, 0, names_);
    append_chunk(file, log::ChunkType::Info, 0, 0, infos_);
    append_chunk(file, log::ChunkType::Children, 0, 0, children_);
  }
  void count_in(log::Header& header) const {
    header.nodes = next_node_;
    header.frames = next_frame_;
    header.modules = last_module_ + 1;
    header.codes = last_code_ + 1;
  }

 private:
  std::uint32_t next_node_ = 1, next_frame_ = 1, last_module_ = 0, last_code_ = 0, last_name_ = 0;
  ByteVector nodes_, frames_, modules_, codes_, imports_, names_, infos_, children_;
};

}  // namespace prof::test
