# Operators of PyTorch that launch kernels and call cuBLAS, by way of gpu_ops and gpu_gemm. torch_gpu_ops.py DIRECTORY STEPS
import ctypes
import sys

import torch

directory, steps = sys.argv[1], int(sys.argv[2])
c10 = ctypes.CDLL(directory + "/gpu_c10.so", mode=ctypes.RTLD_GLOBAL)
launch = ctypes.CDLL(directory + "/gpu_ops.so")
products = ctypes.CDLL(directory + "/gpu_gemm.so")

library = torch.library.Library("gpu", "DEF")
library.define("inner(Tensor x) -> Tensor")
library.define("outer(Tensor x) -> Tensor")


def inner(x):
    launch.ops_forward(2)  # of 400 us each
    products.gemm(2)
    return x + 1


def outer(x):
    launch.ops_forward(1)
    products.gemm(1)
    return torch.ops.gpu.inner(x)


library.impl("inner", inner, "CPU")
library.impl("outer", outer, "CPU")


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.ops.gpu.outer(x)


net, x = Net(), torch.ones(3)
for _ in range(steps):
    with torch.profiler.record_function("train"):
        net(x)
    launch.ops_backward(1)  # of 700 us, in no operator
    products.gemm(1)
launch.ops_synchronize()
print("done")
