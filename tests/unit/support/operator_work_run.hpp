// What devices and libraries did for operators. Times in us.
//
//   train (scope) > aten::conv2d (2 calls) > aten::cudnn_convolution (2)  kernel gemm 30 on GPU 0 and 5 on GPU 1,
//                                                                         copy 4
//                                                                         cudnnConvolutionForward: 700 operations
//                                          > aten::conv2d (1)             kernel gemm 11
//                                            kernel add 8
//   aten::mm (1 call, thread 1)            kernel gemm 2; cublasGemmEx: 40 operations
//   aten::open, which has not ended        kernel gemm 6
#pragma once

#include "report/fold/training/operators.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/loaded_run.hpp"

namespace prof::test {

struct WorkRun : LoadedRun {
  static constexpr std::uint64_t kUs = 1000;

  WorkRun() {
    using R = log::RecordClass;
    using N = log::NameKind;
    LogBuilder log;
    log.thread(0).flags = log::kThreadMain;
    log.thread(1);
    log.thread(2).flags = log::kThreadAgent;
    const auto op = [&](std::uint32_t parent, const char* name, const char* group, std::uint64_t calls,
                        std::uint32_t slot = 0) {
      const std::uint32_t node = log.node(parent, log.named(N::Operator, name, group));
      log::OperatorWords words{};
      words.calls = calls;
      words.total_ns = 100 * kUs;
      words.min_ns = words.max_ns = kUs;
      if (calls > 0) log.record(R::Operator, node, words, slot);
      return node;
    };
    const auto gemm = log.name(N::Kernel, "gemm");
    const auto work = [&](std::uint32_t node, std::uint32_t frame, std::uint64_t us) {
      log.record(R::Device, log.node(node, frame), log::DeviceWords{1, us * kUs, us * kUs, us * kUs, 0, 0}, 2);
    };
    const auto call = [&](std::uint32_t node, const char* name, const char* library, std::uint64_t flops,
                          std::uint32_t slot) {
      log.record(R::Api, log.node(node, log.named(N::Api, name, library)),
                 log::ApiWords{1, 0, kUs, kUs, kUs, 0, flops, 0}, slot);
    };
    const std::uint32_t root = log.node(0, log.special(log::SpecialFrame::Operators));
    const std::uint32_t train = op(root, "train", "scope", 1);
    const std::uint32_t conv = op(train, "aten::conv2d", "forward", 2);
    const std::uint32_t cudnn = op(conv, "aten::cudnn_convolution", "forward", 2);
    const std::uint32_t inner = op(conv, "aten::conv2d", "forward", 1);
    const std::uint32_t mm = op(root, "aten::mm", "forward", 1, 1);
    work(cudnn, log.named(gemm, 0), 30);
    work(cudnn, log.named(gemm, 1), 5);
    work(cudnn, log.named(N::Copy, "HtoD", "pinned"), 4);
    work(inner, log.named(gemm, 0), 11);
    work(conv, log.named(N::Kernel, "add"), 8);
    work(mm, log.named(gemm, 0), 2);
    work(op(root, "aten::open", "forward", 0), log.named(gemm, 0), 6);
    call(cudnn, "cudnnConvolutionForward", "cuDNN", 700, 0);
    call(mm, "cublasGemmEx", "cuBLAS", 40, 1);
    log.info(log::InfoKey::Cuda, "state=active");
    load(log);
  }
  fold::Operators ops(fold::OperatorGroup group = fold::OperatorGroup::Name) const {
    return fold::operators(run, selection, group);
  }
};

}  // namespace prof::test
