#include "report/formats/chrome_texts.hpp"

#include <fmt/format.h>

#include "report/symbols/demangle.hpp"

namespace prof::formats {
namespace {

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string copy_name(const model::Name& name) {
  const std::string side = name.group.empty() ? "Unknown" : capital(name.group);
  if (name.name == "memset") return fmt::format("Memset ({})", side);
  if (name.name == "HtoD") return fmt::format("Memcpy HtoD ({} -> Device)", side);
  if (name.name == "DtoH") return fmt::format("Memcpy DtoH (Device -> {})", side);
  return fmt::format("Memcpy {} (Device -> Device)", name.name);
}

}  // namespace

ChromeTexts chrome_texts(const model::Process& process, const model::TraceEvent& event) {
  const std::uint32_t id = process.tree.frames[event.frame].name;
  if (event.kind == log::TraceKind::Wait) {
    if (id == model::kNoName) return {"wait", "wait"};
    return {process.names[id].name, process.names[id].group.empty() ? "wait" : "wait," + process.names[id].group};
  }
  if (id == model::kNoName) return {"(unnamed)", event.kind == log::TraceKind::Device ? "kernel" : "cpu_op"};
  const model::Name& name = process.names[id];
  switch (name.kind) {
    case log::NameKind::Api:
      return {name.name, name.group == "CUDA runtime"  ? "cuda_runtime"
                         : name.group == "CUDA driver" ? "cuda_driver"
                                                       : "cpu_op"};
    case log::NameKind::Kernel:
      return {symbols::demangle(name.name), "kernel"};
    case log::NameKind::Copy:
      return {copy_name(name), name.name == "memset" ? "gpu_memset" : "gpu_memcpy"};
    case log::NameKind::Range:
      return {name.name, "user_annotation"};
    case log::NameKind::Operator:
      return {name.name, name.group == "scope" ? "user_annotation" : "cpu_op"};
    case log::NameKind::Stream:
    case log::NameKind::Wait:
    case log::NameKind::File:
    case log::NameKind::MadeCode:
    case log::NameKind::Task:
    case log::NameKind::Script:
    case log::NameKind::Method:
    case log::NameKind::LuaTrace:
      break;
  }
  return {name.name, "cpu_op"};
}

std::string profiler_step(std::int64_t number) { return fmt::format("ProfilerStep#{}", number); }

}  // namespace prof::formats
