# A training loop over gpu_ops: what each line asks of the device is known. gpu_train.py DIRECTORY STEPS
import ctypes
import sys

directory, steps = sys.argv[1], int(sys.argv[2])
c10 = ctypes.CDLL(directory + "/gpu_c10.so", mode=ctypes.RTLD_GLOBAL)
ops = ctypes.CDLL(directory + "/gpu_ops.so")
ops.ops_tensor.restype = ctypes.c_void_p
ops.ops_tensor.argtypes = [ctypes.c_size_t]
ops.ops_drop.argtypes = [ctypes.c_void_p]


class Model:
    def __init__(self):
        self.weights = ops.ops_tensor(1000000)
        self.kept = []

    def forward(self):
        activation = ops.ops_tensor(300000)
        ops.ops_forward(2)
        return activation

    def backward(self, activation):
        ops.ops_backward(1)
        ops.ops_drop(activation)
        self.kept.append(ops.ops_tensor(5000))


def step(model):
    activation = model.forward()
    model.backward(activation)
    ops.ops_synchronize()


def main():
    model = Model()
    for _ in range(steps):
        step(model)
    print("reports", c10.c10_reports())


main()
