// Packets of a Perfetto trace, and what they refer to by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/formats/proto.hpp"
#include "report/formats/write.hpp"

namespace prof::formats::perfetto {

// All packets of a file are of one sequence: numbers that one of them gave to a text or a stack hold for the others.
class Sequence {
 public:
  Sequence(const symbols::Symbols& symbols, bool whole_names, const Write& write)
      : symbols_(symbols), whole_names_(whole_names), write_(write) {}

  // With what was numbered since the last one.
  void write(ProtoMessage packet);

  // The place of the next heap profile among all: readers miss one where there is a gap.
  std::uint64_t next_profile() { return profiles_++; }

  std::uint64_t event_name(const std::string& name);
  std::uint64_t category(const std::string& name);
  std::uint64_t annotation_name(const std::string& name);
  std::uint64_t annotation_text(const std::string& value);
  // `locations`: ids, the outermost first.
  std::uint64_t callstack(const std::vector<std::uint32_t>& locations);

 private:
  using Texts = std::unordered_map<std::string, std::uint64_t>;
  std::uint64_t text(Texts& known, unsigned field, const std::string& value);
  std::uint64_t frame(std::uint32_t location);
  std::uint64_t mapping(const symbols::Function& function);

  const symbols::Symbols& symbols_;
  bool whole_names_;
  const Write& write_;
  bool first_ = true;
  std::uint64_t profiles_ = 0;
  ProtoMessage new_;  // not written yet
  Texts event_names_, categories_, annotation_names_, annotation_texts_, functions_, modules_, sources_;
  std::unordered_map<std::uint64_t, std::uint64_t> mappings_;  // by module's number
  std::unordered_map<std::uint32_t, std::uint64_t> frames_;    // by location
  std::unordered_map<std::string, std::uint64_t> callstacks_;  // by the numbers of their frames
};

}  // namespace prof::formats::perfetto
