"""Ray: a local cluster of many processes, tasks, actors, objects in shared memory, a task that fails and one that dies."""
import hashlib
import os
import shutil

import numpy as np
import ray

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"


@ray.remote
def work(n):
    return hashlib.pbkdf2_hmac("sha256", b"%d" % n, b"salt", 5000).hex()


@ray.remote
def total(array, factor):
    return int(array.sum() * factor)


@ray.remote
class Counter:
    def __init__(self):
        self.count = 0

    def add(self, n):
        self.count += n
        return self.count


@ray.remote(max_retries=0)
def dies():
    os._exit(1)


@ray.remote(max_retries=0)
def wrong():
    raise ValueError("on purpose")


# Ray says on standard output, too, which worker died: with numbers that are never the same.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
# A path that is short enough for its sockets.
folder = f"/tmp/ray-{os.getpid()}"
options = {"include_dashboard": False, "log_to_driver": False, "object_store_memory": 200 << 20}
ray.init(num_cpus=3, _temp_dir=folder, _node_ip_address="127.0.0.1", **options)
print("tasks", hashlib.sha256("".join(ray.get([work.remote(n) for n in range(100)])).encode()).hexdigest(), file=answers)
array = ray.put(np.arange(1_000_000))
print("objects", ray.get([total.remote(array, n) for n in range(6)]), file=answers)
counters = [Counter.remote() for _ in range(3)]
for n in range(50):
    for counter in counters:
        counter.add.remote(n)
print("actors", ray.get([counter.add.remote(0) for counter in counters]), file=answers)
for task in wrong, dies:
    try:
        ray.get(task.remote())
    except (ray.exceptions.RayTaskError, ray.exceptions.WorkerCrashedError) as error:
        print(task._function_name.split(".")[-1], type(error).__name__, file=answers)
ray.shutdown()
shutil.rmtree(folder, ignore_errors=True)
