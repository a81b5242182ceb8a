"""Two workers by multiprocessing, started as the first argument says; each burns CPU time and prints its pid."""
import multiprocessing
import os
import sys
import time


def work(number):
    end = time.process_time() + 0.1
    while time.process_time() < end:
        sum(range(1000))
    sys.stdout.write(f"worker {os.getpid()}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    workers = [context.Process(target=work, args=(n,)) for n in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    sys.stdout.write(f"parent {os.getpid()}\n")
    sys.exit(max(worker.exitcode for worker in workers))
