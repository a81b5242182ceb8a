// What a log says of CUDA: names by content, devices, the trace, and the figures of contexts.
#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/model/operator_nodes.hpp"
#include "report/model/process.hpp"
#include "report/model/side_nodes.hpp"
#include "report/read/raw_log.hpp"

namespace prof::model {

// The writer's name ids -> indices into Process::names.
using NameIndex = std::unordered_map<std::uint32_t, std::uint32_t>;

// Appends each different name to `names` once and returns where each id's name is. Of two records with one id the first
// counts. Texts are cut, see cut_text(). Names of an unknown kind have no index.
NameIndex build_names(const std::vector<read::RawName>& raw, std::vector<Name>& names);

// The figures of APIs, devices and ranges; not their memory. `node_of` leads from the writer's node ids to those of the
// tree; records of nodes that cannot have them are counted in `damage`.
void add_gpu_rows(const read::RawLog& log, const SideNodes& side, const OperatorNodes& operators,
                  const std::function<std::uint32_t(std::uint32_t)>& node_of, Damage& damage, Tree& tree);

std::vector<Device> build_devices(const std::vector<read::RawDevice>& raw);
std::vector<DeviceSeries> build_device_series(const std::vector<read::RawDeviceSeries>& raw);

// `frame_of` and `node_of` as above: of frame words, and of the node ids of events of that kind, 0 where there is none.
Trace build_trace(const read::RawTrace& raw, const std::function<std::uint32_t(std::uint64_t)>& frame_of,
                  const std::function<std::uint32_t(log::TraceKind, std::uint32_t)>& node_of);

// Adds what the lines `name=value` of one log::InfoKey::Cuda text say; unknown names are skipped. Where CUPTI is active
// there is no reason why it should not be.
void read_cuda_info(std::string_view text, CudaInfo& cuda);

}  // namespace prof::model
