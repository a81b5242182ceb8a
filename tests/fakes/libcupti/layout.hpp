// Where the fields of CUPTI's records lie, the same in all versions; a test compares them with CUPTI's own headers.
#pragma once

#include <cstddef>

namespace fakegpu::cupti::at {

namespace kernel {
inline constexpr std::size_t registers = 6, start = 16, end = 24, device = 40, context = 44, stream = 48, grid = 52,
                             block = 64, shared = 80, correlation = 92, name = 104;
}  // namespace kernel
namespace kernel_graph {
inline constexpr std::size_t node = 144, graph = 156;
}  // namespace kernel_graph
namespace copy {
inline constexpr std::size_t kind = 4, from = 5, to = 6, bytes = 8, start = 16, end = 24, device = 32, context = 36,
                             stream = 40, correlation = 44, node = 64, graph = 72;
}  // namespace copy
namespace peer {
inline constexpr std::size_t kind = 4, from = 5, to = 6, bytes = 8, start = 16, end = 24, device = 32, context = 36,
                             stream = 40, source_device = 44, target_device = 52, correlation = 60;
}  // namespace peer
namespace set {
inline constexpr std::size_t value = 4, bytes = 8, start = 16, end = 24, device = 32, context = 36, stream = 40,
                             correlation = 44, memory = 50;
}  // namespace set
namespace external {
inline constexpr std::size_t kind = 4, id = 8, correlation = 16;
}  // namespace external
namespace api {
inline constexpr std::size_t cbid = 4, start = 8, end = 16, process = 24, thread = 28, correlation = 32, result = 36;
}  // namespace api
namespace graph_trace {
inline constexpr std::size_t correlation = 4, start = 8, end = 16, device = 24, graph = 28, context = 32, stream = 36;
}  // namespace graph_trace
namespace wait {
inline constexpr std::size_t type = 4, start = 8, end = 16, correlation = 24, context = 28, stream = 32;
}  // namespace wait
namespace context {
inline constexpr std::size_t id = 4, device = 8, api = 12, default_stream = 14;
}  // namespace context
namespace device {
inline constexpr std::size_t memory = 16, clock = 36, multiprocessors = 44, major = 104, minor = 108, id = 112,
                             uuid = 120, name = 136;
}  // namespace device
namespace overhead {
inline constexpr std::size_t type = 4, start = 24, end = 32;
}  // namespace overhead

}  // namespace fakegpu::cupti::at
