# A training loop whose backward passes run in another thread, as PyTorch's do. gpu_backward.py DIRECTORY STEPS
import ctypes
import sys

directory, steps = sys.argv[1], int(sys.argv[2])
engine = ctypes.CDLL(directory + "/libtorch_engine.so")
graph = {"engine": engine}
exec(compile("def _engine_run_backward(count):\n    engine.engine_run(count)\n",
             "/v/site-packages/torch/autograd/graph.py", "exec"), graph)


def step():
    graph["_engine_run_backward"](3)


def main():
    for _ in range(steps):
        step()
    print("done")


main()
