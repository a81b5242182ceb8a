"""Works through the night's tickets of a help desk, the most urgent ones first.

What is wrong: each ticket is given to the forest alone: predict_proba() checks its input and hands out 100 trees for a
single row, 1,200 times.
First screen should say: a model is asked for one row at a time, at the line in TicketQueue.fill(), some 2.3 s.
Mend: predict_proba() once for the matrix of all tickets, before the loop.
"""
import heapq
import random
import time
from collections import Counter

import numpy as np
from sklearn.ensemble import RandomForestClassifier

CHANNELS = ["mail", "phone", "chat", "form"]
TOPICS = ["invoice", "delivery", "login", "outage", "refund", "question"]
URGENCIES = ["low", "normal", "high"]
SOLVED, TONIGHT = 6_000, 1_200


class Ticket:
    def __init__(self, number, rng):
        self.number = number
        self.channel = rng.choice(CHANNELS)
        self.topic = rng.choice(TOPICS)
        self.words = rng.randint(4, 300)
        self.exclamations = rng.randint(0, 5)
        self.customer_years = rng.expovariate(0.3)
        self.open_before = rng.randint(0, 4)
        self.minutes = rng.randint(0, 720)

    def features(self):
        channel = [float(self.channel == name) for name in CHANNELS]
        topic = [float(self.topic == name) for name in TOPICS]
        return [self.words, self.exclamations, self.customer_years, self.open_before, self.minutes, *channel, *topic]

    def urgency(self, rng):
        """What the desk said of it afterwards."""
        points = 2.0 * (self.topic == "outage") + (self.topic == "login") + 0.3 * self.exclamations
        points += 0.2 * self.open_before + 0.5 * (self.channel == "phone") + rng.gauss(0, 0.4)
        return int(points > 1.2) + int(points > 2.4)


def train(rng):
    tickets = [Ticket(number, rng) for number in range(SOLVED)]
    rows = np.array([ticket.features() for ticket in tickets])
    forest = RandomForestClassifier(n_estimators=100, max_depth=10, random_state=3)
    return forest.fit(rows, [ticket.urgency(rng) for ticket in tickets])


class TicketQueue:
    def __init__(self, forest):
        self.forest = forest
        self.waiting = []
        self.asking = 0.0

    def fill(self, tickets):
        for ticket in tickets:
            row = np.array([ticket.features()])
            began = time.perf_counter()
            chances = self.forest.predict_proba(row)[0]  # FAULT single-predictions
            self.asking += time.perf_counter() - began
            heapq.heappush(self.waiting, (-(chances[1] + 3 * chances[2]), ticket.number, ticket))

    def work_off(self, agents):
        """Minutes at which each is done, by an agent who is free."""
        free = [0.0] * agents
        done = []
        while self.waiting:
            score, _, ticket = heapq.heappop(self.waiting)
            begin = heapq.heappop(free)
            end = begin + 2 + ticket.words / 40
            heapq.heappush(free, end)
            done.append((ticket, -score, end))
        return done


def report(done):
    late = Counter(ticket.topic for ticket, score, end in done if score > 1 and end > 120)
    print("urgent ones late", dict(sorted(late.items())))
    for topic in TOPICS:
        ends = [end for ticket, _, end in done if ticket.topic == topic]
        print(f"{topic:10} {len(ends):5} mean {sum(ends) / len(ends):7.1f} min")


def main():
    rng = random.Random(41)
    forest = train(rng)
    tickets = [Ticket(number, rng) for number in range(TONIGHT)]
    queue = TicketQueue(forest)
    queue.fill(tickets)
    report(queue.work_off(agents=9))
    began = time.perf_counter()
    forest.predict_proba(np.array([ticket.features() for ticket in tickets]))
    print("truth %.3f" % (queue.asking - (time.perf_counter() - began)))


main()
