// A run of two processes that use a GPU, with known figures, for tests of what is read, folded and shown of it.
//
//   process 400 "python3 train.py" (rank 0), Python code train() in /app/train.py, native ones in a library that does
//   not exist ("libwork.so+0x100"). Times on the GPU:
//     <range "step"> > train:10 > 0x100 > cudaLaunchKernel (4 calls, 40 us; 1 fails: 700)
//                                         > kernel add(float, float*), GPU 0      3 of 300 us; spread 100 us each
//                                         > kernel add(float, float*), GPU 1      1 of  50 us
//                                         idle: 2 gaps of 500 us: 100 sync, 300 waiting, 60 launch, 30 python, 10
//                                         native
//     <range "step"> > train:20 > cublasGemmEx (2 calls, 60 us, 4e9 FLOP)
//                                         > kernel ampere_h16816gemm, GPU 0      2 of 2 ms
//     train:30 > cudaMemcpyAsync (5 calls, 50 us, 5,000 bytes)
//                                         > HtoD pinned, GPU 0            4 of 80 us, 4,000 bytes; 1 untimed, 1,000
//                                         bytes
//     train:40 > cudaMalloc (2 calls, 20 us, 3 MiB)   segments: 3 MiB, 1 MiB freed; 3 MiB at the peak
//     train:50                                        tensors: 1.5 MiB; live and at the peak
//     (launch not seen) > kernel mystery, GPU 0           1 of 7 us
//     cudaEventRecord below the root                      1,000 calls, 1 ms
//     20 ms of CPU time in <range "step"> > train:10; range "step": 2 times, 30 ms; open range "epoch": once, 90 ms
//   process 401 (rank 1), forked by 400: the same kernel add below train:10 under other ids, 1 of 900 us on GPU 0
#pragma once

#include <string>

#include "tests/unit/support/loaded_run.hpp"

namespace prof::test {

class GpuRun : public LoadedRun {
 public:
  explicit GpuRun(bool traced = true) {
    write_parent(traced);
    write_child();
    load();
  }

 private:
  static constexpr std::uint64_t kUs = 1'000, kMs = 1'000'000, kMi = 1 << 20;

  static log::DeviceRecord gpu(const char* name, std::uint8_t id) {
    log::DeviceRecord record{};
    record.state = 1;
    record.compute_major = 8;
    record.multiprocessors = 108;
    record.clock_khz = 1'410'000;
    record.memory_bytes = 80ULL << 30;
    record.uuid[15] = id;
    std::strcpy(record.name, name);
    return record;
  }

