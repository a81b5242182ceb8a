"""Two ranks of one training, which exchange gradients by gloo: torch_ranks.py CASE STEPS PORT

CASE: balanced, one_is_slow, exchanges_much. The line that has the fault is marked.
"""
import os
import sys
import time

case, steps, port = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def train(rank):
    # Not in the parent, where it takes as long again.
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", rank=rank, world_size=2)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = torch.nn.Linear(64, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    much = torch.ones(4 << 20)
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.randn(32, 64)).square().mean().backward()
        burn(0.02)
        if case == "one_is_slow" and rank == 1:
            sum(x * x % 7 for x in range(400000))  # the fault of one_is_slow
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)  # gradients
        if case == "exchanges_much":
            dist.all_reduce(much)  # the fault of exchanges_much
        optimizer.step()
    dist.destroy_process_group()


# As torchrun starts them: processes of their own, which their environment tells who they are.
if "RANK" in os.environ:
    train(int(os.environ["RANK"]))
else:
    pids = []
    for rank in range(2):
        environment = dict(os.environ, RANK=str(rank), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
        pids.append(os.spawnve(os.P_NOWAIT, sys.executable, [sys.executable] + sys.argv, environment))
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    print("done" if codes == [0, 0] else codes)
