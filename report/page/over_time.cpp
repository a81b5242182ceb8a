#include "report/page/over_time.hpp"

#include <algorithm>

#include "report/fold/training/steps.hpp"
#include "report/show/memory/memory_text.hpp"
#include "report/show/processes.hpp"
#include "report/show/run/process_tree.hpp"
#include "report/show/trees.hpp"

namespace prof::page {
namespace {

constexpr std::size_t kMostProcesses = 2000, kMostImports = 5000, kMostSteps = 20'000, kMostLeaks = 6;
constexpr std::int64_t kPartOfPeak = 100;  // growth of less than one of so many parts is not drawn

using Column = std::vector<std::int64_t>;

Column& at(std::map<std::string, Column>& columns, const char* name) { return columns[name]; }

Json columns_json(const std::map<std::string, Column>& columns, Bundle& bundle) {
  Json out = Json::object();
  for (const auto& [name, values] : columns) {
    if (std::any_of(values.begin(), values.end(), [](std::int64_t value) { return value != 0; }))
      out[name] = bundle.add(values);
  }
  return out;
}

class TimeWriter {
 public:
  TimeWriter(const show::Subject& subject, Bundle& bundle) : subject_(subject), run_(subject.run), bundle_(bundle) {}

  Json write() {
    Json processes = Json::array();
    std::vector<show::ProcessRow> rows = show::process_tree(subject_);
    const std::size_t all = rows.size();
    show::keep_heaviest(rows, run_, kMostProcesses);
    for (const show::ProcessRow& row : rows) processes.push_back(process(row));
    Json out = {{"wall_ns", run_.wall_ns}, {"cpus", cpus()},   {"processes", std::move(processes)},
                {"all_processes", all},    {"steps", steps()}, {"leaks", leaks()}};
    out["leaks_left_out"] = leaks_left_out_;
    return out;
  }

 private:
  // Processors that there were; null where a log does not say.
  Json cpus() const {
    double most = 0;
    for (const model::Process& process : run_.processes) {
      if (!process.cpus) return {};
      most = std::max(most, *process.cpus);
    }
    return most > 0 ? Json(most) : Json();
  }

  std::int64_t moment(const model::Process& process, std::uint64_t monotonic_ns) const {
    return show::since_start(run_, process, monotonic_ns);
  }

  Json process(const show::ProcessRow& row) {
    const model::Process& process = run_.processes[row.process];
    Json out = {{"index", row.process},
                {"depth", row.depth},
                {"pid", process.pid},
                {"name", bundle_.text(show::command_label(process, false))},
                {"parent", process.parent ? Json(*process.parent) : Json()},
                {"previous", process.previous_image ? Json(*process.previous_image) : Json()},
                {"rank", formats::or_null(process.rank)},
                {"ending", show::ending(process)},
                {"begin", moment(process, process.start_monotonic_ns)},
                {"end", moment(process, process.end_monotonic_ns)},
                {"cpu_ns", process.cpu_ns}};
    if (!process.series.empty()) out["series"] = series(process);
    if (!process.imports.empty()) out["imports"] = imports(process);
    Json devices = Json::array();
    for (const model::DeviceSeries& device : process.device_series) devices.push_back(device_json(process, device));
    if (!devices.empty()) out["devices"] = std::move(devices);
    return out;
  }

  Json series(const model::Process& process) {
    std::map<std::string, Column> columns;
    for (const model::SeriesPoint& point : process.series) {
      at(columns, "begin").push_back(moment(process, point.begin_monotonic_ns));
      at(columns, "end").push_back(moment(process, point.end_monotonic_ns));
      at(columns, "rss").push_back(model::to_signed(point.rss_high));
      at(columns, "file").push_back(model::to_signed(point.rss_file));
      at(columns, "heap").push_back(point.heap_high);
      at(columns, "python").push_back(point.python_live);
      at(columns, "cpu").push_back(model::to_signed(point.cpu_ns));
    }
    return columns_json(columns, bundle_);
  }

  Json device_json(const model::Process& process, const model::DeviceSeries& device) {
    std::map<std::string, Column> columns;
    for (const model::DevicePoint& point : device.points) {
      at(columns, "begin").push_back(moment(process, point.begin_monotonic_ns));
      at(columns, "end").push_back(moment(process, point.end_monotonic_ns));
      at(columns, "used").push_back(model::to_signed(point.used_bytes));
      at(columns, "tensors").push_back(point.tensors_live);
      at(columns, "segments").push_back(point.segments_live);
      at(columns, "busy").push_back(point.busy_percent.value_or(0));
      at(columns, "power").push_back(point.power_mw.value_or(0));
    }
    return {{"device", device.device}, {"series", columns_json(columns, bundle_)}};
  }