  void write_parent(bool traced) {
    using R = log::RecordClass;
    using N = log::NameKind;
    LogBuilder log;
    log.header.pid = 400;
    log.header.log_id = 1;
    log.header.rank = 0;
    log.header.cpu_ns = 20 * kMs;
    log.header.segments.epoch = log.header.tensors.epoch = 1;
    log.info(log::InfoKey::Argv, std::string("python3\0train.py", 16));
    log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames");
    log.info(log::InfoKey::Cuda, "state=host\nreason=not yet\ncupti=130001\ndriver=12040");
    log.info(log::InfoKey::Cuda, "state=active\noverhead_ms=12\nnote=torch.profiler was active from 1 s to 2 s");
    log.thread(0).flags = log::kThreadMain;
    log.thread(1).flags = log::kThreadAgent;
    const auto work = log.native(log.module("/nowhere/libwork.so"), 0x100);
    const auto train = log.code("train", "train", "/app/train.py", 0, table(), log::CodeKind::Code, 10);
    const auto line = [&](std::uint32_t above, std::uint32_t number) {
      return log.node(above, log.python(train, 2 * (number - 1)));
    };
    const auto launch_frame = log.named(N::Api, "cudaLaunchKernel", "CUDA runtime");
    const auto add = log.name(N::Kernel, "_Z3addfPf"), pinned = log.name(N::Copy, "HtoD", "pinned");
    const auto add0 = log.named(add, 0), add1 = log.named(add, 1), copy0 = log.named(pinned, 0);
    const auto step = log.named(N::Range, "step"), epoch = log.named(N::Range, "epoch", "loop");

    const auto in_step = log.node(0, step);
    log.record(R::Range, in_step, log::RangeWords{2, 30 * kMs, 10 * kMs, 20 * kMs});
    const auto ten = line(in_step, 10), twenty = line(in_step, 20);
    log.cpu(ten, 2, 20 * kMs);
    const auto launch = log.node(log.node(ten, work), launch_frame);
    log.record(R::Api, launch, log::ApiWords{4, 1, 40 * kUs, 5 * kUs, 20 * kUs, 0, 0, 700});
    log.record(R::Device, log.node(launch, add0), log::DeviceWords{3, 300 * kUs, 90 * kUs, 110 * kUs, 0, 0});
    log.record(R::Device, log.node(launch, add1), log::DeviceWords{1, 50 * kUs, 50 * kUs, 50 * kUs, 0, 0});
    log.record(R::Idle, launch,
               log::IdleWords{2, 500 * kUs, 400 * kUs, 100 * kUs, 300 * kUs, 60 * kUs, 30 * kUs, 10 * kUs});
    const auto gemm = log.node(twenty, log.named(N::Api, "cublasGemmEx", "cuBLAS"));
    log.record(R::Api, gemm, log::ApiWords{2, 0, 60 * kUs, 30 * kUs, 30 * kUs, 0, 4'000'000'000, 0});
    log.record(R::Device, log.node(gemm, log.named(N::Kernel, "ampere_h16816gemm")),
               log::DeviceWords{2, 2 * kMs, 1 * kMs, 1 * kMs, 0, 0});
    const auto copy = log.node(line(0, 30), log.named(N::Api, "cudaMemcpyAsync", "CUDA runtime"));
    log.record(R::Api, copy, log::ApiWords{5, 0, 50 * kUs, 10 * kUs, 10 * kUs, 5000, 0, 0});
    log.record(R::Device, log.node(copy, copy0), log::DeviceWords{5, 80 * kUs, 20 * kUs, 20 * kUs, 5000, 1});
    const auto segment = log.node(line(0, 40), log.named(N::Api, "cudaMalloc", "CUDA runtime"));
    log.record(R::Api, segment, log::ApiWords{2, 0, 20 * kUs, 10 * kUs, 10 * kUs, 3 * kMi, 0, 0});
    log.memory(R::Segment, segment, memory_words(2 * log::kCountUnit, 3 * kMi, log::kCountUnit, kMi, 3 * kMi, 1, 2));
    log.memory(R::Tensor, line(0, 50), memory_words(3 * log::kCountUnit, kMi * 3 / 2, 0, 0, kMi * 3 / 2, 1, 3));
    const auto unseen = log.node(0, log.special(log::SpecialFrame::UnseenLaunch));
    log.record(R::Device, log.node(unseen, log.named(N::Kernel, "mystery")),
               log::DeviceWords{1, 7 * kUs, 7 * kUs, 7 * kUs, 0, 0});
    log.record(R::Api, log.node(0, log.named(N::Api, "cudaEventRecord", "CUDA runtime")),
               log::ApiWords{1000, 0, 1 * kMs, 500, 2 * kUs, 0, 0, 0});

    const auto spreads = log.node(0, log.special(log::SpecialFrame::Spreads));
    log.record(R::Spread, log.node(spreads, add0), spread(100 * kUs, 3));
    log.record(R::Spread, log.node(spreads, launch_frame), spread(8 * kUs, 4));
    const auto streams = log.node(0, log.special(log::SpecialFrame::Streams));
    const auto seven = log.node(streams, log.named(N::Stream, "7", "context 1"));
    log.record(R::Device, log.node(seven, add0), log::DeviceWords{3, 300 * kUs, 90 * kUs, 110 * kUs, 0, 0});
    log.record(R::Device, log.node(seven, copy0), log::DeviceWords{5, 80 * kUs, 20 * kUs, 20 * kUs, 5000, 1});
    const auto open = log.node(0, log.special(log::SpecialFrame::OpenRanges));
    log.record(R::Range, log.node(open, epoch), log::RangeWords{1, 90 * kMs, 90 * kMs, 90 * kMs});

    log::DeviceRecord first = gpu("Test GPU", 1);
    first.first_ns = log.header.start_monotonic_ns + 100 * kMs;
    first.last_ns = first.first_ns + 10 * kMs;
    first.busy_ns = 4 * kMs;
    first.segments_live = 2 * kMi;
    first.segments_peak = 3 * kMi;
    first.tensors_live = first.tensors_peak = kMi * 3 / 2;
    first.reserved_live = first.reserved_peak = 2 * kMi;
    log.devices({first, gpu("Test GPU", 2)});
    log::DevicePoint point{};
    point.used_bytes = 10 * kMi;
    point.segments_live = 3 * kMi;
    point.energy_mj = 1'000;
    point.busy_percent = 40;
    point.power_mw = 100'000;
    point.memory_busy_percent = point.temperature_c = point.clock_mhz = point.memory_clock_mhz = UINT32_MAX;
    log::DevicePoint later = point;
    later.slot = 1;
    later.busy_percent = 80;
    later.energy_mj = 101'000;
    log.device_series(0, {point, later});
    log.series({{0, 0, 0, 0, 0, 1 << 20, 1 << 20, 5, 0}, {9, 0, 0, 0, 0, 1 << 20, 1 << 20, 50, 0}});
    if (traced) trace(log, in_step, launch);
    log.write(directory() / "400.1.proflog");
  }

  static void trace(LogBuilder& log, std::uint32_t range, std::uint32_t launch) {
    const std::uint64_t start = log.header.start_monotonic_ns;
    const auto event = [&](log::TraceKind kind, std::uint64_t frame, std::uint64_t from_us, std::uint64_t us,
                           std::uint32_t tid, std::uint32_t correlation) {
      log::TraceEvent out{};
      out.kind = static_cast<std::uint32_t>(kind);
      out.frame = frame;
      out.start_ns = start + from_us * kUs;
      out.end_ns = out.start_ns + us * kUs;
      out.tid = tid;
      out.correlation = correlation;
      out.context = 1;
      return out;
    };
    // Names by their ids: 1 cudaLaunchKernel, 2 the kernel, 3 the copy, 4 the range.
    std::vector<log::TraceEvent> events;
    events.push_back(event(log::TraceKind::Range, log::named_frame(4, 0), 5, 100, 1000, 0));
    events.back().node = range;
    events.push_back(event(log::TraceKind::Api, log::named_frame(1, 0), 10, 5, 1000, 77));
    events.back().node = launch;
    events.push_back(event(log::TraceKind::Device, log::named_frame(2, 0), 20, 30, 7, 77));
    events.push_back(event(log::TraceKind::Device, log::named_frame(3, 0), 60, 10, 7, 78));
    events.back().bytes = 40'000;
    log.trace(events, 4, 6);  // two were overwritten
  }

  void write_child() {
    LogBuilder log;
    log.header.pid = 401;
    log.header.ppid = 400;
    log.header.log_id = 2;
    log.header.parent_log_id = 1;
    log.header.origin = log::Origin::Forked;
    log.header.rank = 1;
    log.header.start_realtime_ns += kMs;
    log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames");
    log.info(log::InfoKey::Cuda, "state=active\ncupti=130001");
    log.thread(0);
    log.name(log::NameKind::Operator, "aten::add");
    const auto train = log.code("train", "train", "/app/train.py", 0, table(), log::CodeKind::Code, 10);
    const auto launch =
        log.node(log.node(0, log.python(train, 18)), log.named(log::NameKind::Api, "cudaLaunchKernel", "CUDA runtime"));
    log.record(log::RecordClass::Api, launch, log::ApiWords{1, 0, 9 * kUs, 9 * kUs, 9 * kUs, 0, 0, 0});
    log.record(log::RecordClass::Device, log.node(launch, log.named(log::NameKind::Kernel, "_Z3addfPf")),
               log::DeviceWords{1, 900 * kUs, 900 * kUs, 900 * kUs, 0, 0});
    log::DeviceRecord first = gpu("Test GPU", 1);
    first.first_ns = log.header.start_monotonic_ns + 105 * kMs;
    first.last_ns = first.first_ns + 15 * kMs;
    first.busy_ns = 900 * kUs;
    log.devices({first});
    log.write(directory() / "401.1.proflog");
  }
};

}  // namespace prof::test
