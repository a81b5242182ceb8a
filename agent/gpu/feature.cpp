#include "agent/thread/feature.hpp"
#include "agent/gpu/cudnn_graph.hpp"
#include "agent/gpu/device.hpp"
#include "agent/gpu/fft_plans.hpp"
#include "agent/gpu/memory.hpp"
#include "agent/gpu/nvml.hpp"

namespace prof::gpu {
namespace {

void prepare() {
  prepare_device();
  prepare_memory();
  prepare_nvml();
  prepare_fft_plans();
  cudnn::prepare();
}

void before_end() { end_device(true); }

}  // namespace

extern constinit const Feature feature{
    .prepare = prepare, .offer = offer_device_door, .before_end = before_end, .exec_failed = resume_device};

}  // namespace prof::gpu