  Json imports(const model::Process& process) {
    std::vector<const model::Import*> rows;
    for (const model::Import& one : process.imports) rows.push_back(&one);
    if (rows.size() > kMostImports) {
      std::nth_element(rows.begin(), rows.begin() + kMostImports, rows.end(),
                       [](const model::Import* a, const model::Import* b) { return a->total_ns > b->total_ns; });
      rows.resize(kMostImports);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const model::Import* a, const model::Import* b) {
      return a->start_monotonic_ns < b->start_monotonic_ns;
    });
    std::map<std::string, Column> columns;
    Column names;
    for (const model::Import* one : rows) {
      names.push_back(static_cast<std::int64_t>(bundle_.text(one->name)));
      at(columns, "begin").push_back(moment(process, one->start_monotonic_ns));
      at(columns, "total").push_back(model::to_signed(one->total_ns));
      at(columns, "self").push_back(model::to_signed(one->self_ns()));
      at(columns, "depth").push_back(one->depth);
    }
    Json out = columns_json(columns, bundle_);
    out["name"] = bundle_.add(names);
    return out;
  }

  // The lines whose memory keeps growing, but for what is next to nothing, and what they gave back as they ended:
  // values[i] was live when i + 1 intervals had gone by since `begin`.
  Json leaks() {
    Json out = Json::array();
    for (const fold::Leak& leak : show::leaks(subject_).rows) {
      const model::Process& process = run_.processes[leak.process];
      if (leak.trend.grown < process.heap_peak_bytes / kPartOfPeak) continue;
      if (out.size() == kMostLeaks) {
        ++leaks_left_out_;
        continue;
      }
      std::string file;
      std::int64_t line = 0;
      if (leak.frame < leak.stack.size()) {
        const symbols::Location& place = subject_.symbols.location(leak.stack[leak.frame]);
        file = place.file;
        line = place.line;
      }
      out.push_back({{"pid", process.pid},
                     {"kind", fold::to_string(leak.kind)},
                     {"site", bundle_.text(show::leak_name(subject_.symbols, leak, false))},
                     {"file", shown_text(file)},
                     {"line", line},
                     {"begin", moment(process, process.start_monotonic_ns)},
                     {"end", moment(process, process.end_monotonic_ns)},
                     {"interval", leak.interval_ns},
                     {"rate", leak.trend.per_s},
                     {"error", 2 * leak.trend.error_per_s},
                     {"values", bundle_.add(std::span(leak.values).first(leak.trend.moments))}});
    }
    return out;
  }

  Json steps() {
    Json out = Json::array();
    for (const fold::StepTable& table : fold::step_tables(run_, subject_.selection)) {
      const model::Process& process = run_.processes[table.process];
      std::map<std::string, Column> columns;
      std::size_t count = 0;
      for (const model::Step& step : table.steps->records) {
        if (++count > kMostSteps) break;
        at(columns, "first").push_back(step.first);
        at(columns, "count").push_back(step.count);
        at(columns, "begin").push_back(moment(process, step.begin_monotonic_ns));
        at(columns, "end").push_back(moment(process, step.end_monotonic_ns));
        at(columns, "ns").push_back(step.ns);
        at(columns, "longest").push_back(step.longest_ns);
        for (std::uint32_t part = 0; part < log::kStepParts; ++part)
          at(columns, log::kStepPartNames[part]).push_back(step.figures.parts_ns[part]);
      }
      Json outliers = Json::array();
      for (const fold::Outlier& one : table.outliers)
        outliers.push_back({{"step", one.number}, {"ns", one.ns}, {"part", fold::to_string(one.part)}});
      out.push_back({{"process", table.process},
                     {"pid", process.pid},
                     {"rank", formats::or_null(process.rank)},
                     {"count", table.count},
                     {"warmup", table.warmup},
                     {"median_ns", table.median_ns},
                     {"records", columns_json(columns, bundle_)},
                     {"left_out", count > kMostSteps ? table.steps->records.size() - kMostSteps : 0},
                     {"outliers", std::move(outliers)}});
    }
    return out;
  }

  const show::Subject& subject_;
  const model::Run& run_;
  Bundle& bundle_;
  std::size_t leaks_left_out_ = 0;
};

}  // namespace

Json time_json(const show::Subject& subject, Bundle& bundle) { return TimeWriter(subject, bundle).write(); }

}  // namespace prof::page
