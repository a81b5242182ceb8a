"""Routes the messages of many tenants by each tenant's own alert rules.

What is wrong: the rules are kept as strings and matched with re.search(string, text); there are 720 of them, more than
the 512 that the re module caches, and the tenants come in turn, so every match compiles its pattern anew.
First screen should say: most of the time goes to compiling regular expressions (re.compile / sre under re.search in
Router.route), the same patterns again and again - compile each once and keep it.
Mend: compile the patterns in Rule's constructor and call the compiled pattern's search.
"""
import collections
import hashlib
import json
import random
import re
import time

TENANTS = 36
RULES_EACH = 20
MESSAGES = 24000
SAMPLE = 11
WORDS = "disk cpu memory latency quota login upload index shard replica cache queue worker gateway socket".split()


class Rule:
    def __init__(self, tenant, number, pattern):
        self.name = f"{tenant}/{number}"
        self.pattern = pattern


class Router:
    def __init__(self):
        self.rules = collections.defaultdict(list)
        self.matching = 0.0

    def add(self, tenant, number, pattern):
        self.rules[tenant].append(Rule(tenant, number, pattern))

    def route(self, tenant, text):
        hits = []
        began = time.perf_counter()
        for rule in self.rules[tenant]:
            if re.search(rule.pattern, text):  # FAULT regular-expressions
                hits.append(rule.name)
        self.matching += time.perf_counter() - began
        return hits


def make_pattern(rng, tenant, number):
    a, b = rng.sample(WORDS, 2)
    return rf"^(?:\[t{tenant}\])?\s*{a}[-_ ]?(?:usage|errors?)?.*\b{b}\b(?:\s+at\s+(\d{{1,3}})%)?.*r{number % 7}"


def make_messages(rng, n):
    for i in range(n):
        words = [rng.choice(WORDS) for _ in range(12)]
        yield json.dumps({"tenant": i % TENANTS, "host": f"h{rng.randrange(900)}",
                          "text": f"{' '.join(words)} at {rng.randrange(100)}% r{rng.randrange(7)}",
                          "tags": {w: rng.random() for w in words}})


def fingerprint(message):
    """A stable identity, that repeated messages can be folded by."""
    digest = hashlib.sha256(message["host"].encode())
    for key in sorted(message["tags"]):
        digest.update(f"{key}={message['tags'][key]:.3f}".encode())
    return digest.hexdigest()[:12]


def shingles(text, size=4):
    counts = collections.Counter()
    for start in range(len(text) - size + 1):
        counts[text[start:start + size]] += 1
    return counts


def main():
    rng = random.Random(11)
    router = Router()
    for tenant in range(TENANTS):
        for number in range(RULES_EACH):
            router.add(tenant, number, make_pattern(rng, tenant, number))
    hits = collections.Counter()
    profile = collections.Counter()
    seen = set()
    first_round = 0.0
    for i, line in enumerate(make_messages(rng, MESSAGES)):
        message = json.loads(line)
        if i < TENANTS or i % SAMPLE == 0:
            hits.update(router.route(message["tenant"], message["text"]))
        if i == TENANTS - 1:
            first_round = router.matching
        seen.add(fingerprint(message))
        profile.update(shingles(message["text"]))
    began = time.perf_counter()
    compiled = [re.compile(rule.pattern) for rule in router.rules[0]]
    compiling = time.perf_counter()
    for pattern in compiled:
        for _ in range(10):
            pattern.search(message["text"])
    a_search = (time.perf_counter() - compiling) / 10 / RULES_EACH
    routed = sum(1 for i in range(TENANTS, MESSAGES) if i % SAMPLE == 0)
    print("hits", sum(hits.values()), "hosts", len(seen), "shingles", len(profile))
    print("truth", router.matching - first_round - routed * RULES_EACH * a_search)


main()
