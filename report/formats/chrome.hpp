// A trace as torch.profiler writes it: for Perfetto, chrome://tracing and Holistic Trace Analysis.
#pragma once

#include <cstddef>
#include <cstdint>

#include "report/formats/write.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

struct ChromeResult {
  std::size_t traces = 0;         // selected processes with a trace
  std::size_t events = 0;         // that were written
  std::uint64_t overwritten = 0;  // that the rings no longer had
  std::size_t ranks = 0;          // different ones among those processes
};

// Host calls with their thread, device work with its stream, joined by arrows; the steps of loops as torch.profiler
// annotates its own; times in us from the run's start. The rank is told where all processes share one. Writes nothing
// where no selected process has a trace. Focus and ignore mean nothing here.
ChromeResult chrome(const show::Subject& subject, const Write& write);

}  // namespace prof::formats
