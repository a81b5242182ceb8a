#include "report/symbols/symbols.hpp"

namespace prof::symbols {

const char* to_string(Language language) {
  switch (language) {
    case Language::Python:
      return "python";
    case Language::Api:
      return "api";
    case Language::Gpu:
      return "gpu";
    case Language::Range:
      return "range";
    case Language::Operator:
      return "operator";
    case Language::Wait:
      return "wait";
    case Language::Task:
      return "task";
    case Language::Shell:
      return "shell";
    case Language::Native:
      break;
  }
  return "native";
}

std::string wait_module(const std::string& what) { return "libc (" + what + ')'; }

std::string_view waits_for(const Function& call) {
  const std::string_view module = call.module;
  const std::size_t open = module.find('('), close = module.rfind(')');
  return open == std::string_view::npos || close == std::string_view::npos || close < open
             ? module
             : module.substr(open + 1, close - open - 1);
}

std::string copy_label(const model::Name& name) {
  const std::string what = name.name == "memset" ? name.name : "memcpy " + name.name;
  return name.group.empty() ? what : what + " (" + name.group + ')';
}

bool is_import_system_file(std::string_view file) {
  // "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>"
  return file.starts_with("<frozen importlib._bootstrap");
}

bool is_import_system(const Function& function) {
  return function.language == Language::Python && is_import_system_file(function.file);
}

std::string Function::module_name() const { return std::filesystem::path(module).filename().string(); }

const char* to_string(SymbolSource source) {
  switch (source) {
    case SymbolSource::Dwarf:
      return "dwarf";
    case SymbolSource::SymbolTable:
      return "symtab";
    case SymbolSource::Missing:
      return "missing";
    case SymbolSource::WrongBuild:
      return "wrong build-id";
    case SymbolSource::NotAFile:
      return "no file";
    case SymbolSource::None:
      break;
  }
  return "none";
}

const std::string& Symbols::data_name(std::size_t process, std::uint32_t frame) const {
  static const std::string none;
  const auto found = data_names_[process].find(frame);
  return found == data_names_[process].end() ? none : found->second;
}

}  // namespace prof::symbols
