#include <map>
#include <set>
#include <unordered_map>

#include "report/fold/training/trace_links.hpp"
#include "report/fold/training/trace_steps.hpp"
#include "report/formats/chrome_texts.hpp"
#include "report/formats/sqlite/tables.hpp"
#include "report/formats/trace_selection.hpp"
#include "report/show/processes.hpp"
#include "report/symbols/demangle.hpp"

namespace prof::formats {
namespace {

constexpr const char* kTables = R"(
CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE ThreadNames(nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE META_DATA_EXPORT(name TEXT NOT NULL, value TEXT);
CREATE TABLE META_DATA_CAPTURE(name TEXT NOT NULL, value TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE ANALYSIS_DETAILS(globalVid INTEGER NOT NULL, duration INTEGER NOT NULL, startTime INTEGER NOT NULL,
  stopTime INTEGER NOT NULL);
CREATE TABLE TARGET_INFO_GPU(vmId INTEGER, id INTEGER, name TEXT, busLocation TEXT, isDiscrete INTEGER,
  l2CacheSize INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER,
  pwGpuId INTEGER, uuid TEXT, luid INTEGER, chipName TEXT, cuDevice INTEGER, computeMajor INTEGER,
  computeMinor INTEGER);
CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid TEXT,
  numMultiprocessors INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER NOT NULL, "end" INTEGER NOT NULL, deviceId INTEGER,
  contextId INTEGER, greenContextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER,
  cacheConfig INTEGER, registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER,
  blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER,
  localMemoryPerThread INTEGER, localMemoryTotal INTEGER, gridId INTEGER, sharedMemoryExecuted INTEGER,
  graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER NOT NULL, "end" INTEGER NOT NULL, deviceId INTEGER,
  contextId INTEGER, greenContextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
  bytes INTEGER, copyKind INTEGER, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER,
  srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER,
  virtualAddress INTEGER, copyCount INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER NOT NULL, "end" INTEGER NOT NULL, deviceId INTEGER,
  contextId INTEGER, greenContextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
  value INTEGER, bytes INTEGER, graphNodeId INTEGER, memKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER NOT NULL, "end" INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL,
  callchainId INTEGER);
CREATE TABLE OSRT_API(start INTEGER NOT NULL, "end" INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, nestingLevel INTEGER,
  callchainId INTEGER);
CREATE TABLE NVTX_EVENTS(start INTEGER NOT NULL, "end" INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
  category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,
  domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER,
  int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText TEXT);
CREATE TABLE ENUM_NSYS_EVENT_TYPE(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
CREATE TABLE ENUM_NSYS_EVENT_CLASS(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
CREATE TABLE ENUM_CUDA_MEMCPY_OPER(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
CREATE TABLE ENUM_CUDA_MEM_KIND(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
)";

struct EnumRow {
  int id;
  const char *name, *label, *word;  // `word`: as the log has it
};
constexpr EnumRow kCopyKinds[] = {
    {0, "CUDA_MEMCPY_KIND_UNKNOWN", "Unknown", ""},         {1, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device", "HtoD"},
    {2, "CUDA_MEMCPY_KIND_DTOH", "Device-to-Host", "DtoH"}, {8, "CUDA_MEMCPY_KIND_DTOD", "Device-to-Device", "DtoD"},
    {9, "CUDA_MEMCPY_KIND_HTOH", "Host-to-Host", "HtoH"},   {10, "CUDA_MEMCPY_KIND_PTOP", "Peer-to-Peer", "PtoP"}};
constexpr int kDeviceMemory = 2, kUnknownMemory = 7;
constexpr EnumRow kMemoryKinds[] = {{0, "CUDA_MEMOPR_MEMORY_KIND_PAGEABLE", "Pageable", "pageable"},
                                    {1, "CUDA_MEMOPR_MEMORY_KIND_PINNED", "Pinned", "pinned"},
                                    {kDeviceMemory, "CUDA_MEMOPR_MEMORY_KIND_DEVICE", "Device", "device"},
                                    {3, "CUDA_MEMOPR_MEMORY_KIND_ARRAY", "Array", "array"},
                                    {4, "CUDA_MEMOPR_MEMORY_KIND_MANAGED", "Managed", "managed"},
                                    {kUnknownMemory, "CUDA_MEMOPR_MEMORY_KIND_UNKNOWN", "Unknown", ""}};
constexpr int kRuntime = 0, kDriver = 1, kOsRuntime = 27;
constexpr EnumRow kEventClasses[] = {{kRuntime, "TRACE_PROCESS_EVENT_CUDA_RUNTIME", "CUDA runtime", ""},
                                     {kDriver, "TRACE_PROCESS_EVENT_CUDA_DRIVER", "CUDA driver", ""},
                                     {kOsRuntime, "TRACE_PROCESS_EVENT_OS_RUNTIME", "OS runtime", ""}};
constexpr int kPushPop = 59, kStartEnd = 60, kDomain = 75;
constexpr EnumRow kEventTypes[] = {{kPushPop, "NvtxPushPopRange", "NVTX push/pop range", ""},
                                   {kStartEnd, "NvtxStartEndRange", "NVTX start/end range", ""},
                                   {kDomain, "NvtxDomainCreate", "NVTX domain create", ""}};

template <std::size_t N>
void enum_rows(Database& database, const char* table, const EnumRow (&rows)[N]) {
  Insert out(database, table, "id, name, label");
  for (const EnumRow& row : rows) out.row(row.id, row.name, row.label);
}

template <std::size_t N>
int id_of(const EnumRow (&rows)[N], const std::string& word, int otherwise) {
  for (const EnumRow& row : rows) {
    if (word == row.word && !word.empty()) return row.id;
  }
  return otherwise;
}

Database& with_nsys_tables(Database& database) {
  database.run(kTables);
  enum_rows(database, "ENUM_NSYS_EVENT_TYPE", kEventTypes);
  enum_rows(database, "ENUM_NSYS_EVENT_CLASS", kEventClasses);
  enum_rows(database, "ENUM_CUDA_MEMCPY_OPER", kCopyKinds);
  enum_rows(database, "ENUM_CUDA_MEM_KIND", kMemoryKinds);
  return database;
}

class NsysTables {
 public:
  NsysTables(Database& database, const show::Subject& subject)
      : database_(with_nsys_tables(database)),
        subject_(subject),
        strings_(database_, "StringIds", "id, value"),
        threads_(database_, "ThreadNames", "nameId, globalTid"),
        kernels_(database_, "CUPTI_ACTIVITY_KIND_KERNEL",
                 "start, \"end\", deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName, "
                 "mangledName"),
        copies_(database_, "CUPTI_ACTIVITY_KIND_MEMCPY",
                "start, \"end\", deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind, srcKind, "
                "dstKind, copyCount"),
        sets_(database_, "CUPTI_ACTIVITY_KIND_MEMSET",
              "start, \"end\", deviceId, contextId, streamId, correlationId, globalPid, bytes, memKind"),
        calls_(database_, "CUPTI_ACTIVITY_KIND_RUNTIME",
               "start, \"end\", eventClass, globalTid, correlationId, nameId, returnValue"),
        waits_(database_, "OSRT_API", "start, \"end\", eventClass, globalTid, nameId, returnValue"),
        ranges_(database_, "NVTX_EVENTS", "start, \"end\", eventType, text, globalTid, endGlobalTid, domainId") {}

  void add(std::size_t index) {
    index_ = index;
    process_ = &subject_.run.processes[index];
    const model::Trace& trace = *process_->tree.trace;
    const TraceSelection selected(subject_.selection, *process_);
    for (const model::Thread& thread : process_->threads) {
      if (subject_.selection.includes(thread)) threads_.row(text(thread.display_name()), global_tid(thread.tid));
    }
    domains_.clear();
    const std::vector<std::size_t> spans = fold::by_thread(trace);
    std::set<std::size_t> named_by_step;
    for (const fold::TraceStep& step : fold::trace_steps(*process_, spans)) {
      if (!selected.thread(step.tid)) continue;
      if (step.event) named_by_step.insert(*step.event);
      ranges_.row(since(step.begin_monotonic_ns), since(step.end_monotonic_ns), kPushPop, profiler_step(step.number),
                  global_tid(step.tid), global_tid(step.tid), 0);
    }
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      if (selected.event(trace.events[i]) && !named_by_step.contains(i)) event(trace.events[i]);
    }
    devices();
  }

  void close() {
    Insert meta(database_, "META_DATA_EXPORT", "name, value");
    meta.row("EXPORT_PRODUCT_NAME", "prof");
    meta.row("EXPORT_PRODUCT_VERSION", PROF_VERSION);
    Insert start(database_, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs");
    start.row(subject_.run.start_realtime_ns);
    Insert details(database_, "ANALYSIS_DETAILS", "globalVid, duration, startTime, stopTime");
    details.row(0, subject_.run.wall_ns, 0, subject_.run.wall_ns);
    database_.run(
        "CREATE INDEX nsys_kernel_start ON CUPTI_ACTIVITY_KIND_KERNEL(start);"
        "CREATE INDEX nsys_kernel_correlation ON CUPTI_ACTIVITY_KIND_KERNEL(correlationId);"
        "CREATE INDEX nsys_runtime_correlation ON CUPTI_ACTIVITY_KIND_RUNTIME(correlationId);"
        "CREATE INDEX nsys_nvtx_start ON NVTX_EVENTS(start)");
  }

 private:
  std::int64_t global_pid() const { return nsys_global_pid(*process_); }
  std::int64_t global_tid(std::uint32_t tid) const { return global_pid() | (tid & 0xffffff); }
  std::int64_t since(std::uint64_t ns) const { return show::since_start(subject_.run, *process_, ns); }

  std::int64_t text(const std::string& value) {
    const auto [found, is_new] = ids_.try_emplace(value, static_cast<std::int64_t>(ids_.size()));
    if (is_new) strings_.row(found->second, value);
    return found->second;
  }

  // 0: that of everybody who names none.
  std::int64_t domain(const std::string& name, std::uint32_t tid) {
    if (name.empty()) return 0;
    const auto [found, is_new] = domains_.try_emplace(name, static_cast<std::int64_t>(domains_.size()) + 1);
    if (is_new) ranges_.row(0, nullptr, kDomain, name, global_tid(tid), nullptr, found->second);
    return found->second;
  }

  void range(const model::TraceEvent& at, const std::string& name, const std::string& of_domain, bool nested) {
    ranges_.row(since(at.start_monotonic_ns), since(at.end_monotonic_ns), nested ? kPushPop : kStartEnd, name,
                global_tid(at.tid), global_tid(at.tid), domain(of_domain, at.tid));
  }

  void event(const model::TraceEvent& at) {
    const std::uint32_t id = process_->tree.frames[at.frame].name;
    const bool known = id != model::kNoName;
    const model::Name none;
    const model::Name& name = known ? process_->names[id] : none;
    switch (at.kind) {
      case log::TraceKind::Device:
        return work(at, name);
      case log::TraceKind::Wait:
        return waits_.row(since(at.start_monotonic_ns), since(at.end_monotonic_ns), kOsRuntime, global_tid(at.tid),
                          text(name.name), 0);
      case log::TraceKind::Api:
        if (name.group != "CUDA runtime" && name.group != "CUDA driver") return range(at, name.name, name.group, true);
        return calls_.row(since(at.start_monotonic_ns), since(at.end_monotonic_ns),
                          name.group == "CUDA driver" ? kDriver : kRuntime, global_tid(at.tid), at.correlation,
                          text(name.name), 0);
      case log::TraceKind::Range:
        return range(at, chrome_texts(*process_, at).name, name.group, at.node != 0);
      case log::TraceKind::Operator:
        return range(at, name.name, "", true);
    }
  }

  void work(const model::TraceEvent& at, const model::Name& name) {
    const std::int64_t start = since(at.start_monotonic_ns), end = since(at.end_monotonic_ns);
    if (name.kind == log::NameKind::Copy && name.name == "memset") {
      return sets_.row(start, end, at.device, at.context, at.tid, at.correlation, global_pid(), at.bytes,
                       id_of(kMemoryKinds, name.group, kUnknownMemory));
    }
    if (name.kind == log::NameKind::Copy) {
      // The log names the host's side, or the side that is written.
      const int side = id_of(kMemoryKinds, name.group, kUnknownMemory);
      const bool from_host = name.name == "HtoD" || name.name == "HtoH", to_host = name.name == "DtoH";
      return copies_.row(start, end, at.device, at.context, at.tid, at.correlation, global_pid(), at.bytes,
                         id_of(kCopyKinds, name.name, 0), from_host ? side : kDeviceMemory,
                         to_host || name.name == "HtoH" ? side : kDeviceMemory, 1);
    }
    const std::string whole = symbols::demangle(name.name);
    const auto places = subject_.symbols.locations(index_, at.frame);
    const std::string& brief =
        places.empty() ? whole
                       : subject_.symbols.function(subject_.symbols.location(places.front()).function).short_name;
    kernels_.row(start, end, at.device, at.context, at.tid, at.correlation, global_pid(), text(whole),
                 text(brief.empty() ? whole : brief), text(name.name));
  }

  void devices() {
    Insert gpus(database_, "TARGET_INFO_GPU",
                "id, name, isDiscrete, totalMemory, memoryBandwidth, clockRate, smCount, uuid, cuDevice, computeMajor, "
                "computeMinor");
    Insert cuda(database_, "TARGET_INFO_CUDA_DEVICE", "gpuId, cudaId, pid, uuid, numMultiprocessors");
    for (const model::Device& device : process_->devices) {
      if (gpus_.insert(device.index).second) {
        // Bytes in a second: two transfers with each beat of the clock, as wide as the bus.
        const std::uint64_t bandwidth = std::uint64_t{device.memory_clock_khz} * 1000 * 2 * device.memory_bus_bits / 8;
        gpus.row(device.index, device.name, 1, some(device.memory_bytes), some(bandwidth),
                 some(std::uint64_t{device.clock_khz} * 1000), some(device.multiprocessors), some(device.uuid),
                 device.index, device.compute_major, device.compute_minor);
      }
      cuda.row(device.index, device.index, process_->pid, some(device.uuid), some(device.multiprocessors));
    }
  }

  Database& database_;
  const show::Subject& subject_;
  Insert strings_, threads_, kernels_, copies_, sets_, calls_, waits_, ranges_;
  std::unordered_map<std::string, std::int64_t> ids_;
  std::set<std::uint32_t> gpus_;
  // Of the process in hand:
  std::size_t index_ = 0;
  const model::Process* process_ = nullptr;
  std::map<std::string, std::int64_t> domains_;
};

}  // namespace

void add_nsys_tables(Database& database, const show::Subject& subject) {
  const std::vector<std::size_t> traces = selected_traces(subject);
  if (traces.empty()) return;
  NsysTables tables(database, subject);
  for (const std::size_t index : traces) tables.add(index);
  tables.close();
}

}  // namespace prof::formats
