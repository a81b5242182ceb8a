"""Makes the weekly digest of a forum: who wrote most, and which words were new in each thread.

What is wrong: walk() hands on what walk() of each reply gives, and in a forum threads are chains of replies to replies:
every post goes up through all levels above it.
First screen should say: generators call themselves at depth, at the line with "yield from" in walk(), some 1.5 s.
Mend: a stack of the posts that are still to be visited.
"""
import collections
import random
import sys
import time

THREADS = 60
POSTS = 900
WORDS = [f"{a}{b}{c}" for a in ("ka", "lo", "mi", "tu", "re") for b in ("ne", "sa", "do", "pi") for c in ("r", "l", "n")]


class Post:
    def __init__(self, author, text):
        self.author, self.text = author, text
        self.replies = []

    def walk(self):
        yield self
        for reply in self.replies:
            yield from reply.walk()  # FAULT nested-generators


def make_thread(rng):
    first = Post(rng.randrange(400), " ".join(rng.choices(WORDS, k=30)))
    last = first
    for _ in range(POSTS):
        post = Post(rng.randrange(400), " ".join(rng.choices(WORDS, k=12)))
        last.replies.append(post)
        # Most answer what was said last; some begin a line of their own further up.
        last = post if rng.random() < 0.995 else first
    return first


def at_once(first):
    """The same posts, without the detour: only to know what that takes."""
    waiting = [first]
    while waiting:
        post = waiting.pop()
        yield post
        waiting.extend(reversed(post.replies))


def digest(first, posts):
    authors = collections.Counter()
    known, fresh = set(), 0
    for post in posts(first):
        authors[post.author] += 1
        words = set(post.text.split())
        fresh += len(words - known)
        known |= words
    return authors.most_common(3), fresh


def main():
    sys.setrecursionlimit(5000)
    rng = random.Random(8)
    threads = [make_thread(rng) for _ in range(THREADS)]
    lines = []
    for week in range(2):
        for number, thread in enumerate(threads):
            best, fresh = digest(thread, Post.walk)
            lines.append(f"{week} {number} {best} {fresh}")
    began = time.perf_counter()
    for thread in threads:
        collections.deque(thread.walk(), 0)
    between = time.perf_counter()
    for thread in threads:
        collections.deque(at_once(thread), 0)
    took = 3 * (between - began - (time.perf_counter() - between))
    print(len(lines), "lines")
    print("truth", took)


main()
