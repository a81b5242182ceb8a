"""Replays a graph of 40 small kernels for SECONDS. Prints how resident and device memory grew from the first tenth on."""
import json
import sys
import time

import torch
from graphs import captured


def resident_mib():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def device_mib():
    free, total = torch.cuda.mem_get_info()
    return (total - free) / 2**20


@torch.no_grad()
def main():
    seconds = float(sys.argv[1])
    graph, kept = captured(40)
    began, replays, early = time.monotonic(), 0, None
    while (spent := time.monotonic() - began) < seconds:
        if early is None and spent > seconds / 10:
            early = resident_mib(), device_mib()
        for _ in range(100):
            graph.replay()
        replays += 100
        torch.cuda.synchronize()
    print(json.dumps({"replays": replays, "resident_mib": resident_mib() - early[0], "device_mib": device_mib() - early[1]}))


main()
