"""CPU time that is burnt for somebody, and how much it was: for victims that know the truth by name."""
import collections
import time

clock = time.thread_time
burnt = collections.Counter()


def burn(name, seconds):
    began = now = clock()
    while now < began + seconds:
        sum(range(2000))
        now = clock()
    burnt[name] += now - began
