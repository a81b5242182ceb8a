"""A thread that C made and that never runs Python burns CPU time while the main thread does.

usage: native_thread.py LIBRARY SECONDS
LIBRARY exports burn_in_thread(seconds), join_thread() and burn_here(seconds).
"""
import ctypes
import sys
import threading
import time

library = ctypes.CDLL(sys.argv[1])
for name in ("burn_in_thread", "burn_here"):
    getattr(library, name).argtypes = [ctypes.c_double]


def in_python(end):
    while time.thread_time() < end:
        sum(range(200))


def in_native(seconds):
    library.burn_here(seconds)


def main(seconds):
    library.burn_in_thread(seconds)
    in_python(time.thread_time() + seconds)
    in_native(seconds)
    worker = threading.Thread(target=in_native, args=(seconds,), name="the wörker")
    worker.start()
    worker.join()
    library.join_thread()


main(float(sys.argv[2]))
