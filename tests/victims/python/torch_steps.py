"""A training loop of a small network whose steps are known: 50 of them, a stall in step 20, and slow data for every tenth.

  torch_steps.py train [STEPS]   prints, for each step, how long it and its parts took, by its own clock
  torch_steps.py profile         with torch.profiler's own schedule around it
  torch_steps.py function        each step a call of the function train_step, without a loader
  torch_steps.py inference       batches that nothing is learned from
  torch_steps.py ranks PORT      eight steps of two ranks by gloo, of which rank 1 sleeps before its backward pass
"""
import json
import os
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

SIZE = 256


class Slow(Dataset):
    """Every tenth batch is slow to come."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        time.sleep(0.08 if i % 10 == 9 else 0.002)
        return torch.full((SIZE,), float(i % 7))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(*[torch.nn.Linear(SIZE, SIZE) for _ in range(6)])

    def forward(self, x):
        return self.layers(x).square().mean()


def now():
    return time.clock_gettime(time.CLOCK_MONOTONIC)


def train(steps, each_step=lambda: None):
    torch.manual_seed(1)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    told = []
    began = now()
    batches = iter(DataLoader(Slow(steps), batch_size=1))
    for step in range(1, steps + 1):
        times = [now()]
        batch = next(batches).expand(64, SIZE)
        times.append(now())
        loss = net(batch)
        times.append(now())
        if step == 20:
            time.sleep(0.3)
        optimizer.zero_grad()
        loss.backward()
        times.append(now())
        optimizer.step()
        times.append(now())
        told.append({"step": times[4] - (began if step == 1 else told[-1]["end"]), "data": times[1] - times[0],
                     "forward": times[2] - times[1], "backward": times[3] - times[2],
                     "optimizer": times[4] - times[3], "end": times[4]})
        each_step()
    print(json.dumps(told))


def profile():
    from torch.profiler import ProfilerActivity, schedule
    with torch.profiler.profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=2, warmup=1, active=2)) as p:
        train(12, p.step)


def train_step(net, optimizer):
    optimizer.zero_grad()
    net(torch.ones(8, SIZE)).backward()
    optimizer.step()
    time.sleep(0.005)


def function():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(9):
        train_step(net, optimizer)


def inference():
    net = Net()
    with torch.no_grad():
        for _ in range(2):
            for batch in DataLoader(Slow(8), batch_size=1, num_workers=1):
                net(batch.expand(64, SIZE)).item()


def rank_of_two(rank):
    torch.distributed.init_process_group("gloo", rank=rank, world_size=2)
    net = torch.nn.parallel.DistributedDataParallel(Net())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(8):
        optimizer.zero_grad()
        loss = net(torch.ones(8, SIZE))
        time.sleep(0.1 * rank)
        loss.backward()
        optimizer.step()
    torch.distributed.destroy_process_group()


def ranks():
    if "RANK" in os.environ:
        return rank_of_two(int(os.environ["RANK"]))
    pids = []
    for rank in range(2):
        environment = dict(os.environ, RANK=str(rank), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT=sys.argv[2])
        pids.append(os.spawnve(os.P_NOWAIT, sys.executable, [sys.executable] + sys.argv, environment))
    if any(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids):
        sys.exit("a rank failed")


if __name__ == "__main__":
    torch.set_num_threads(1)
    if sys.argv[1] == "train":
        train(int(sys.argv[2]) if len(sys.argv) > 2 else 50)
    else:
        {"profile": profile, "function": function, "inference": inference, "ranks": ranks}[sys.argv[1]]()
