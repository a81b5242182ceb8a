#include "report/cli/choices.hpp"

#include "report/cli/export/export.hpp"
#include "report/formats/json.hpp"
#include "report/show/measure.hpp"
#include "report/summary/views.hpp"

namespace prof::cli {

using show::SortKey;
using show::View;

const Choices<const View*>& view_choices() {
  static const Choices<const View*> choices = [] {
    Choices<const View*> out;
    for (const View* view : show::views()) out.emplace_back(view->name, view);
    return out;
  }();
  return choices;
}

const Choices<SortKey>& sort_choices() {
  static const Choices<SortKey> choices{{"tottime", SortKey::Tottime},
                                        {"cumtime", SortKey::Cumtime},
                                        {"calls", SortKey::Calls},
                                        {"live", SortKey::Live},
                                        {"peak", SortKey::Peak},
                                        {"allocated", SortKey::Allocated},
                                        {"allocations", SortKey::Allocations},
                                        {"temporary", SortKey::Temporary},
                                        {"leaks", SortKey::Leaks},
                                        {"gpu", SortKey::Gpu},
                                        {"blocked", SortKey::Blocked},
                                        {"wall", SortKey::Wall},
                                        {"total", SortKey::Total},
                                        {"avg", SortKey::Average},
                                        {"bytes", SortKey::Bytes},
                                        {"flops", SortKey::Flops},
                                        {"name", SortKey::Name},
                                        {"time", SortKey::Tottime},
                                        {"cumulative", SortKey::Cumtime},
                                        {"ncalls", SortKey::Calls},
                                        {"cpu", SortKey::Tottime},
                                        {"self_cpu_time_total", SortKey::Tottime},
                                        {"cpu_time_total", SortKey::Cumtime},
                                        {"cpu_time", SortKey::Average},
                                        {"count", SortKey::Calls},
                                        {"cpu_memory_usage", SortKey::HostBytes},
                                        {"self_cpu_memory_usage", SortKey::SelfHostBytes},
                                        {"cuda_time", SortKey::GpuAverage},
                                        {"cuda_time_total", SortKey::Gpu},
                                        {"self_cuda_time_total", SortKey::SelfGpu},
                                        {"cuda_memory_usage", SortKey::DeviceBytes},
                                        {"self_cuda_memory_usage", SortKey::SelfDeviceBytes}};
  return choices;
}

const Choices<fold::OperatorGroup>& group_choices() {
  static const Choices<fold::OperatorGroup> choices{
      {"name", fold::OperatorGroup::Name},     {"shape", fold::OperatorGroup::Shape},
      {"thread", fold::OperatorGroup::Thread}, {"stack", fold::OperatorGroup::Stack},
      {"module", fold::OperatorGroup::Module}, {"step", fold::OperatorGroup::Step}};
  return choices;
}

const Choices<Format>& format_choices() {
  static const Choices<Format> choices{
      {"table", Format::Table}, {"json", Format::Json}, {"csv", Format::Csv}, {"folded", Format::Folded}};
  return choices;
}

const Choices<const formats::JsonSection*>& section_choices() {
  static const Choices<const formats::JsonSection*> choices = [] {
    Choices<const formats::JsonSection*> out;
    for (const formats::JsonSection& section : formats::json_sections()) out.emplace_back(section.name, &section);
    return out;
  }();
  return choices;
}

const Choices<const Export*>& export_choices() {
  static const Choices<const Export*> choices = [] {
    Choices<const Export*> out;
    for (const Export* one : exports()) out.emplace_back(one->name, one);
    return out;
  }();
  return choices;
}

const Choices<model::Measure>& metric_choices() {
  static const Choices<model::Measure> choices = [] {
    Choices<model::Measure> out;
    for (const show::MeasureNames& words : show::kMeasures) out.emplace_back(words.name, words.measure);
    return out;
  }();
  return choices;
}

const Choices<show::ColourChoice>& colour_choices() {
  static const Choices<show::ColourChoice> choices{
      {"auto", show::ColourChoice::Auto}, {"always", show::ColourChoice::Always}, {"never", show::ColourChoice::Never}};
  return choices;
}

const Choices<fold::Frames>& frames_choices() {
  static const Choices<fold::Frames> choices{
      {"mixed", fold::Frames::Mixed}, {"python", fold::Frames::Python}, {"native", fold::Frames::Native}};
  return choices;
}

const Choices<std::optional<symbols::Language>>& language_choices() {
  static const Choices<std::optional<symbols::Language>> choices{{"python", symbols::Language::Python},
                                                                 {"native", symbols::Language::Native},
                                                                 {"api", symbols::Language::Api},
                                                                 {"gpu", symbols::Language::Gpu},
                                                                 {"wait", symbols::Language::Wait},
                                                                 {"operator", symbols::Language::Operator},
                                                                 {"all", std::nullopt}};
  return choices;
}

}  // namespace prof::cli
