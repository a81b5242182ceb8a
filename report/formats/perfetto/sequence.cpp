#include "report/formats/perfetto/sequence.hpp"

#include <utility>

#include "report/formats/perfetto/fields.hpp"
#include "report/show/names.hpp"
#include "report/show/text.hpp"

namespace prof::formats::perfetto {

void Sequence::write(ProtoMessage out) {
  constexpr std::uint64_t kOnly = 1;
  out.integer(packet::kSequence, kOnly);
  out.integer(packet::kFlags, std::uint64_t{first_ ? kStateCleared | kNeedsState : kNeedsState});
  out.flag(packet::kFirst, first_);
  first_ = false;
  if (!new_.bytes().empty()) out.message(packet::kInterned, std::exchange(new_, {}));
  ProtoMessage whole;
  whole.message(kTracePacket, out);
  write_(whole.bytes());
}

// Numbers begin with 1: 0 is none.
std::uint64_t Sequence::text(Texts& known, unsigned field, const std::string& value) {
  const auto [found, is_new] = known.try_emplace(value, known.size() + 1);
  if (is_new) {
    ProtoMessage entry;
    entry.integer(interned::kIid, found->second);
    entry.text(interned::kText, show::printable(value));
    new_.message(field, entry);
  }
  return found->second;
}

std::uint64_t Sequence::event_name(const std::string& name) { return text(event_names_, interned::kEventName, name); }
std::uint64_t Sequence::category(const std::string& name) { return text(categories_, interned::kCategory, name); }
std::uint64_t Sequence::annotation_name(const std::string& name) {
  return text(annotation_names_, interned::kAnnotationName, name);
}

std::uint64_t Sequence::annotation_text(const std::string& value) {
  return text(annotation_texts_, interned::kAnnotationText, value);
}

// Readers want one of every frame.
std::uint64_t Sequence::mapping(const symbols::Function& function) {
  const bool python = function.language == symbols::Language::Python;
  const std::uint64_t module = text(modules_, interned::kModule,
                                    python                    ? "[Python]"
                                    : function.module.empty() ? "[unknown]"
                                                              : function.module);
  const auto [found, is_new] = mappings_.try_emplace(module, mappings_.size() + 1);
  if (is_new) {
    ProtoMessage entry;
    entry.integer(mapping::kIid, found->second);
    entry.integer(mapping::kModule, module);
    new_.message(interned::kMapping, entry);
  }
  return found->second;
}

std::uint64_t Sequence::frame(std::uint32_t location) {
  const auto [found, is_new] = frames_.try_emplace(location, frames_.size() + 1);
  if (is_new) {
    const symbols::Location& at = symbols_.location(location);
    const symbols::Function& of = symbols_.function(at.function);
    const std::string& file = at.file.empty() ? of.file : at.file;
    const bool python = of.language == symbols::Language::Python;
    ProtoMessage entry;
    entry.integer(frame::kIid, found->second);
    entry.integer(frame::kFunction, text(functions_, interned::kFunction, show::label(of, whole_names_)));
    entry.integer(frame::kMapping, mapping(of));
    if (!file.empty()) entry.integer(frame::kSource, text(sources_, interned::kSource, file));
    entry.integer(frame::kLine, std::uint64_t{at.line});
    if (python || of.language == symbols::Language::Native) {
      entry.integer(frame::kKind, std::uint64_t{python ? frame::kInterpreted : frame::kNative});
    }
    new_.message(interned::kFrame, entry);
  }
  return found->second;
}

std::uint64_t Sequence::callstack(const std::vector<std::uint32_t>& locations) {
  ProtoMessage frames;
  for (const std::uint32_t location : locations) frames.integer(callstack::kFrames, frame(location));
  const auto [found, is_new] = callstacks_.try_emplace(frames.bytes(), callstacks_.size() + 1);
  if (is_new) {
    ProtoMessage entry;
    entry.integer(callstack::kIid, found->second);
    entry.append(frames);
    new_.message(interned::kCallstack, entry);
  }
  return found->second;
}

}  // namespace prof::formats::perfetto
