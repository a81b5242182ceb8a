"""Launches a Triton kernel before, while and after Triton's own profiler records. Prints what that told."""
import json
import pathlib
import tempfile

import triton.profiler
from triton_kernel import Launches


def counted(node):
    inner = node.get("children", [])
    return sum(map(counted, inner)) if inner else int(node["metrics"].get("count", 0))


def main():
    launch = Launches()
    launch(20)
    with tempfile.TemporaryDirectory() as folder:
        triton.profiler.start(folder + "/told")
        launch(100)
        triton.profiler.finalize()
        told = json.loads(pathlib.Path(folder, "told.hatchet").read_text())
    launch(30)
    print(json.dumps({"theirs": sum(counted(n) for n in told if "metrics" in n), "kernel": "added", "launches": 150}))


main()
