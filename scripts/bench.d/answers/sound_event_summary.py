"""Summarise a JSON lines event export per user and kind."""
import json
import random
from collections import Counter, defaultdict


def write_export(path, n, seed=41):
    rng = random.Random(seed)
    kinds = ["view", "click", "buy", "return"]
    templates = [
        json.dumps({"kind": k, "page": {"id": p, "tags": [f"t{p % 7}", f"t{p % 11}"]}, "agent": "Mozilla/5.0"})[1:]
        for k in kinds for p in range(30)
    ]
    with open(path, "w") as out:
        for i in range(n):
            user = int(rng.random() * 900)
            tail = templates[int(rng.random() * len(templates))]
            out.write(f'{{"user": "u{user}", "ms": {i * 13 % 1700}, {tail}\n')


class Summary:
    def __init__(self):
        self.kinds = Counter()
        self.tags = Counter()
        self.time = defaultdict(int)

    def add(self, event):
        self.kinds[event["kind"]] += 1
        for tag in event["page"]["tags"]:
            self.tags[tag] += 1
        self.time[event["user"]] += event["ms"]


def read_events(path):
    with open(path) as lines:
        for line in lines:
            yield json.loads(line)


def main():
    write_export("events.jsonl", 800_000)
    summary = Summary()
    for event in read_events("events.jsonl"):
        summary.add(event)
    print(summary.kinds.most_common())
    print(summary.tags.most_common(3))
    print(sorted(summary.time.items(), key=lambda kv: -kv[1])[:3])


if __name__ == "__main__":
    main()
