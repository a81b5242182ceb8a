#include "report/formats/firefox/shared_tables.hpp"

#include <fmt/format.h>

#include "report/formats/chrome_args.hpp"
#include "report/show/names.hpp"

namespace prof::formats {
namespace {

// The number of a key, which is new where there is none; `add` makes its entry.
template <typename Key, typename Add>
std::uint32_t numbered(std::unordered_map<Key, std::uint32_t>& ids, const Key& key, Add add) {
  if (const auto found = ids.find(key); found != ids.end()) return found->second;
  add();
  return ids.emplace(key, static_cast<std::uint32_t>(ids.size())).first->second;
}

std::string or_null(std::int64_t value, std::int64_t none) { return value == none ? "null" : std::to_string(value); }

}  // namespace

std::uint32_t firefox_category(symbols::Language language) {
  switch (language) {
    case symbols::Language::Python:
    case symbols::Language::Shell:
      return 1;
    case symbols::Language::Native:
      return 2;
    case symbols::Language::Api:
      return 3;
    case symbols::Language::Gpu:
      return 4;
    case symbols::Language::Operator:
      return 5;
    case symbols::Language::Range:
      return 6;
    case symbols::Language::Wait:
      return 7;
    case symbols::Language::Task:
      return 9;
  }
  return 0;
}

std::uint32_t FirefoxTables::text(const std::string& value) {
  return numbered(text_ids_, value, [&] { texts_.push_back(quoted(value)); });
}

std::uint32_t FirefoxTables::source(const std::string& file) {
  return numbered(source_ids_, file, [&] { sources_.push_back(text(file)); });
}

std::uint32_t FirefoxTables::resource(const std::string& module) {
  return numbered(resource_ids_, module, [&] { resources_.push_back(text(module)); });
}

std::uint32_t FirefoxTables::function(std::uint32_t id) {
  return numbered(function_ids_, id, [&] {
    const symbols::Function& of = symbols_.function(id);
    Function out{text(show::label(of, whole_names_)), -1, -1, of.line};
    if (!of.module.empty()) out.resource = resource(of.module_name());
    if (!of.file.empty()) out.source = source(of.file);
    functions_.push_back(out);
  });
}

std::uint32_t FirefoxTables::frame(std::uint32_t location) {
  return numbered(frame_ids_, location, [&] {
    const symbols::Location& at = symbols_.location(location);
    const symbols::Function& of = symbols_.function(at.function);
    frames_.push_back({function(at.function), at.line, of.special ? 0 : firefox_category(of.language)});
  });
}

std::uint32_t FirefoxTables::stack(std::uint32_t caller, std::uint32_t location) {
  const std::uint32_t of = frame(location);
  const std::uint64_t key = (std::uint64_t{caller} + 1) << 32 | of;
  return numbered(stack_ids_, key, [&] {
    const auto own = static_cast<std::uint32_t>(stack_frames_.size());
    stack_frames_.push_back(of);
    stack_offsets_.push_back(caller == kNoStack ? 0 : own - caller);
  });
}

void FirefoxTables::write(const Write& write) const {
  const auto number = [](const std::vector<std::uint32_t>& values) {
    return [&values](std::size_t i) { return std::to_string(values[i]); };
  };
  const auto same = [](const char* word) { return [word](std::size_t) { return std::string(word); }; };
  const auto line = [](std::uint32_t of) { return or_null(of, 0); };
  const auto end = [&](std::size_t length) { write(fmt::format("\"length\":{}}}", length)); };

  write("{\"stackTable\":{");
  write_column(write, "frame", stack_frames_.size(), number(stack_frames_));
  write_column(write, "prefixOffset", stack_offsets_.size(), number(stack_offsets_));
  end(stack_frames_.size());

  write(",\n\"frameTable\":{");
  const std::size_t frames = frames_.size();
  write_column(write, "address", frames, same("-1"));
  write_column(write, "lib", frames, same("-1"));
  write_column(write, "inlineDepth", frames, same("0"));
  write_column(write, "category", frames, [&](std::size_t i) { return std::to_string(frames_[i].category); });
  write_column(write, "subcategory", frames, same("0"));
  write_column(write, "func", frames, [&](std::size_t i) { return std::to_string(frames_[i].function); });
  write_column(write, "nativeSymbol", frames, same("null"));
  write_column(write, "innerWindowID", frames, same("0"));
  write_column(write, "line", frames, [&](std::size_t i) { return line(frames_[i].line); });
  write_column(write, "column", frames, same("null"));
  write_column(write, "originalLocation", frames, same("null"));
  end(frames);

  write(",\n\"funcTable\":{");
  const std::size_t functions = functions_.size();
  write_column(write, "name", functions, [&](std::size_t i) { return std::to_string(functions_[i].name); });
  write_column(write, "isJS", functions, same("false"));
  write_column(write, "relevantForJS", functions, same("false"));
  write_column(write, "resource", functions, [&](std::size_t i) { return std::to_string(functions_[i].resource); });
  write_column(write, "source", functions, [&](std::size_t i) { return or_null(functions_[i].source, -1); });
  write_column(write, "lineNumber", functions, [&](std::size_t i) { return line(functions_[i].line); });
  write_column(write, "columnNumber", functions, same("null"));
  write_column(write, "originalLocation", functions, same("null"));
  end(functions);

  constexpr const char* kLibrary = "1";  // a type of resources
  write(",\n\"resourceTable\":{");
  write_column(write, "name", resources_.size(), number(resources_));
  write_column(write, "host", resources_.size(), same("null"));
  write_column(write, "type", resources_.size(), same(kLibrary));
  end(resources_.size());

  write(",\n\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],\"length\":0}");

  write(",\n\"sources\":{");
  write_column(write, "id", sources_.size(), same("null"));
  write_column(write, "filename", sources_.size(), number(sources_));
  write_column(write, "startLine", sources_.size(), same("1"));
  write_column(write, "startColumn", sources_.size(), same("1"));
  write_column(write, "sourceMapURL", sources_.size(), same("null"));
  write_column(write, "content", sources_.size(), same("null"));
  end(sources_.size());

  write(",\n\"sourceLocationTable\":{\"source\":[],\"line\":[],\"column\":[],\"length\":0},\n");
  write("\"stringArray\":");
  write_list(write, texts_.size(), [&](std::size_t i) { return texts_[i]; });
  write("}");
}

}  // namespace prof::formats
