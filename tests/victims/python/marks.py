"""Allocates a big block and writes down the stack at that very place, as the interpreter tells it."""
import ctypes
import sys

BLOCK = 3 << 20
stacks = []


def prototype(library):
    malloc, free = library.malloc, library.free
    malloc.restype, malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    free.restype, free.argtypes = None, [ctypes.c_void_p]
    return malloc, free


malloc, free = prototype(ctypes.CDLL(None))  # without the GIL
malloc_held, free_held = prototype(ctypes.PyDLL(None))  # with it


def walk(frame):
    stack = []
    while frame:
        code = frame.f_code
        stack.append([code.co_filename, getattr(code, "co_qualname", code.co_name), frame.f_lineno])
        frame = frame.f_back
    return stack


# The block and the record must come from the same line: each of these functions is one.
def mark(*ignored): free(malloc(BLOCK)); stacks.append(walk(sys._getframe())); return 1
def held(*ignored): free_held(malloc_held(BLOCK)); stacks.append(walk(sys._getframe())); return 1
