"""Runs a command, its output thrown away, and prints what it took: ms of wall and CPU time, MiB resident at most.
usage: resources.py COMMAND [ARGUMENT...]"""
import resource
import subprocess
import sys
import time

began = time.monotonic()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print("wall", (time.monotonic() - began) * 1000)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("CPU", (used.ru_utime + used.ru_stime) * 1000)
print("resident", used.ru_maxrss / 1024)
