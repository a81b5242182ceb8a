"""torch on the processor: training, a DataLoader with processes, DDP over gloo, and torch.compile."""
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 2000

    def __getitem__(self, n):
        x = torch.arange(16, dtype=torch.float32) * ((n * 7919 % 101) / 1000)
        return x, x.sin().sum().reshape(1)


def model():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))


def train(net, workers=0, epochs=2):
    optimizer = torch.optim.SGD(net.parameters(), 0.002)
    losses = []
    for _ in range(epochs):
        for x, y in DataLoader(Numbers(), 50, num_workers=workers):
            loss = torch.nn.functional.mse_loss(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses[-1] < losses[0]


def rank(number, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=number, world_size=2)
    net = torch.nn.parallel.DistributedDataParallel(model())
    fell = train(net)
    weight = torch.cat([p.detach().flatten() for p in net.parameters()]).sum()
    both = [torch.zeros_like(weight) for _ in range(2)]
    dist.all_gather(both, weight)
    if number == 0:
        print("ddp", fell, bool(both[0] == both[1]), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    print("train", train(model()))
    print("loader", train(model(), workers=2))
    mp.spawn(rank, (os.path.abspath("store"),), nprocs=2)
    print("compiled", train(torch.compile(model())))
