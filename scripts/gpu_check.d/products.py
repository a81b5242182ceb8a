"""Products of matrices alone, timed by events of the device. Prints their FLOPs and the rate."""
import json

import torch


def main(n=8192, times=60):  # so large that what is between two products does not count
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    for _ in range(5):
        a @ b
    torch.cuda.synchronize()
    began, ended = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.cudart().cudaProfilerStart()
    began.record()
    for _ in range(times):
        a @ b
    ended.record()
    torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStop()
    flops = 2 * n**3 * times
    print(json.dumps({"flops": flops, "flops_per_s": flops / (began.elapsed_time(ended) / 1e3)}))


main()
