"""A few steps of data-parallel training on the CPU, each rank a process, with gloo.

usage: gloo_ranks.py RANKS FOLDER [told]

Five steps in each rank; rank N computes aten::erf 2 + N times. The ranks know their number by an argument alone; with
"told" by their environment, as launchers have it. FOLDER is where they meet.
"""
import os
import subprocess
import sys

import torch
import torch.distributed as dist
from torch import multiprocessing


def work(rank, ranks, folder):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "meet"), rank=rank, world_size=ranks)
    half = dist.new_group([ranks - 1])  # a group in which a rank has another number
    model = torch.nn.Linear(8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        model(torch.randn(16, 8)).square().mean().backward()
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)
        optimizer.step()
    for _ in range(2 + rank):
        torch.ones(3).erf()
    if rank == ranks - 1:
        dist.all_reduce(torch.ones(1), group=half)
    dist.barrier()
    dist.destroy_process_group()


def main():
    if len(sys.argv) > 4:
        work(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), sys.argv[2])
    elif sys.argv[3:] == ["told"]:
        ranks = int(sys.argv[1])
        children = []
        for rank in range(ranks):
            environment = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(ranks))
            children.append(subprocess.Popen([sys.executable, *sys.argv, "child"], env=environment))
        sys.exit(max(child.wait() for child in children))
    else:
        multiprocessing.spawn(work, (int(sys.argv[1]), sys.argv[2]), nprocs=int(sys.argv[1]))


if __name__ == "__main__":
    main()
