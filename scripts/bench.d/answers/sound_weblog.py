"""Reads the access log of a web shop: traffic by hour, slowest pages, and the visitors that look like robots."""
import collections
import os
import random
import re

LINE = re.compile(
    r"(?P<host>\S+) \S+ \S+ \[(?P<day>[^:]+):(?P<hour>\d\d):[^\]]+\] "
    r'"(?P<method>[A-Z]+) (?P<path>[^ ?"]+)[^"]*" (?P<status>\d{3}) (?P<size>\d+|-) (?P<micros>\d+) "(?P<agent>[^"]*)"'
)
ITEM = re.compile(r"/\d+(?=/|$)")
ROBOT = re.compile(r"bot|crawl|spider", re.IGNORECASE)
LINES = 900_000
PATH = "access.log"


def write_log():
    draw = random.Random(33)
    agents = ["Mozilla/5.0 (X11; Linux) Firefox/115", "Mozilla/5.0 (iPhone) Safari/604", "Examplebot/2.1", "shop-crawler 1.0"]
    paths = ["/", "/basket", "/search?q=%d", "/shop/%d/item/%d", "/shop/%d", "/account/orders/%d"]
    with open(PATH, "w") as out:
        for number in range(LINES):
            chance = draw.random()
            path = paths[int(chance * 6)]
            if "%" in path:
                path = path.replace("%d", str(int(chance * 1e6) % 900))
            second = number * 86400 // LINES
            out.write(
                '10.%d.%d.7 - - [12/Mar/2024:%02d:%02d:%02d +0100] "GET %s HTTP/1.1" %d %d %d "%s"\n'
                % (
                    int(chance * 1e4) % 200,
                    number % 31,
                    second // 3600,
                    second // 60 % 60,
                    second % 60,
                    path,
                    404 if chance > 0.97 else 200,
                    int(chance * 50000),
                    int(900 / (1.001 - chance)),
                    agents[int(chance * 1e5) % 4],
                )
            )


def records(path):
    match = LINE.match
    with open(path) as file:
        for line in file:
            found = match(line)
            if found:
                yield found.group("host", "hour", "path", "status", "size", "micros", "agent")


class Report:
    def __init__(self):
        self.hours = collections.Counter()
        self.errors = collections.Counter()
        self.times = collections.defaultdict(list)
        self.agents = {}
        self.robots = collections.Counter()

    def add(self, host, hour, path, status, size, micros, agent):
        self.hours[hour] += int(size) if size != "-" else 0
        page = ITEM.sub("/N", path)
        if status != "200":
            self.errors[page] += 1
        self.times[page].append(int(micros))
        robot = self.agents.get(agent)
        if robot is None:
            robot = self.agents[agent] = bool(ROBOT.search(agent))
        if robot:
            self.robots[host] += 1

    def show(self):
        busiest, size = self.hours.most_common(1)[0]
        print("busiest hour %s with %d bytes" % (busiest, size))
        for page, times in sorted(self.times.items()):
            times.sort()
            print("%-20s %7d times, median %6d us, 99%% %8d us" % (page, len(times), times[len(times) // 2], times[len(times) * 99 // 100]))
        print("errors", sorted(self.errors.items()), "robots", len(self.robots))


def main():
    write_log()
    report = Report()
    for record in records(PATH):
        report.add(*record)
    report.show()
    os.remove(PATH)


main()
