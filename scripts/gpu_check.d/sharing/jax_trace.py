"""Runs a compiled function of JAX before, while and after jax.profiler records. Prints how much work that told."""
import glob
import gzip
import json
import tempfile

import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    return jnp.tanh(x @ x) * 0.5


def main():
    def run(x, times):
        for _ in range(times):
            x = step(x)
        return x.block_until_ready()

    x = run(jax.random.normal(jax.random.PRNGKey(0), (512, 512)), 10)
    told = 0
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            x = run(x, 50)
        for path in glob.glob(folder + "/**/*.trace.json.gz", recursive=True):
            events = json.loads(gzip.open(path).read())["traceEvents"]
            devices = {e["pid"] for e in events if e.get("name") == "process_name" and "GPU" in e["args"]["name"]}
            told += sum(e.get("ph") == "X" and e["pid"] in devices for e in events)
    run(x, 20)
    print(json.dumps({"theirs": told}))


main()
