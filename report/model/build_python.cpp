#include "report/model/build_python.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

namespace prof::model {
namespace {

// A program may give any text as a file name. Each location repeats it.
constexpr std::size_t kLongestText = 4096;

Code code_of(const read::RawCode& raw) {
  Code code;
  code.kind = raw.record.kind == log::CodeKind::Builtin ? log::CodeKind::Builtin : log::CodeKind::Code;
  code.name = cut_text(raw.name);
  code.qualname = cut_text(raw.qualname);
  code.file = cut_text(raw.file);
  code.first_line = raw.record.first_line;
  code.flags = raw.record.flags;
  code.major = raw.record.major;
  code.minor = raw.record.minor;
  code.line_table = raw.line_table;
  return code;
}

auto content(const Code& code) {
  return std::tie(code.file, code.first_line, code.name, code.qualname, code.kind, code.flags, code.major, code.minor,
                  code.line_table);
}

struct ByContent {
  bool operator()(const Code& a, const Code& b) const { return content(a) < content(b); }
};

}  // namespace

std::string cut_text(const std::string& text) {
  if (text.size() <= kLongestText) return text;
  std::size_t end = kLongestText;
  while (end > kLongestText - 4 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // whole characters
  return text.substr(0, end);
}

CodeIndex build_codes(const std::vector<read::RawCode>& raw, std::vector<Code>& codes) {
  CodeIndex index;
  std::map<Code, std::uint32_t, ByContent> known;
  for (const read::RawCode& record : raw) {
    if (index.contains(record.record.id)) continue;
    const auto [found, is_new] = known.try_emplace(code_of(record), static_cast<std::uint32_t>(codes.size()));
    if (is_new) codes.push_back(found->first);
    index.emplace(record.record.id, found->second);
  }
  return index;
}

std::vector<Import> build_imports(const std::vector<read::RawImport>& raw) {
  std::vector<Import> imports;
  imports.reserve(raw.size());
  for (const read::RawImport& record : raw) {
    const log::ImportRecord& words = record.record;
    imports.push_back({record.name, words.slot, words.depth, words.start_ns, words.total_ns, words.nested_ns,
                       (words.flags & log::kImportFailed) != 0});
  }
  return imports;
}

void read_python_info(std::string_view text, PythonInfo& python) {
  each_setting(text, [&](std::string_view name, std::string_view value) {
    if (name == "version") python.version = value;
    if (name == "path") python.path = value;
    if (name == "frames") python.frames = value == "on";
    if (name == "reason") python.reason = value;
    if (name == "mode") python.mode = value;
    if (name == "note") python.note = value;
    if (name == "gathered") {
      std::uint16_t count = 0;
      std::from_chars(value.data(), value.data() + value.size(), count);
      python.gathered = std::max<std::int64_t>(python.gathered, count);
    }
  });
  if (python.frames) python.reason.clear();
}

}  // namespace prof::model
