"""Allocates while the chain of C frames that CPython 3.10 keeps leads back into itself, as a switch of stacks may leave
it. Nothing of the interpreter follows the chain meanwhile."""
import ctypes
import sys

CFRAME_OF_THREAD_STATE = 48
PREVIOUS = 8  # in a C frame

assert sys.version_info[:2] == (3, 10)
ctypes.pythonapi.PyThreadState_Get.restype = ctypes.c_void_p
state = ctypes.pythonapi.PyThreadState_Get()
cframe = ctypes.c_void_p.from_address(state + CFRAME_OF_THREAD_STATE).value
previous = ctypes.c_void_p.from_address(cframe + PREVIOUS)
before = previous.value
rounds = int(sys.argv[1])
previous.value = cframe
for _ in range(rounds):
    bytes(1000)
previous.value = before
print("ok")
