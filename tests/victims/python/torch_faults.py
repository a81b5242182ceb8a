"""Training loops on the processor, each with one fault, and one with none: torch_faults.py CASE STEPS [DIRECTORY]

The line that has the fault is marked. DIRECTORY is the case's own: files that it reads, modules that it imports.
"""
import os
import sys
import threading
import time

case, steps = sys.argv[1], int(sys.argv[2])
directory = sys.argv[3] if len(sys.argv) > 3 else None


import torch

torch.manual_seed(1)
torch.set_num_threads(len(os.sched_getaffinity(0)))
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
inputs, labels = torch.randn(64, 64), torch.randint(0, 10, (64,))
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
loss_of = torch.nn.CrossEntropyLoss()
kept = []


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def learn():
    optimizer.zero_grad()
    loss = loss_of(model(inputs), labels)
    loss.backward()
    optimizer.step()


def well_made(number):
    learn()


# Without steps: a training that goes on imports once.
def imports_for_long(number):
    if directory not in sys.path:
        sys.path.insert(0, directory)
    import slow_module  # the fault
    burn(0.01)


def stalls_once(number):
    learn()
    if number == 20:
        time.sleep(1)  # the fault


def becomes_slower(number):
    kept.append(number)
    learn()
    burn(0.0002 * len(kept))  # the fault


def loops_over_tensor(number):
    learn()
    total = 0
    for i in range(3000):
        total = total + inputs[0][i % 64]  # the fault


def reads_small_parts(number):
    learn()
    file = os.open(os.path.join(directory, "data"), os.O_RDONLY)
    for i in range(20000):
        os.pread(file, 16, 16 * i)  # the fault
    os.close(file)


buffer = bytearray(32 << 20)  # memory that is got anew for each would be a second fault


def reads_again(number):
    learn()
    with open(os.path.join(directory, "data"), "rb", buffering=0) as file:
        file.readinto(buffer)  # the fault


# It takes a while: what grows is told by the looks at a process's memory, some in a second.
def keeps_memory(number):
    learn()
    time.sleep(0.03)
    kept.append(torch.randn(512, 512))  # the fault


def takes_fresh_memory(number):
    learn()
    torch.ones(16 << 20)  # the fault


# Of the operators not all are parted everywhere; this one is.
def has_too_many_threads(number):
    inputs.repeat(64, 16).sin()  # the fault


many = []


def has_too_few_threads(number):
    # No product of matrices: Debian's BLAS has one thread.
    many or many.append(torch.rand(10_000_000))
    torch.lgamma(many[0])  # the fault


lock = threading.Lock()
over = threading.Event()


def holds_the_lock():
    while not over.is_set():
        with lock:
            time.sleep(0.01)
        time.sleep(0.0001)  # less than a step takes: each one waits


def waits_for_lock(number):
    learn()
    with lock:  # the fault
        pass


def waits_for_interpreter(number):
    x = 1
    for i in range(300000):
        x = x * 3 % 1000003  # the fault


others = []
if case == "waits_for_lock":
    others = [threading.Thread(target=holds_the_lock)]
if case == "waits_for_interpreter":
    others = [threading.Thread(target=lambda: [waits_for_interpreter(0) for _ in range(steps)]) for _ in range(3)]
if case == "has_too_many_threads":
    torch.set_num_threads(16)  # on two processors
if case == "has_too_few_threads":
    torch.set_num_threads(1)

for thread in others:
    thread.start()
step = globals()[case]
for number in range(1, steps + 1):
    step(number)
over.set()
for thread in others:
    thread.join()
print("done")
