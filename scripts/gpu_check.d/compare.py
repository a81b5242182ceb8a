"""Reads what gpu_check's programs printed and what prof reported of them, and prints one table. usage: compare.py DIR"""
import json
import pathlib
import re
import statistics
import sys

DIR = pathlib.Path(sys.argv[1])
TOLERANCE = 0.01


def numbers_of(header):
    return {name: eval(value, {}) for name, value in re.findall(r"(k\w+) = ([0-9 <]+)", header.read_text())}


KNOWN = numbers_of(pathlib.Path(__file__).with_name("launches.h"))
rows = []
bad = 0


def row(what, expected, found, tolerance=TOLERANCE, unit=""):
    """One comparison; `found` None: prof has no such figure."""
    global bad
    if found is None:
        difference, verdict = "", "MISSING"
    else:
        off = (found - expected) / expected if expected else float(found != expected)
        difference = f"{off * 100:+.2f} %"
        verdict = "ok" if abs(off) <= tolerance else "DIFFERS"
    bad += verdict != "ok"
    shown = lambda v: "-" if v is None else f"{v:,.0f}{unit}" if float(v).is_integer() or abs(v) > 1000 else f"{v:.4g}{unit}"
    rows.append((what, shown(expected), shown(found), difference, verdict))


def report(name):
    path = DIR / (name + ".json")
    return json.loads(path.read_text()) if path.exists() and path.stat().st_size else None


