"""Operators in many places: workers of a DataLoader, threads, a script, an exception, and an end by SIGKILL.

usage: torch_workers.py    needs torch
"""
import os
import signal
import threading

import torch
from torch.profiler import record_function
from torch.utils.data import DataLoader, Dataset


class Cubes(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, index):
        return torch.full((4,), float(index)).erf()


@torch.jit.script
def scripted(x: torch.Tensor) -> torch.Tensor:
    for _ in range(3):
        x = torch.sinh(x)
    return x


def in_thread():
    for _ in range(50):
        torch.ones(3).cosh()


def main():
    torch.set_num_threads(1)
    with record_function("loading"):
        for batch in DataLoader(Cubes(), batch_size=2, num_workers=2):
            batch.tanh()
    threads = [threading.Thread(target=in_thread) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    scripted(torch.ones(2))
    for number in range(5):
        with record_function(f"attempt#{number}"):
            try:
                torch.mm(torch.ones(2, 3), torch.ones(2, 3))
            except RuntimeError:
                pass
    os.kill(os.getpid(), signal.SIGKILL)


main()