def printed(name):
    """The JSON objects, one a line, that the program printed."""
    path = DIR / (name + ".out")
    return [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")] if path.exists() else []


def plain(name):
    return re.sub(r"\s+", "", name)


def kernels(data, name=None):
    found = [k for k in data["kernels"] or [] if name is None or plain(k["name"]).split("(")[0].endswith(name)]
    return sum(k["calls"] for k in found), sum(k["total_s"] or 0 for k in found)


def copies(data, kind):
    found = [c for c in data["copies"] or [] if c["kind"] == kind]
    return sum(c["calls"] for c in found), sum(c["bytes"] or 0 for c in found)


def known_program(name, graphs):
    data = report(name)
    if data is None:
        return
    scales = KNOWN["kScales"] + (KNOWN["kGraphLaunches"] * KNOWN["kGraphNodes"] if graphs else 0)
    row(f"{name}: launches of scale", scales, kernels(data, "scale")[0], 0)
    row(f"{name}: launches of sum", KNOWN["kSums"], kernels(data, "sum")[0], 0)
    if graphs:
        row(f"{name}: launches of empty", KNOWN["kTimed"], kernels(data, "empty")[0], 0)
    for kind, count in (("HtoD", "kCopiesIn"), ("DtoH", "kCopiesOut"), ("DtoD", "kCopiesWithin"), ("memset", "kSets")):
        row(f"{name}: {kind}", KNOWN[count], copies(data, kind)[0], 0)
        row(f"{name}: {kind} bytes", KNOWN[count] * KNOWN["kBytes"], copies(data, kind)[1], 0)


def is_kernel(name):
    # Copies and sets in a graph come by the names of the driver's kernels; optimizers are ranges on the device.
    return (not name.startswith(("Memcpy", "Memset", "memset", "memcpy")) and not name.startswith("Optimizer.step#")
            and name not in ("Context Sync", "Stream Sync", "Device Sync", "Event Sync"))


def trained(variant):
    both, theirs = printed("torch_both_" + variant), printed("torch_theirs_" + variant)
    data, alone = report("torch_both_" + variant), report("torch_ours_" + variant)
    if both and data is not None:
        counted = [v for name, v in both[0]["kernels"].items() if is_kernel(name)]
        row(f"{variant}: kernels, both at once", sum(v[0] for v in counted), kernels(data)[0])
        row(f"{variant}: kernel time, both at once", sum(v[1] for v in counted) / 1e9, kernels(data)[1], unit=" s")
        ours = {}
        for k in data["kernels"] or []:
            ours[plain(k["name"])] = ours.get(plain(k["name"]), 0) + k["calls"]
        differing = sum(ours.get(plain(name), 0) != v[0] for name, v in both[0]["kernels"].items() if is_kernel(name))
        row(f"{variant}: kernels by name whose count differs", 0, differing, 0)
    if both and theirs:
        count = lambda run: sum(v[0] for name, v in run[0]["kernels"].items() if is_kernel(name))
        row(f"{variant}: kernels torch.profiler tells under libprof", count(theirs), count(both))
    if theirs and alone is not None:
        counted = sum(v[0] for name, v in theirs[0]["kernels"].items() if is_kernel(name))
        row(f"{variant}: kernels, each alone", counted, kernels(alone)[0])
    ran = printed("torch_ours_" + variant)
    if ran and alone is not None and "resnet" in variant and "graph" not in variant:
        flops = sum(a["flops"] or 0 for a in alone["api"] or [])
        row(f"{variant}: FLOPs of a step", ran[0]["flops_of_a_step"], flops / ran[0]["steps"])


def processes():
    data, ran = report("processes"), printed("processes")
    if data is None:
        return
    ranks = sorted(p["rank"] for p in data["processes"] if p["rank"] is not None)
    row("processes: ranks seen", len(ran), len(set(ranks)), 0)
    row("processes: peak of tensors in one process", max(r["peak_tensor_bytes"] for r in ran),
        sum(m["tensors_peak_bytes"] or 0 for m in data["device_memory"]["devices"]))


def sharing():
    for path in sorted(DIR.glob("sharing_*_bare.out")):
        name = path.stem.removesuffix("_bare")
        alone, beside, data = printed(path.stem), printed(name), report(name)
        if alone and beside:
            row(f"{name}: told by the program's own profiler", alone[0]["theirs"], beside[0]["theirs"], 0)
        if beside and data is not None and "launches" in beside[0]:
            found = [k for k in data["kernels"] or [] if k["name"] == beside[0]["kernel"]]
            row(f"{name}: kernels", beside[0]["launches"], sum(k["calls"] for k in found), 0)
            row(f"{name}: kernels with a caller", beside[0]["launches"], sum(k["calls"] for k in found if k["launched_by"]), 0)


def threads():
    for name in ("threads_busy", "threads_many", "threads_queue"):
        ran, data = printed(name), report(name)
        if not ran or data is None:
            continue
        if "kernels" in ran[0]:
            row(f"{name}: kernels", ran[0]["kernels"], kernels(data)[0], 0)
        else:
            row(f"{name}: time of the device", ran[0]["busy_s"], sum(d["busy_s"] or 0 for d in data["devices"]), unit=" s")


def products():
    ran, data = printed("products"), report("products")
    if not ran or data is None:
        return
    flops = sum(f["flops"] or 0 for f in data["flops"] or [])
    time = sum(f["gpu_s"] or 0 for f in data["flops"] or [])
    row("products: FLOPs", ran[0]["flops"], flops, 0)
    row("products: FLOPs per second", ran[0]["flops_per_s"], flops / time if time else None, 0.02)


def replay():
    ran, data = printed("replay"), report("replay")
    if not ran or data is None:
        return
    for what, most in (("resident", 64), ("device", 256)):
        row(f"replay: MiB beyond {most} by which {what} memory grew", 0, max(0, ran[0][what + "_mib"] - most), 0)
    row("replay: kernels without a time", 0, sum(k["untimed"] or 0 for k in data["kernels"] or []), 0)


def updates():
    ran, data = printed("updates"), report("updates")
    if ran and data is not None:
        graphs = [k["calls"] for k in data["kernels"] or [] if k["name"] == "(CUDA graph)"]
        row("updates: launches of graphs", ran[0]["graphs"], sum(graphs), 0)
    if printed("updates_scan"):
        states = [p["cuda"]["state"] for p in report("updates_scan")["processes"] if p["cuda"] is not None]
        row("updates_scan: processes whose devices were recorded", 1, states.count("active"), 0)


def cost():
    found = {}
    for path in sorted(DIR.glob("cost_*.out")):
        who, what = re.fullmatch(r"cost_(bare|ours|theirs)_(.*)\.\d+", path.stem).groups()
        text = path.read_text()
        if match := re.search(r"launch_ns ([0-9.]+)", text):
            value = float(match[1])
        elif objects := printed(path.stem):
            value = objects[0]["step_s"] * 1e9
        else:
            continue
        found.setdefault(what, {}).setdefault(who, []).append(value)
    if not found:
        return
    print(f"\n{'cost':34} {'bare':>14} {'libprof':>14} {'torch.profiler':>14}   ratios")
    for what, by in found.items():
        median = {who: statistics.median(values) for who, values in by.items()}
        cells = [f"{median[w] / 1e3:,.2f} us" if w in median else "-" for w in ("bare", "ours", "theirs")]
        ratios = [f"{median[w] / median['bare']:.3f}" for w in ("ours", "theirs") if w in median and "bare" in median]
        print(f"{what:34} {cells[0]:>14} {cells[1]:>14} {cells[2]:>14}   {' '.join(ratios)}")


for kind in ("shared", "static"):
    known_program("runtime_" + kind, True)
known_program("driver", False)
for variant in ("resnet", "resnet_amp", "resnet_graph", "transformer", "transformer_amp", "transformer_graph"):
    trained(variant)
processes()
sharing()
threads()
products()
replay()
updates()

notes = [line.split("\t") for line in (DIR / "rows").read_text().splitlines()]
width = max([len(r[0]) for r in rows] + [10])
print(f"{'':{width}} {'expected':>18} {'libprof':>18} {'difference':>11}")
for r in rows:
    print(f"{r[0]:{width}} {r[1]:>18} {r[2]:>18} {r[3]:>11}  {r[4]}")
for kind, name, text in notes:
    print(f"{name}: {'skipped: ' if kind == 'skip' else 'FAILED: '}{text}")
cost()
bad += sum(kind == "fail" for kind, *_ in notes)
print(f"\n{len(rows)} comparisons, {bad} do not hold")
raise SystemExit(bad > 0 or not rows)
